from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from onnx import helper

from perfgate.graph import GraphError, ProblemCode, load

if TYPE_CHECKING:
    from tests.unit.graph.conftest import ModelBytes


def test_nodes_out_of_order_are_sorted(model_bytes: ModelBytes) -> None:
    nodes = [
        helper.make_node("Relu", ["b"], ["y"]),
        helper.make_node("Exp", ["a"], ["b"]),
        helper.make_node("Neg", ["x"], ["a"]),
    ]
    graph = load(model_bytes(nodes, inputs={"x": (2,)}, outputs=["y"]))
    assert [node.op for node in graph.nodes] == ["Neg", "Exp", "Relu"]


def test_a_cycle_is_broken_and_names_a_node_of_it(model_bytes: ModelBytes) -> None:
    nodes = [
        helper.make_node("Add", ["x", "b"], ["a"], name="first"),
        helper.make_node("Relu", ["a"], ["b"], name="second"),
        helper.make_node("Neg", ["x"], ["y"]),
    ]
    with pytest.raises(GraphError) as caught:
        load(model_bytes(nodes, inputs={"x": (2,)}, outputs=["y"]))
    assert caught.value.codes == (ProblemCode.BROKEN_MODEL,)
    assert "input 'b' is produced by nothing, or by its own result" in str(caught.value)
    assert "node 'first'" in str(caught.value)


def test_an_input_that_nothing_produces_is_broken(model_bytes: ModelBytes) -> None:
    with pytest.raises(GraphError, match="input 'ghost' is produced by nothing"):
        load(model_bytes([helper.make_node("Relu", ["ghost"], ["y"])], inputs={"x": (2,)}, outputs=["y"]))


def test_a_tensor_has_one_producer(model_bytes: ModelBytes) -> None:
    nodes = [helper.make_node("Relu", ["x"], ["y"]), helper.make_node("Neg", ["x"], ["y"])]
    with pytest.raises(GraphError, match="'y' is produced twice"):
        load(model_bytes(nodes, inputs={"x": (2,)}, outputs=["y"]))
