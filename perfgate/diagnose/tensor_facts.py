"""What a stated tensor must be: bytes from elements and type, strides from shape and layout."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from perfgate.core.item_types import ITEM_BYTES

if TYPE_CHECKING:
    from perfgate.core.execution_profile import TensorRow

# The logical dimensions in the order in which each layout stores them, the slowest first.
_ORDERS = {"NCHW": (0, 1, 2, 3), "NHWC": (0, 2, 3, 1)}


def expected_bytes(tensor: TensorRow) -> int | None:
    """Elements times the bytes of one; None for a type that is not known."""
    item = ITEM_BYTES.get(tensor.dtype)
    return None if item is None else prod(tensor.shape) * item


def strides_in(layout: str, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Elements between neighbours along each logical dimension; () for a layout or rank that is not known."""
    order = _ORDERS.get(layout, ())
    if len(order) != len(shape):
        return ()
    strides, step = [0] * len(shape), 1
    for dimension in reversed(order):
        strides[dimension] = step
        step *= shape[dimension]
    return tuple(strides)


def stated_type(tensor: TensorRow) -> str:
    """The floating types that its bytes would fit: `float32` for four bytes per element."""
    elements = prod(tensor.shape)
    item = tensor.size // elements if elements and tensor.size % elements == 0 else 0
    fitting = [name for name, size in ITEM_BYTES.items() if size == item and name.startswith("float")]
    return fitting[0] if fitting else f"{tensor.size} bytes"


def stated_layout(tensor: TensorRow) -> str:
    """The layout that its strides fit, "" for none."""
    return next((name for name in _ORDERS if strides_in(name, tensor.shape) == tensor.strides), "")
