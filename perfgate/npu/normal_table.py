"""Standard normal numbers from raw 64-bit words by linear interpolation in a shipped integer table.

The table holds the inverse normal distribution at j / 4096, j = 0 to 4096, times 2^24. Its ends are finite
and give the last interval the mean it has under the normal distribution, so values stay within 4 standard
deviations. No library function is called, so the numbers are the same bits on every platform.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from perfgate.npu.columns import Floats

KNOTS_FILE = Path(__file__).parent / "normal_knots.txt"
KNOT_SCALE = 1 << 24
_INDEX_SHIFT = np.uint16(4)  # the upper 12 of 64 bits choose the interval
_FRACTION_MASK = np.uint64(0x000F_FFFF_FFF0_0000)  # the next 32 bits the place in it
_ONE = np.uint64(0x3FF0_0000_0000_0000)  # exponent bits that make a double of 1 up to 2 out of them


@cache
def normal_knots() -> NDArray[np.int64]:
    """The 4,097 knots as whole numbers."""
    return np.array(KNOTS_FILE.read_text(encoding="ascii").split(), dtype=np.int64)


def normal_values(words: NDArray[np.uint64], spare: Floats | None = None) -> Floats:
    """One standard normal number per word, in the words' shape; the words' own memory holds the result.

    `spare` is an array of the same shape to work in. New arrays of this size cost as much as the arithmetic,
    and so do whole-number shifts and casts: the fraction is made by writing its bits into a double.
    """
    knots = normal_knots()
    lower = knots[:-1] / KNOT_SCALE
    step = (knots[1:] - knots[:-1]) / KNOT_SCALE
    index = words.astype("<u8", copy=False).view("<u2")[..., 3::4] >> _INDEX_SHIFT
    words &= _FRACTION_MASK
    words |= _ONE
    values: Floats = words.view(np.float64)
    values -= 1.0
    # "clip" looks up without a copy of the index; it has 12 bits, so nothing is clipped.
    values *= np.take(step, index, out=spare, mode="clip")
    values += np.take(lower, index, out=spare, mode="clip")
    return values
