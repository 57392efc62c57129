"""Element types by numpy's name and how many bytes one element takes in memory."""

from __future__ import annotations

ITEM_BYTES: dict[str, int] = {
    "float64": 8, "float32": 4, "float16": 2, "bfloat16": 2,
    "int64": 8, "int32": 4, "int16": 2, "int8": 1, "uint64": 8, "uint32": 4, "uint16": 2, "uint8": 1,
    "bool": 1, "complex64": 8, "complex128": 16, "string": 8,
    "float8_e4m3fn": 1, "float8_e5m2": 1, "float8_e4m3fnuz": 1, "float8_e5m2fnuz": 1, "float8_e8m0fnu": 1,
    "int4": 1, "uint4": 1, "float4_e2m1fn": 1, "int2": 1, "uint2": 1,
    "float6_e2m3fn": 1, "float6_e3m2fn": 1,
}  # fmt: skip


def item_bytes(dtype: str) -> int:
    """Bytes of one element; 0 for a type that is not known."""
    return ITEM_BYTES.get(dtype, 0)
