"""Protobuf messages to plain values, each message once: attribute access on them is what importing costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from perfgate.graph.ir import Tensor, TensorKind
from perfgate.graph.problems import ProblemCode, Refusal

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Message: TypeAlias = Any  # a protobuf message: onnx ships no types for mypy to see
Array: TypeAlias = Any  # numpy array or None
AttributeValue: TypeAlias = Any  # number, text, tuple, array or graph message

ELEMENT_TYPES: dict[int, str] = {  # TensorProto.DataType -> numpy's name
    1: "float32", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64", 8: "string",
    9: "bool", 10: "float16", 11: "float64", 12: "uint32", 13: "uint64", 14: "complex64", 15: "complex128",
    16: "bfloat16", 17: "float8_e4m3fn", 18: "float8_e4m3fnuz", 19: "float8_e5m2", 20: "float8_e5m2fnuz",
    21: "uint4", 22: "int4", 23: "float4_e2m1fn", 24: "float8_e8m0fnu", 25: "uint2", 26: "int2",
    27: "float6_e2m3fn",
    28: "float6_e3m2fn",
}  # fmt: skip
_TYPED_FIELD: dict[str, str] = {
    "float32": "float_data", "complex64": "float_data", "float64": "double_data", "complex128": "double_data",
    "int64": "int64_data", "uint64": "uint64_data", "uint32": "uint64_data",
    "int32": "int32_data", "int16": "int32_data", "int8": "int32_data", "uint16": "int32_data",
    "uint8": "int32_data", "bool": "int32_data", "float16": "int32_data",
}  # fmt: skip
EXTERNAL = 1  # TensorProto.DataLocation
MOST_EXTERNAL_BYTES = 1 << 20  # values that big are never looked at: the cost needs the shape only
MOST_OFFSET_DIGITS = 18  # what a file position can hold
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


def weight_tensor(
    proto: Message, name: str, folder: Path | None, absent: dict[str, str] | None = None
) -> Tensor:
    """A weight with its value where the bytes are at hand, else shape-only.

    `absent` takes the file of an external weight whose bytes were not read, by name.
    """
    dtype = ELEMENT_TYPES.get(proto.data_type) or element_type(proto.data_type, name)
    shape = tuple(proto.dims)
    if shape and min(shape) < 0:
        raise broken(f"tensor '{name}' has the negative size {min(shape)}")
    if proto.data_location == EXTERNAL:
        value = _external_value(proto, name, shape, dtype, folder)
        if value is None and absent is not None:
            absent[name] = external_location(proto)
    else:
        value = tensor_value(proto, name, shape, dtype)
    return Tensor(name, shape, dtype, TensorKind.WEIGHT, value)


def tensor_value(proto: Message, name: str, shape: tuple[int, ...], dtype: str) -> Array:
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


def _from_items(items: Message, dtype: str) -> Array:
    """Typed fields keep narrow types in wider ones, half floats as bits and complex numbers as pairs."""
    if dtype == "float16":
        return np.array(items, dtype=np.uint16).view(np.float16)
    array = np.array(items, dtype=_storage_type(dtype))
    return array.view(dtype) if dtype[0] == "c" else array.astype(dtype, copy=False)


def _storage_type(dtype: str) -> str:
    return {"complex64": "float32", "complex128": "float64", "bool": "int32"}.get(dtype, dtype)


def _exotic_value(proto: Message, name: str, raw: bytes, dtype: str) -> Array:
    if dtype == "string":
        items = np.array([bytes(item) for item in proto.string_data], dtype=object)
        if not items.size:
            return None
        try:
            return items.reshape(tuple(proto.dims))
        except ValueError as error:
            what = f"tensor '{name}' holds {items.size} strings, not as many as {list(proto.dims)} needs"
            raise broken(what) from error
    if not raw and not len(proto.int32_data):
        return None
    import onnx.numpy_helper  # noqa: PLC0415 - 120 ms, and only models with narrow types need it

    try:
        return onnx.numpy_helper.to_array(proto)
    except (TypeError, ValueError) as error:
        raise broken(f"tensor '{name}' holds bytes that are no {dtype}") from error


def _external_value(
    proto: Message, name: str, shape: tuple[int, ...], dtype: str, folder: Path | None
) -> Array:
    """Value from the external file where it is small, present and inside the model's folder, else None."""
    if folder is None or dtype not in NUMPY_TYPES:
        return None
    entries = {entry.key: entry.value for entry in proto.external_data}
    size = int(np.prod(shape, dtype=object)) * np.dtype(dtype).itemsize
    path = (folder / entries.get("location", "")).resolve()
    if size > MOST_EXTERNAL_BYTES or not path.is_relative_to(folder.resolve()) or not path.is_file():
        return None
    offset = entries.get("offset", "0")
    if not offset.isdecimal() or len(offset) > MOST_OFFSET_DIGITS:
        raise broken(f"tensor '{name}' has the external offset {offset!r}")
    with path.open("rb") as file:
        file.seek(int(offset))
        content = file.read(size)
    return np.frombuffer(content, dtype=dtype).reshape(shape) if len(content) == size else None


def external_location(proto: Message) -> str:
    """File that should hold the tensor's bytes, or an empty string."""
    return next((str(entry.value) for entry in proto.external_data if entry.key == "location"), "")


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace")


def attribute_array(proto: Message) -> Array:
    """A tensor attribute as a numpy array."""
    name = proto.name or "attribute"
    value = tensor_value(proto, name, tuple(proto.dims), element_type(proto.data_type, name))
    if value is None:
        raise broken(f"the tensor attribute '{name}' has no bytes")
    return value


def _untyped_value(proto: Message) -> AttributeValue:
    """Value of an attribute without a type tag (IR version 1): whichever field is set."""
    for field, kind in (("i", 2), ("f", 1), ("s", 3), ("t", 4), ("g", 5)):
        if proto.HasField(field):
            return READERS[kind](proto)
    for field, kind in (("ints", 7), ("floats", 6), ("strings", 8)):
        if len(getattr(proto, field)):
            return READERS[kind](proto)
    return ()


READERS: dict[int, Callable[[Message], AttributeValue]] = {  # AttributeProto.AttributeType -> reader
    0: _untyped_value,
    1: lambda proto: proto.f,
    2: lambda proto: proto.i,
    3: lambda proto: _text(proto.s),
    4: lambda proto: attribute_array(proto.t),
    5: lambda proto: proto.g,
    6: lambda proto: tuple(proto.floats),
    7: lambda proto: tuple(proto.ints),
    8: lambda proto: tuple([_text(item) for item in proto.strings]),
    9: lambda proto: tuple([attribute_array(item) for item in proto.tensors]),
    10: lambda proto: tuple(proto.graphs),
    **dict.fromkeys(range(11, 15), lambda proto: proto),  # sparse tensors and types stay messages
}


def attribute_value(proto: Message) -> AttributeValue:
    """Plain value of an AttributeProto; graphs, sparse tensors and types stay messages."""
    return READERS[proto.type](proto)
