from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import onnx
import pytest
from onnx import helper

from perfgate.graph import GraphError, load

if TYPE_CHECKING:
    from tests.unit.graph.conftest import ModelBytes

WEIGHTS = {"zero": np.array(0), "one": np.array(1), "far": np.array(9), "sizes": np.array([1, 3])}


def make(op: str, inputs: list[str], output: str, **attributes: int) -> onnx.NodeProto:
    return helper.make_node(op, inputs, [output], **attributes)


def load_nodes(model_bytes: ModelBytes, *nodes: onnx.NodeProto, output: str = "y") -> tuple[int, ...]:
    content = model_bytes(nodes, inputs={"a": (4, 3), "b": (5, 3)}, outputs=[output], weights=WEIGHTS)
    return load(content).tensors[output].shape


def test_members_are_found_again(model_bytes: ModelBytes) -> None:
    nodes = [make("SequenceConstruct", ["a", "b"], "s"), make("SequenceAt", ["s", "one"], "y")]
    assert load_nodes(model_bytes, *nodes) == (5, 3)


def test_insertion_and_removal_move_members(model_bytes: ModelBytes) -> None:
    nodes = [
        make("SequenceEmpty", [], "e"),
        make("SequenceInsert", ["e", "a"], "s1"),
        make("SequenceInsert", ["s1", "b", "zero"], "s2"),  # b, a
        make("SequenceErase", ["s2", "zero"], "s3"),  # a
        make("SequenceAt", ["s3", "zero"], "y"),
    ]
    assert load_nodes(model_bytes, *nodes) == (4, 3)


def test_members_join_along_an_old_or_a_new_axis(model_bytes: ModelBytes) -> None:
    joined = [make("SequenceConstruct", ["a", "b"], "s"), make("ConcatFromSequence", ["s"], "y", axis=0)]
    assert load_nodes(model_bytes, *joined) == (9, 3)
    stacked = [
        make("SequenceConstruct", ["a", "a"], "s"),
        make("ConcatFromSequence", ["s"], "y", axis=1, new_axis=1),
    ]
    assert load_nodes(model_bytes, *stacked) == (4, 2, 3)


def test_a_tensor_splits_into_members(model_bytes: ModelBytes) -> None:
    by_sizes = [make("SplitToSequence", ["a", "sizes"], "s"), make("SequenceAt", ["s", "one"], "y")]
    assert load_nodes(model_bytes, *by_sizes) == (3, 3)
    single = [make("SplitToSequence", ["a"], "s", keepdims=0), make("SequenceAt", ["s", "one"], "y")]
    assert load_nodes(model_bytes, *single) == (3,)


def test_the_length_is_a_constant(model_bytes: ModelBytes) -> None:
    content = model_bytes(
        [make("SplitToSequence", ["a"], "s"), make("SequenceLength", ["s"], "n")],
        inputs={"a": (4, 3)},
        outputs=["n"],
    )
    value = load(content).tensors["n"].value
    assert value is not None
    assert value.item() == 4  # one member for each row


def test_a_position_outside_is_refused(model_bytes: ModelBytes) -> None:
    nodes = [make("SequenceConstruct", ["a"], "s"), make("SequenceAt", ["s", "far"], "y")]
    with pytest.raises(GraphError, match="position 9 is outside a sequence of 1"):
        load_nodes(model_bytes, *nodes)


def test_a_sequence_as_output_is_refused(model_bytes: ModelBytes) -> None:
    content = model_bytes([make("SequenceConstruct", ["a"], "s")], inputs={"a": (1,)}, outputs=["s"])
    with pytest.raises(GraphError, match="graph output 's' is a sequence"):
        load(content)


def test_a_mapped_body_runs_for_each_member(model_bytes: ModelBytes) -> None:
    info = helper.make_tensor_value_info
    body = helper.make_graph(
        [helper.make_node("Relu", ["m"], ["r"])],
        "body",
        [info("m", onnx.TensorProto.FLOAT, None)],
        [info("r", onnx.TensorProto.FLOAT, None)],
    )
    nodes = [
        make("SequenceConstruct", ["a", "b"], "s"),
        helper.make_node("SequenceMap", ["s"], ["t"], body=body),
        make("ConcatFromSequence", ["t"], "y", axis=0),
    ]
    assert load_nodes(model_bytes, *nodes) == (9, 3)


def test_an_optional_tensor_is_the_tensor(model_bytes: ModelBytes) -> None:
    nodes = [make("Optional", ["a"], "o"), make("OptionalGetElement", ["o"], "y")]
    assert load_nodes(model_bytes, *nodes) == (4, 3)


def test_an_operator_that_takes_a_sequence_is_refused(model_bytes: ModelBytes) -> None:
    nodes = [make("SequenceConstruct", ["a", "b"], "s"), make("Relu", ["s"], "y")]
    with pytest.raises(GraphError, match="a sequence goes in"):
        load_nodes(model_bytes, *nodes)
