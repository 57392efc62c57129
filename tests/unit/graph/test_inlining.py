from __future__ import annotations

from typing import TYPE_CHECKING

import onnx
import pytest
from onnx import helper

from perfgate.graph import GraphError, load

if TYPE_CHECKING:
    from tests.unit.graph.conftest import ModelBytes

OPSETS = {"": 17, "own": 1}


def function(name: str, nodes: list[onnx.NodeProto], **more: list[str]) -> onnx.FunctionProto:
    return helper.make_function(
        "own", name, more.get("inputs", ["a"]), more.get("outputs", ["b"]), nodes,
        [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)], more.get("attributes", []),
    )  # fmt: skip


TWICE = function(
    "Twice", [helper.make_node("Relu", ["a"], ["t"], name="first"), helper.make_node("Exp", ["t"], ["b"])]
)


def call(source: str, target: str, op: str = "Twice", **more: str) -> onnx.NodeProto:
    return helper.make_node(op, [source], [target], domain="own", **more)


def test_a_call_becomes_the_nodes_of_its_function(model_bytes: ModelBytes) -> None:
    content = model_bytes(
        [call("x", "y", name="net.block")],
        inputs={"x": (2,)},
        outputs=["y"],
        functions=[TWICE],
        opsets=OPSETS,
    )
    graph = load(content)
    assert [node.op for node in graph.nodes] == ["Relu", "Exp"]
    assert graph.nodes[0].name == "net.block/inline@Twice/first"
    assert graph.nodes[0].scope == "net.block.inline@Twice.first"
    assert graph.nodes[1].outputs == ("y",)


def test_two_calls_keep_their_tensors_apart(model_bytes: ModelBytes) -> None:
    nodes = [call("x", "m", name="one"), call("m", "y", name="two")]
    graph = load(model_bytes(nodes, inputs={"x": (2,)}, outputs=["y"], functions=[TWICE], opsets=OPSETS))
    made = [name for node in graph.nodes for name in node.outputs]
    assert len(set(made)) == len(made) == 4


def test_calls_nest(model_bytes: ModelBytes) -> None:
    outer = function("Outer", [call("a", "b", name="inside")])
    content = model_bytes(
        [call("x", "y", "Outer", name="net")],
        inputs={"x": (2,)},
        outputs=["y"],
        functions=[TWICE, outer],
        opsets=OPSETS,
    )
    assert load(content).nodes[0].scope == "net.inline@Outer.inside.inline@Twice.first"


def test_attributes_of_the_call_reach_the_body(model_bytes: ModelBytes) -> None:
    node = helper.make_node("Concat", ["a", "a"], ["b"])
    node.attribute.append(onnx.AttributeProto(name="axis", ref_attr_name="dim", type=onnx.AttributeProto.INT))
    joined = function("Joined", [node], attributes=["dim"])
    content = model_bytes(
        [helper.make_node("Joined", ["x"], ["y"], domain="own", dim=1)],
        inputs={"x": (2, 3)},
        outputs=["y"],
        functions=[joined],
        opsets=OPSETS,
    )
    assert load(content).tensors["y"].shape == (2, 6)


def test_a_function_may_hand_its_input_on(model_bytes: ModelBytes) -> None:
    same = function("Same", [], outputs=["a"])
    content = model_bytes(
        [call("x", "y", "Same")], inputs={"x": (2,)}, outputs=["y"], functions=[same], opsets=OPSETS
    )
    assert [node.op for node in load(content).nodes] == ["Identity"]


def test_a_function_that_calls_itself_is_refused(model_bytes: ModelBytes) -> None:
    endless = function("Endless", [call("a", "b", "Endless")])
    content = model_bytes(
        [call("x", "y", "Endless")], inputs={"x": (2,)}, outputs=["y"], functions=[endless], opsets=OPSETS
    )
    with pytest.raises(GraphError, match="nested more than 100 deep"):
        load(content)


def test_a_problem_inside_names_the_call_path(model_bytes: ModelBytes) -> None:
    bad = function("Bad", [helper.make_node("Nothing", ["a"], ["b"], name="odd")])
    content = model_bytes(
        [call("x", "y", "Bad", name="net")], inputs={"x": (2,)}, outputs=["y"], functions=[bad], opsets=OPSETS
    )
    with pytest.raises(GraphError, match="node 'net/inline@Bad/odd'"):
        load(content)


def test_two_calls_of_one_node_name_keep_their_tensors_apart(model_bytes: ModelBytes) -> None:
    nodes = [call("x", "m", name="same"), call("m", "y", name="same")]
    graph = load(model_bytes(nodes, inputs={"x": (2,)}, outputs=["y"], functions=[TWICE], opsets=OPSETS))
    made = [name for node in graph.nodes for name in node.outputs]
    assert len(set(made)) == len(made) == 4
