from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from perfgate.graph import GraphError, load
from perfgate.graph.ir import TensorKind

if TYPE_CHECKING:
    from tests.unit.graph.conftest import ModelBytes

INT64 = onnx.TensorProto.INT64


def test_a_shape_chain_of_an_exporter_resolves_to_numbers(model_bytes: ModelBytes) -> None:
    nodes = [
        helper.make_node("Shape", ["x"], ["shape"]),
        helper.make_node("Gather", ["shape", "first"], ["batch"], axis=0),
        helper.make_node("Unsqueeze", ["batch", "axis"], ["row"]),
        helper.make_node("Mul", ["row", "two"], ["double"]),
        helper.make_node("Concat", ["double", "rest"], ["target"], axis=0),
        helper.make_node("Reshape", ["x", "target"], ["y"]),
    ]
    weights = {"first": np.array(0), "axis": np.array([0]), "two": np.array([2]), "rest": np.array([-1])}
    graph = load(
        model_bytes(nodes, inputs={"x": ("n", 6)}, outputs=["y"], weights=weights), bindings={"x": (4, 6)}
    )
    assert graph.tensors["target"].value.tolist() == [8, -1]
    assert graph.tensors["y"].shape == (8, 3)


def test_big_tensors_carry_no_computed_value(model_bytes: ModelBytes) -> None:
    nodes = [helper.make_node("Add", ["w", "w"], ["y"])]
    for size, is_known in ((4096, True), (4097, False)):
        graph = load(model_bytes(nodes, inputs={}, outputs=["y"], weights={"w": np.ones(size, np.int64)}))
        assert (graph.tensors["y"].value is not None) == is_known
        assert graph.tensors["w"].value is not None


def test_values_replace_what_the_model_lacks(model_bytes: ModelBytes) -> None:
    nodes = [helper.make_node("Expand", ["x", "size"], ["y"])]
    content = model_bytes(nodes, inputs={"x": (1,), "size": (2,)}, outputs=["y"], types={"size": INT64})
    assert load(content, values={"size": [3, 5]}).tensors["y"].shape == (3, 5)


def test_values_of_another_length_are_refused(model_bytes: ModelBytes) -> None:
    nodes = [helper.make_node("Expand", ["x", "size"], ["y"])]
    content = model_bytes(nodes, inputs={"x": (1,), "size": (2,)}, outputs=["y"], types={"size": INT64})
    with pytest.raises(GraphError, match="values for 'size' has 3 elements"):
        load(content, values={"size": [3, 5, 1]})


def test_omitted_operands_and_results_stay_empty_names(model_bytes: ModelBytes) -> None:
    nodes = [
        helper.make_node("Clip", ["x", "", "high"], ["c"]),
        helper.make_node("MaxPool", ["c"], ["y", ""], kernel_shape=[2, 2]),
    ]
    graph = load(
        model_bytes(nodes, inputs={"x": (1, 1, 4, 4)}, outputs=["y"], weights={"high": np.float32(6)})
    )
    assert graph.nodes[0].inputs == ("x", "", "high")
    assert graph.nodes[1].outputs == ("y", "")
    assert "" not in graph.tensors


def test_more_results_than_the_operator_has_are_refused(model_bytes: ModelBytes) -> None:
    content = model_bytes([helper.make_node("Relu", ["x"], ["y", "z"])], inputs={"x": (1,)}, outputs=["y"])
    with pytest.raises(GraphError, match="2 outputs, but the operator gives 1"):
        load(content)


def test_a_foreign_operator_with_declared_results_is_estimated(model_bytes: ModelBytes) -> None:
    node = helper.make_node("FusedMatMul", ["x", "w"], ["t"], domain="com.microsoft")
    model = onnx.ModelProto.FromString(
        model_bytes(
            [node, helper.make_node("Relu", ["t"], ["y"])],
            inputs={"x": ("n", 8)},
            outputs=["y"],
            weights={"w": (8, 5)},
            opsets={"": 17, "com.microsoft": 1},
        )
    )
    model.graph.value_info.append(helper.make_tensor_value_info("t", onnx.TensorProto.FLOAT, ["n", 5]))
    graph = load(model.SerializeToString(), bindings={"x": (4, 8)})
    assert graph.nodes[0].is_estimated
    assert graph.tensors["y"].shape == (4, 5)


def test_a_sparse_initialiser_is_a_dense_weight(model_bytes: ModelBytes) -> None:
    model = onnx.ModelProto.FromString(
        model_bytes([helper.make_node("MatMul", ["x", "w"], ["y"])], inputs={"x": (2, 3)}, outputs=["y"])
    )
    values = numpy_helper.from_array(np.ones(1, np.float32), "w")
    indices = numpy_helper.from_array(np.array([4]), "i")
    model.graph.sparse_initializer.append(helper.make_sparse_tensor(values, indices, [3, 5]))
    graph = load(model.SerializeToString())
    assert graph.tensors["w"].kind is TensorKind.WEIGHT
    assert graph.tensors["y"].shape == (2, 5)


def test_a_quantised_pair_keeps_shape_and_changes_type(model_bytes: ModelBytes) -> None:
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "scale", "zero"], ["q"]),
        helper.make_node("DequantizeLinear", ["q", "scale", "zero"], ["y"]),
    ]
    weights = {"scale": np.float32(0.1), "zero": np.int8(0)}
    graph = load(model_bytes(nodes, inputs={"x": (2, 3)}, outputs=["y"], weights=weights))
    assert (graph.tensors["q"].shape, graph.tensors["q"].dtype) == ((2, 3), "int8")
    assert graph.tensors["y"].dtype == "float32"
