from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from perfgate.graph import GraphError, ProblemCode, load
from perfgate.graph.ir import Tensor, TensorKind

if TYPE_CHECKING:
    from tests.unit.graph.conftest import ModelBytes

Value: TypeAlias = Any  # an attribute or a fill


def constant(model_bytes: ModelBytes, **attributes: Value) -> Tensor:
    node = helper.make_node("Constant", [], ["c"], **attributes)
    graph = load(model_bytes([node], inputs={}, outputs=["c"]))
    assert graph.nodes == ()
    return graph.tensors["c"]


@pytest.mark.parametrize(
    ("attribute", "dtype"),
    [
        ({"value_int": 3}, "int64"), ({"value_ints": [3, 4]}, "int64"), ({"value_float": 0.5}, "float32"),
        ({"value_floats": [0.5, 1.5]}, "float32"), ({"value_string": b"a"}, "string"),
        ({"value": numpy_helper.from_array(np.array([[1.5]], np.float16))}, "float16"),
    ],
    ids=lambda item: next(iter(item)) if isinstance(item, dict) else item,
)  # fmt: skip
def test_each_form_of_constant_is_a_weight(
    model_bytes: ModelBytes, attribute: dict[str, Any], dtype: str
) -> None:
    tensor = constant(model_bytes, **attribute)
    assert tensor.kind is TensorKind.WEIGHT
    assert tensor.dtype == dtype
    assert tensor.value is not None
    assert tensor.value.shape == tensor.shape


def test_a_sparse_constant_is_dense_and_shape_only(model_bytes: ModelBytes) -> None:
    values = numpy_helper.from_array(np.array([1.0], np.float32), "v")
    indices = numpy_helper.from_array(np.array([5]), "i")
    tensor = constant(model_bytes, sparse_value=helper.make_sparse_tensor(values, indices, [3, 4]))
    assert (tensor.shape, tensor.dtype, tensor.value) == ((3, 4), "float32", None)


def filled(model_bytes: ModelBytes, shape: list[int], fill: Value) -> Tensor:
    attribute = {} if fill is None else {"value": numpy_helper.from_array(np.array([fill]))}
    node = helper.make_node("ConstantOfShape", ["s"], ["c"], **attribute)
    graph = load(model_bytes([node], inputs={}, outputs=["c"], weights={"s": np.array(shape, np.int64)}))
    assert graph.nodes == ()
    return graph.tensors["c"]


def test_a_filled_integer_tensor_carries_its_value(model_bytes: ModelBytes) -> None:
    assert filled(model_bytes, [2, 2], 7).value.tolist() == [[7, 7], [7, 7]]


def test_the_default_fill_is_a_float_zero(model_bytes: ModelBytes) -> None:
    tensor = filled(model_bytes, [2], None)
    assert (tensor.dtype, tensor.value.tolist()) == ("float32", [0.0, 0.0])


def test_a_filled_weight_is_shape_only(model_bytes: ModelBytes) -> None:
    tensor = filled(model_bytes, [64, 3, 7, 7], np.float32(0.02))
    assert (tensor.shape, tensor.value) == ((64, 3, 7, 7), None)


def test_a_fill_of_unknown_shape_names_what_is_missing(model_bytes: ModelBytes) -> None:
    node = helper.make_node("ConstantOfShape", ["s"], ["c"], name="zeros")
    content = model_bytes([node], inputs={"s": (2,)}, outputs=["c"], types={"s": onnx.TensorProto.INT64})
    with pytest.raises(GraphError) as caught:
        load(content)
    assert caught.value.codes == (ProblemCode.MISSING_VALUE,)
    assert "values: {s: [...]}" in str(caught.value)
    assert load(content, values={"s": [3, 4]}).tensors["c"].shape == (3, 4)


def test_a_negative_shape_is_refused(model_bytes: ModelBytes) -> None:
    with pytest.raises(GraphError, match="negative size"):
        filled(model_bytes, [2, -1], None)
