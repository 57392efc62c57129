"""Holm's step-down correction: error control over the whole suite."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt


def holm(p_values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Adjusted p-values, monotone and capped at 1; reject where they are <= alpha (Holm 1979).

    .01 .02 .03 .2 become .04 .06 .06 .2. Holds under any dependence between the comparisons.

    Raises:
        ValueError: a p-value is NaN or outside [0, 1], which is a bug of the caller.
    """
    p = np.asarray(p_values, float)
    if not bool(np.all((p >= 0) & (p <= 1))):
        raise ValueError("p-values must lie in [0, 1]")
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted
