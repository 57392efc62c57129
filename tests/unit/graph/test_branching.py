from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import onnx
import pytest
from onnx import helper

from perfgate.core.errors import UsageError
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


def test_a_body_may_use_a_name_that_the_graph_defines_later(model_bytes: ModelBytes) -> None:
    later = helper.make_node("Relu", ["y"], ["t"], name="later")  # the costly branch has a `t` of its own
    content = model_bytes(
        [choice(CHEAP, COSTLY), later],
        inputs={"x": (4, 8), "flag": ()},
        outputs=["t"],
        weights=WEIGHTS,
        types={"flag": onnx.TensorProto.BOOL},
    )
    assert load(content).nodes[-1].outputs == ("t",)


def test_a_nested_node_answers_to_its_path_or_its_own_name(model_bytes: ModelBytes) -> None:
    inner = helper.make_node("If", ["flag"], ["r"], name="inner", then_branch=CHEAP, else_branch=COSTLY)
    outer = choice(branch([inner], "r"), CHEAP, "always")
    content = model_bytes(
        [outer],
        inputs={"x": (4, 8), "flag": ()},
        outputs=["y"],
        weights={**WEIGHTS, "always": np.array(1, bool)},
        types={"flag": onnx.TensorProto.BOOL},
    )
    for name in ("inner", "pick/then/inner"):
        assert len(load(content, branches={name: "then"}).nodes) == 1


def test_an_answer_nobody_asked_for_is_remarked_and_a_wrong_name_refused(undecided: bytes) -> None:
    graph = load(undecided, branches={"pick": "then", "wide": "else"})
    assert "unused-answer" in {remark.code for remark in graph.remarks}
    with pytest.raises(UsageError, match=r"branches names no node 'pik'.*did you mean 'pick'"):
        load(undecided, branches={"pik": "then"})
    with pytest.raises(UsageError, match=r"bounds names no node 'pick2'.*none is open"):
        load(undecided, bounds={"pick2": 3})


def test_a_constant_condition_beats_the_answer_and_says_so(model_bytes: ModelBytes) -> None:
    content = model_bytes(
        [choice(CHEAP, COSTLY, "always")],
        inputs={"x": (4, 8)},
        outputs=["y"],
        weights={**WEIGHTS, "always": np.array(1, bool)},
    )
    (remark,) = load(content, branches={"pick": "else"}).remarks
    assert remark.text == "the condition is constant: then taken, not else as asked"
