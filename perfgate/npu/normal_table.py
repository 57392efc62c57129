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
INTERVALS = 4096
_INDEX_SHIFT = np.uint64(52)  # the upper 12 bits choose the interval
_FRACTION_SHIFT = np.uint64(20)  # the next 32 bits the place in it
_FRACTION_MASK = np.uint64(0xFFFFFFFF)


@cache
def normal_knots() -> NDArray[np.int64]:
    """The 4,097 knots as whole numbers."""
    return np.array(KNOTS_FILE.read_text(encoding="ascii").split(), dtype=np.int64)


def normal_values(words: NDArray[np.uint64]) -> Floats:
    """One standard normal number per word, in the words' shape."""
    knots = normal_knots()
    lower = knots[:-1] / KNOT_SCALE
    step = (knots[1:] - knots[:-1]) / (KNOT_SCALE * (1 << 32))
    index = (words >> _INDEX_SHIFT).astype(np.intp)
    fraction = ((words >> _FRACTION_SHIFT) & _FRACTION_MASK).astype(np.float64)
    values: Floats = step[index]
    values *= fraction
    values += lower[index]
    return values
