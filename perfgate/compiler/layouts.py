"""What a storage layout means: sizes, strides, contiguous runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.device import Stride
from perfgate.graph.ir import ITEM_BYTES

if TYPE_CHECKING:
    from perfgate.compiler.workgraph import WorkValue
    from perfgate.core.device import Device

LOGICAL = "NCHW"  # the order a 4-D tensor has in the model
CHANNELS_LAST = "NHWC"
BLOCKED = "NC1HWC0"
MATRIX_LOGICAL = "ND"
MATRIX_BLOCKED = "NZ"
RANK = 4
IMAGE_LAYOUTS = (CHANNELS_LAST, LOGICAL, BLOCKED)
_MATRIX_RANK = 2
_FRACTAL_ROWS = 16  # rows of one fractal block


def has_layout(value: WorkValue) -> bool:
    """A 4-D data tensor whose spatial dims are not all 1; constants are converted when compiling."""
    shape = value.shape
    return len(shape) == RANK and not value.is_constant and (shape[2] != 1 or shape[3] != 1)


def rounded_up(size: int, multiple: int) -> int:
    """The next multiple."""
    return -(-size // multiple) * multiple


def strides_of(value: WorkValue) -> dict[Stride, int]:
    """The byte strides that route conditions look at."""
    item = ITEM_BYTES[value.dtype]
    shape = value.shape
    if len(shape) == RANK:
        return {
            Stride.PIXEL: shape[1] * item,
            Stride.CHANNEL: shape[2] * shape[3] * item,
            Stride.ROW: shape[3] * item,
        }
    return {Stride.ROW: shape[-1] * item if shape else item}


def stored_bytes(value: WorkValue, layout: str, device: Device) -> int:
    """Bytes of the value as stored: blocked layouts pad C to C0, fractal matrices pad rows and columns."""
    item = ITEM_BYTES[value.dtype]
    shape = value.shape
    if layout == BLOCKED and len(shape) == RANK:
        block = device.block_elements(item)
        return shape[0] * rounded_up(shape[1], block) * shape[2] * shape[3] * item
    if layout == MATRIX_BLOCKED and len(shape) >= _MATRIX_RANK:
        rows, columns = (
            rounded_up(shape[-2], _FRACTAL_ROWS),
            rounded_up(shape[-1], device.block_elements(item)),
        )
        count = 1
        for size in shape[:-2]:
            count *= size
        return count * rows * columns * item
    return value.size


def padded_form_bytes(value: WorkValue, block: int) -> int:
    """Bytes with every channel padded to whole DMA blocks: what an unaligned conversion goes through."""
    strides = strides_of(value)
    stride = strides.get(Stride.CHANNEL, strides[Stride.ROW])
    return value.size // stride * rounded_up(stride, block) if stride else 0
