from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from perfgate.graph import GraphError, ProblemCode, load
from perfgate.graph.ir import ITEM_BYTES
from perfgate.graph.problems import Refusal
from perfgate.graph.protobuf import ELEMENT_TYPES, attribute_value, weight_tensor

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.graph.conftest import ModelBytes


Value: TypeAlias = Any  # an attribute
NUMPY = "float32 float16 float64 int64 int32 int8 uint8 bool uint64 uint16 int16 uint32 complex64 complex128"


@pytest.mark.parametrize("dtype", NUMPY.split())
@pytest.mark.parametrize("is_raw", [True, False])
def test_values_agree_with_the_onnx_reader(dtype: str, *, is_raw: bool) -> None:
    array = np.array([[0, 1], [1, 0], [1, 1]]).astype(dtype)
    proto = numpy_helper.from_array(array, "w")
    if not is_raw:
        proto = helper.make_tensor("w", proto.data_type, array.shape, array.ravel().tolist())
    tensor = weight_tensor(proto, "w", None)
    assert tensor.dtype == dtype
    assert tensor.value is not None
    assert tensor.value.dtype == array.dtype
    np.testing.assert_array_equal(tensor.value, numpy_helper.to_array(proto))


@pytest.mark.parametrize("code", sorted(set(onnx.TensorProto.DataType.values()) - {0}))
def test_every_element_type_of_onnx_has_a_name_and_a_size(code: int) -> None:
    assert ITEM_BYTES[ELEMENT_TYPES[code]] > 0


def test_narrow_types_are_read_by_onnx() -> None:
    proto = helper.make_tensor("w", onnx.TensorProto.BFLOAT16, (2,), [0.5, 2.0])
    tensor = weight_tensor(proto, "w", None)
    assert (tensor.dtype, [float(item) for item in tensor.value]) == ("bfloat16", [0.5, 2.0])


def test_a_weight_without_bytes_is_shape_only() -> None:
    proto = onnx.TensorProto(name="w", dims=[2, 3], data_type=onnx.TensorProto.FLOAT)
    tensor = weight_tensor(proto, "w", None)
    assert (tensor.shape, tensor.value) == ((2, 3), None)


def test_an_empty_weight_has_its_value() -> None:
    proto = onnx.TensorProto(name="w", dims=[0, 3], data_type=onnx.TensorProto.INT64)
    assert weight_tensor(proto, "w", None).value.shape == (0, 3)


def test_a_wrong_number_of_bytes_is_broken(model_bytes: ModelBytes) -> None:
    model = onnx.ModelProto.FromString(
        model_bytes(
            [helper.make_node("Add", ["x", "w"], ["y"])],
            inputs={"x": (3,)},
            outputs=["y"],
            weights={"w": [1.0]},
        )
    )
    model.graph.initializer[0].dims[0] = 3
    with pytest.raises(GraphError) as caught:
        load(model.SerializeToString())
    assert caught.value.codes == (ProblemCode.BROKEN_MODEL,)
    assert "tensor 'w' holds another number of bytes" in str(caught.value)


def external(name: str, shape: list[int], location: str) -> onnx.TensorProto:
    proto = onnx.TensorProto(name=name, dims=shape, data_type=onnx.TensorProto.INT64)
    proto.data_location = onnx.TensorProto.EXTERNAL
    proto.external_data.add(key="location", value=location)
    proto.external_data.add(key="offset", value="8")
    return proto


def test_external_bytes_are_read_where_they_are_and_shape_only_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "weights.bin").write_bytes(np.array([9, 4, 5], np.int64).tobytes())
    proto = external("w", [2], "weights.bin")
    assert weight_tensor(proto, "w", tmp_path).value.tolist() == [4, 5]
    assert weight_tensor(proto, "w", tmp_path / "elsewhere").value is None
    assert weight_tensor(proto, "w", None).value is None


@pytest.mark.parametrize("offset", ["-4", "eight", "9" * 30])
def test_an_external_offset_that_is_no_number_is_broken(tmp_path: Path, offset: str) -> None:
    (tmp_path / "weights.bin").write_bytes(bytes(64))
    proto = external("w", [2], "weights.bin")
    proto.external_data[1].value = offset
    with pytest.raises(Refusal, match="external offset"):
        weight_tensor(proto, "w", tmp_path)


def test_a_wrong_number_of_strings_is_broken() -> None:
    proto = helper.make_tensor("w", onnx.TensorProto.STRING, [2], [b"a", b"b"])
    proto.dims[0] = 3
    with pytest.raises(Refusal, match="holds 2 strings"):
        weight_tensor(proto, "w", None)


def test_external_bytes_outside_the_folder_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret.bin").write_bytes(bytes(64))
    inside = tmp_path / "model"
    inside.mkdir()
    assert weight_tensor(external("w", [2], "../secret.bin"), "w", inside).value is None


def test_a_missing_value_names_the_external_file(model_bytes: ModelBytes) -> None:
    model = onnx.ModelProto.FromString(
        model_bytes([helper.make_node("Reshape", ["x", "target"], ["y"])], inputs={"x": (6,)}, outputs=["y"])
    )
    model.graph.initializer.append(external("target", [2], "big.data"))
    content = model.SerializeToString()
    with pytest.raises(GraphError) as caught:
        load(content)
    (problem,) = caught.value.problems
    assert problem.code is ProblemCode.MISSING_VALUE
    assert "shape-only initialiser, external file 'big.data'" in problem.what
    assert problem.remedy == "put the file 'big.data' beside the model, or give values: {target: [...]}"
    graph = load(content, values={"target": [2, 3]})
    assert graph.tensors["y"].shape == (2, 3)
    assert [(remark.code, remark.text) for remark in graph.remarks] == [
        ("shape-only", "1 weights of 'big.data' are shape-only: costs are the same, values are unknown")
    ]


@pytest.mark.parametrize(
    ("value", "expected"),
    [(3, 3), (0.5, 0.5), ("text", "text"), ([1, 2], (1, 2)), ([0.5], (0.5,)), (["a", "b"], ("a", "b"))],
)
def test_attributes_become_plain_values(value: Value, expected: Value) -> None:
    proto = helper.make_attribute("name", value)
    assert attribute_value(proto) == expected
    proto.ClearField("type")  # models of IR version 1 have no type tag
    assert attribute_value(proto) == expected
