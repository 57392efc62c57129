from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import onnx
import pytest
from onnx import helper

from perfgate.graph import GraphError, ProblemCode, load

if TYPE_CHECKING:
    from tests.unit.graph.conftest import ModelBytes

WEIGHTS = {"small": (8, 8), "large": (8, 64), "back": (64, 8)}


def branch(nodes: list[onnx.NodeProto], result: str) -> onnx.GraphProto:
    output = helper.make_tensor_value_info(result, onnx.TensorProto.FLOAT, None)
    return helper.make_graph(nodes, "branch", [], [output])


CHEAP = branch([helper.make_node("MatMul", ["x", "small"], ["r"], name="one")], "r")
COSTLY = branch(
    [
        helper.make_node("MatMul", ["x", "large"], ["t"], name="wide"),
        helper.make_node("MatMul", ["t", "back"], ["r"], name="narrow"),
    ],
    "r",
)


def choice(then: onnx.GraphProto, other: onnx.GraphProto, condition: str = "flag") -> onnx.NodeProto:
    return helper.make_node("If", [condition], ["y"], name="pick", then_branch=then, else_branch=other)


@pytest.fixture
def undecided(model_bytes: ModelBytes) -> bytes:
    """The condition is a graph input; the else branch has 17 times the products."""
    return model_bytes(
        [choice(CHEAP, COSTLY), helper.make_node("Relu", ["y"], ["z"])],
        inputs={"x": (4, 8), "flag": ()},
        outputs=["z"],
        weights=WEIGHTS,
        types={"flag": onnx.TensorProto.BOOL},
    )


def test_the_costlier_branch_is_taken_and_said(undecided: bytes) -> None:
    graph = load(undecided)
    assert [node.name for node in graph.nodes] == ["pick/else/wide", "pick/else/narrow", "z"]
    (remark,) = graph.remarks
    assert remark.code == "costlier-branch"
    assert "branches: {pick: then}" in remark.text


def test_the_branch_asked_for_is_taken(undecided: bytes) -> None:
    graph = load(undecided, branches={"pick": "then"})
    assert [node.name for node in graph.nodes] == ["pick/then/one", "z"]
    assert graph.tensors["y"].shape == (4, 8)


def test_a_value_for_the_condition_decides(undecided: bytes) -> None:
    assert [node.name for node in load(undecided, values={"flag": True}).nodes] == ["pick/then/one", "z"]
    assert len(load(undecided, values={"flag": False}).nodes) == 3


def test_a_branch_that_is_no_branch_is_refused(undecided: bytes) -> None:
    with pytest.raises(GraphError, match="write then or else"):
        load(undecided, branches={"pick": "both"})


def test_a_constant_condition_inlines_its_branch(model_bytes: ModelBytes) -> None:
    content = model_bytes(
        [choice(CHEAP, COSTLY, "always")],
        inputs={"x": (4, 8)},
        outputs=["y"],
        weights={**WEIGHTS, "always": np.array(1, bool)},
    )
    graph = load(content)
    assert [node.outputs for node in graph.nodes] == [("y",)]
    assert graph.remarks[0].code == "constant-branch"


def test_a_branch_that_the_shapes_rule_out_gives_way(model_bytes: ModelBytes) -> None:
    content = model_bytes(
        [choice(CHEAP, COSTLY)],
        inputs={"x": (4, 8), "flag": ()},
        outputs=["y"],
        weights={**WEIGHTS, "large": (9, 64)},
        types={"flag": onnx.TensorProto.BOOL},
    )
    graph = load(content)
    assert [node.name for node in graph.nodes] == ["pick/then/one"]
    assert graph.remarks[0].code == "possible-branch"


def test_problems_of_either_branch_are_reported_when_both_count(model_bytes: ModelBytes) -> None:
    unknown = branch([helper.make_node("Nothing", ["x"], ["r"], name="what")], "r")
    content = model_bytes(
        [choice(CHEAP, unknown)],
        inputs={"x": (4, 8), "flag": ()},
        outputs=["y"],
        weights=WEIGHTS,
        types={"flag": onnx.TensorProto.BOOL},
    )
    with pytest.raises(GraphError) as caught:
        load(content)
    assert caught.value.codes == (ProblemCode.UNKNOWN_OPERATOR,)
    assert "pick/else/what" in str(caught.value)


def test_a_branch_may_hand_out_what_lies_outside(model_bytes: ModelBytes) -> None:
    outside = branch([], "x")
    content = model_bytes(
        [choice(outside, COSTLY)],
        inputs={"x": (4, 8), "flag": ()},
        outputs=["y"],
        weights=WEIGHTS,
        types={"flag": onnx.TensorProto.BOOL},
    )
    (node,) = load(content, branches={"pick": "then"}).nodes
    assert (node.op, node.inputs, node.outputs) == ("Identity", ("x",), ("y",))


def test_two_branches_may_use_the_same_names(model_bytes: ModelBytes) -> None:
    second = helper.make_node("If", ["flag"], ["z"], name="again", then_branch=CHEAP, else_branch=COSTLY)
    content = model_bytes(
        [choice(CHEAP, COSTLY), second],
        inputs={"x": (4, 8), "flag": ()},
        outputs=["y", "z"],
        weights=WEIGHTS,
        types={"flag": onnx.TensorProto.BOOL},
    )
    graph = load(content)
    names = [name for node in graph.nodes for name in node.outputs]
    assert len(names) == len(set(names)) == 4
