"""Outputs of two runs of a model: largest absolute difference and cosine, against what a precision explains.

One rounding is off by half a unit in the last place; ROUNDINGS of them adding up straight are allowed, as a
share of the output's largest value. That is a check against broken outputs, not a bound on their quality.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from perfgate.core.validation import OutputCheck, OutputDifference

if TYPE_CHECKING:
    from collections.abc import Mapping

ROUNDINGS = 20
# Half a unit in the last place: 2^-(significand bits), and half a step of 254 for symmetric int8.
UNITS = {"fp32": 2.0**-24, "fp16": 2.0**-11, "bf16": 2.0**-8, "int8": 1.0 / 254.0}
LEAST = 1e-4  # sums in another order: sqrt(10^6) terms of fp32 are off by 6e-5
COSINE_SHARE = 0.1  # of the tolerance: .999 at fp16, .992 at int8, what deployment checks commonly ask
PRECISIONS = tuple(UNITS)


def relative_tolerance(precision: str) -> float:
    """Largest allowed difference as a share of the output's largest value."""
    return max(ROUNDINGS * UNITS[precision], LEAST)


def compare_outputs(reference: Mapping[str, Any], found: Mapping[str, Any], precision: str) -> OutputCheck:
    """Every output of the reference; one that is missing, or of another shape, is broken."""
    return OutputCheck(
        precision=precision,
        outputs=tuple(_difference(name, reference[name], found.get(name), precision) for name in reference),
    )


def _difference(name: str, expected: Any, got: Any, precision: str) -> OutputDifference:  # noqa: ANN401 - numpy arrays
    import numpy as np  # noqa: PLC0415 - 100 ms, only where outputs are compared

    if got is None:
        return _broken(name, "it is missing")
    if got.shape != expected.shape:
        return _broken(name, f"it has the shape {list(got.shape)}, not {list(expected.shape)}")
    if not (np.issubdtype(expected.dtype, np.number) or expected.dtype == np.bool_):
        return _broken(name, f"it holds {expected.dtype}, which has no difference")
    is_whole = not np.issubdtype(expected.dtype, np.floating)
    left, right = expected.astype(np.float64).ravel(), got.astype(np.float64).ravel()
    finite = np.isfinite(left) & np.isfinite(right)
    if not np.array_equal(left[~finite], right[~finite], equal_nan=True):
        return _broken(name, "it has NaN or infinities where the other has not")
    left, right = left[finite], right[finite]
    largest = float(np.abs(left - right).max(initial=0.0))
    scale = float(np.abs(left).max(initial=0.0))
    tolerance = 0.0 if is_whole else relative_tolerance(precision) * scale
    least = 1.0 - COSINE_SHARE * relative_tolerance(precision)
    cosine = _cosine(left, right)
    return OutputDifference(
        name=name,
        largest=largest,
        cosine=cosine,
        tolerance=tolerance,
        least_cosine=least,
        is_equal=largest == 0.0,
        is_within=largest <= tolerance and (cosine is None or cosine >= least),
    )


def _cosine(left: Any, right: Any) -> float | None:  # noqa: ANN401 - numpy arrays
    """None where a side is all zeros: then only the difference says something."""
    import numpy as np  # noqa: PLC0415 - as above

    # Divided by the largest value first, so that no square overflows.
    scales = [float(np.abs(side).max(initial=0.0)) for side in (left, right)]
    if not all(scales):
        return None
    one, other = left / scales[0], right / scales[1]
    return float(one @ other / (np.linalg.norm(one) * np.linalg.norm(other)))


def _broken(name: str, reason: str) -> OutputDifference:
    return OutputDifference(
        name=name,
        largest=None,
        cosine=None,
        tolerance=0.0,
        least_cosine=1.0,
        is_equal=False,
        is_within=False,
        reason=reason,
    )
