"""Protobuf messages to plain values, each message once: attribute access on them is what importing costs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from perfgate.graph.ir import Tensor, TensorKind
from perfgate.graph.problems import ProblemCode, Refusal

ELEMENT_TYPES: dict[int, str] = {  # TensorProto.DataType -> numpy's name
    1: "float32", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64", 8: "string",
    9: "bool", 10: "float16", 11: "float64", 12: "uint32", 13: "uint64", 14: "complex64", 15: "complex128",
    16: "bfloat16", 17: "float8_e4m3fn", 18: "float8_e4m3fnuz", 19: "float8_e5m2", 20: "float8_e5m2fnuz",
    21: "uint4", 22: "int4", 23: "float4_e2m1fn", 24: "float8_e8m0fnu", 25: "uint2", 26: "int2",
}  # fmt: skip
_TYPED_FIELD: dict[str, str] = {
    "float32": "float_data", "complex64": "float_data", "float64": "double_data", "complex128": "double_data",
    "int64": "int64_data", "uint64": "uint64_data", "uint32": "uint64_data",
    "int32": "int32_data", "int16": "int32_data", "int8": "int32_data", "uint16": "int32_data",
    "uint8": "int32_data", "bool": "int32_data", "float16": "int32_data",
}  # fmt: skip
EXTERNAL = 1  # TensorProto.DataLocation
MOST_EXTERNAL_BYTES = 1 << 20  # values that big are never looked at: the cost needs the shape only
NUMPY_TYPES = frozenset(_TYPED_FIELD)


def broken(what: str, remedy: str = "export the model again; nothing else is tried") -> Refusal:
    """The refusal for bytes that are no valid model."""
    return Refusal(ProblemCode.BROKEN_MODEL, what, remedy)


def element_type(code: int, owner: str) -> str:
    """Numpy's name of a TensorProto data type."""
    name = ELEMENT_TYPES.get(code)
    if name is None:
        raise broken(f"tensor '{owner}' has the unknown element type {code}")
    return name


def weight_tensor(proto: Any, name: str, folder: Path | None) -> Tensor:  # noqa: ANN401 - TensorProto has no types
    """A weight with its value where the bytes are at hand, else shape-only."""
    dtype = ELEMENT_TYPES.get(proto.data_type) or element_type(proto.data_type, name)
    shape = tuple(proto.dims)
    if shape and min(shape) < 0:
        raise broken(f"tensor '{name}' has the negative size {min(shape)}")
    if proto.data_location == EXTERNAL:
        value = _external_value(proto, shape, dtype, folder)
    else:
        value = tensor_value(proto, name, shape, dtype)
    return Tensor(name, shape, dtype, TensorKind.WEIGHT, value)


def tensor_value(proto: Any, name: str, shape: tuple[int, ...], dtype: str) -> Any:  # noqa: ANN401 - see above
    """The elements as a numpy array; None when the message holds none.

    Raises:
        Refusal: the number of bytes or elements does not fit the shape.
    """
    raw = proto.raw_data
    field = _TYPED_FIELD.get(dtype)
    if field is None:
        return _exotic_value(proto, name, raw, dtype)
    try:
        if raw:
            return np.frombuffer(raw, dtype=dtype).reshape(shape)
        items = getattr(proto, field)
        if not items:
            return np.empty(shape, dtype=dtype) if 0 in shape else None
        return _from_items(items, dtype).reshape(shape)
    except (ValueError, OverflowError) as error:
        raise broken(
            f"tensor '{name}' holds another number of bytes than {list(shape)} of {dtype} needs"
        ) from error


def _from_items(items: Any, dtype: str) -> Any:  # noqa: ANN401 - see above
    """Typed fields keep narrow types in wider ones, half floats as bits and complex numbers as pairs."""
    if dtype == "float16":
        return np.array(items, dtype=np.uint16).view(np.float16)
    array = np.array(items, dtype=_storage_type(dtype))
    return array.view(dtype) if dtype[0] == "c" else array.astype(dtype, copy=False)


def _storage_type(dtype: str) -> str:
    return {"complex64": "float32", "complex128": "float64", "bool": "int32"}.get(dtype, dtype)


def _exotic_value(proto: Any, name: str, raw: bytes, dtype: str) -> Any:  # noqa: ANN401 - see above
    if dtype == "string":
        items = np.array([bytes(item) for item in proto.string_data], dtype=object)
        return items.reshape(tuple(proto.dims)) if items.size else None
    if not raw and not len(proto.int32_data):
        return None
    import onnx.numpy_helper  # noqa: PLC0415 - 120 ms, and only models with narrow types need it

    try:
        return onnx.numpy_helper.to_array(proto)
    except (TypeError, ValueError) as error:
        raise broken(f"tensor '{name}' holds bytes that are no {dtype}") from error


def _external_value(proto: Any, shape: tuple[int, ...], dtype: str, folder: Path | None) -> Any:  # noqa: ANN401
    """Value from the external file where it is small, present and inside the model's folder, else None."""
    if folder is None or dtype not in NUMPY_TYPES:
        return None
    entries = {entry.key: entry.value for entry in proto.external_data}
    size = int(np.prod(shape, dtype=object)) * np.dtype(dtype).itemsize
    path = (folder / entries.get("location", "")).resolve()
    if size > MOST_EXTERNAL_BYTES or not path.is_relative_to(folder.resolve()) or not path.is_file():
        return None
    with path.open("rb") as file:
        file.seek(int(entries.get("offset", "0")))
        content = file.read(size)
    return np.frombuffer(content, dtype=dtype).reshape(shape) if len(content) == size else None


def external_location(proto: Any) -> str:  # noqa: ANN401 - see above
    """File that should hold the tensor's bytes, or an empty string."""
    if proto.data_location != EXTERNAL:
        return ""
    return next((str(entry.value) for entry in proto.external_data if entry.key == "location"), "")


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace")


def attribute_array(proto: Any) -> Any:  # noqa: ANN401 - see above
    """A tensor attribute as a numpy array."""
    name = proto.name or "attribute"
    value = tensor_value(proto, name, tuple(proto.dims), element_type(proto.data_type, name))
    if value is None:
        raise broken(f"the tensor attribute '{name}' has no bytes")
    return value


_FLOAT, _INT, _STRING, _TENSOR, _GRAPH, _FLOATS, _INTS, _STRINGS = 1, 2, 3, 4, 5, 6, 7, 8
_GRAPHS, _TENSORS = 10, 9


def attribute_value(proto: Any) -> Any:  # noqa: ANN401, PLR0911 - one return for each of the kinds
    """Plain value of an AttributeProto; graphs stay messages, sparse tensors and types too."""
    kind = proto.type
    if kind == _INT:
        return proto.i
    if kind == _INTS:
        return tuple(proto.ints)
    if kind == _FLOAT:
        return proto.f
    if kind == _STRING:
        return _text(proto.s)
    if kind == _TENSOR:
        return attribute_array(proto.t)
    if kind == _FLOATS:
        return tuple(proto.floats)
    if kind == _STRINGS:
        return tuple(_text(item) for item in proto.strings)
    if kind == _GRAPH:
        return proto.g
    if kind == _TENSORS:
        return tuple(attribute_array(item) for item in proto.tensors)
    if kind == _GRAPHS:
        return tuple(proto.graphs)
    return proto
