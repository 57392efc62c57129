from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import onnx
import pytest
from onnx import helper

from perfgate.graph import GraphError, ProblemCode, load

if TYPE_CHECKING:
    from perfgate.graph import Problem
    from tests.unit.graph.conftest import ModelBytes


def problem_of(content: bytes) -> Problem:
    with pytest.raises(GraphError) as caught:
        load(content, name="net.onnx")
    (problem,) = caught.value.problems
    return problem


def test_a_mismatch_names_operands_axes_and_producers(model_bytes: ModelBytes) -> None:
    nodes = [
        helper.make_node("Relu", ["x"], ["left"], name="act"),
        helper.make_node("Add", ["left", "w"], ["y"], name="sum"),
    ]
    problem = problem_of(
        model_bytes(nodes, inputs={"x": (2, 3)}, outputs=["y"], weights={"w": np.zeros((2, 4), np.float32)})
    )
    assert problem.code is ProblemCode.SHAPE_MISMATCH
    assert problem.where == "net.onnx: node 'sum' (Add, ai.onnx:17)"
    assert problem.what == "[2, 3] and [2, 4] do not broadcast: axis -1 is 3 against 4"
    assert "'left' [2, 3] from node 'act'" in problem.remedy
    assert "'w' [2, 4] weight of the model" in problem.remedy


def test_an_unknown_operator_names_domain_version_and_the_undeclared_output(model_bytes: ModelBytes) -> None:
    node = helper.make_node("Magic", ["x"], ["y"], domain="com.acme", name="spell")
    problem = problem_of(
        model_bytes([node], inputs={"x": (2,)}, outputs=["y"], opsets={"": 17, "com.acme": 2})
    )
    assert problem.code is ProblemCode.UNKNOWN_OPERATOR
    assert problem.where == "net.onnx: node 'spell' (Magic, com.acme:2)"
    assert "output 'y' has no known shape" in problem.what
    assert "declare the output shapes" in problem.remedy


def test_a_missing_value_is_traced_to_the_input_behind_it(model_bytes: ModelBytes) -> None:
    nodes = [
        helper.make_node("Mul", ["size", "two"], ["double"]),
        helper.make_node("Expand", ["x", "double"], ["y"], name="grow"),
    ]
    problem = problem_of(
        model_bytes(
            nodes,
            inputs={"x": (1,), "size": (1,)},
            outputs=["y"],
            weights={"two": np.array([2])},
            types={"size": onnx.TensorProto.INT64},
        )
    )
    assert problem.code is ProblemCode.MISSING_VALUE
    assert problem.what == "the target shape is not known: input 1 'double' depends on 'size' (a graph input)"
    assert problem.remedy == "give values: {size: [...]}"


def test_nonsense_attributes_are_broken_not_a_traceback(model_bytes: ModelBytes) -> None:
    node = helper.make_node("Transpose", ["x"], ["y"], perm=[float("nan"), 0.5])
    problem = problem_of(model_bytes([node], inputs={"x": (2, 3)}, outputs=["y"]))
    assert problem.code in {ProblemCode.BROKEN_MODEL, ProblemCode.SHAPE_MISMATCH}
