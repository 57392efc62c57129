"""One metric over commits: values with intervals, and where the level changed."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.stats.detectors import MIN_HISTORY, SigmaDetector
from perfgate.stats.laws import t_quantile
from perfgate.stats.location import own_percentile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.core.metric import Metric
    from perfgate.core.record import Record

LEVEL = 0.975  # both bounds of a 95 % interval
ALARM = 0.001  # p of a value that leaves its level, each way
_DETECTOR = SigmaDetector()


@dataclass(frozen=True, slots=True)
class Value:
    """A metric of one record in its unit with its 95 % interval; both bounds equal it where none is known."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class LevelChange:
    """The place in the series from which on another level holds, and what was found there."""

    place: int
    text: str


def record_value(record: Record, metric: Metric) -> Value | None:
    """The exact value, or the mean of its runs with Student's interval over them; None: not there.

    A run lies at its median, for a percentile metric at its own percentile.
    """
    if not metric.is_sampled:
        exact = record.exact.get(metric.name)
        return None if exact is None else Value(exact, exact, exact)
    name = metric.name if metric.quantile is None else metric.name.partition("_")[2]
    runs = [_location(samples, metric) for run in record.runs if (samples := run.samples.get(name))]
    if not runs:
        return None
    mean = math.fsum(runs) / len(runs)
    if len(runs) == 1:
        return Value(mean, mean, mean)
    half = float(t_quantile(LEVEL, len(runs) - 1)) * statistics.stdev(runs) / math.sqrt(len(runs))
    return Value(mean, mean - half, mean + half)


def level_changes(values: Sequence[Value | None], metric: Metric) -> tuple[LevelChange, ...]:
    """Where the metric left the level that it had since the last change.

    An exact metric changes with every new value. A sampled one is judged up and down by the p of
    `stats.detectors.SigmaDetector`, which allows for few values, from six values of a level on. It watches,
    and gates nothing.
    """
    found = []
    start = 0
    known = [(place, value.value) for place, value in enumerate(values) if value is not None]
    for end in range(1, len(known)):
        level = [value for _, value in known[start : end + 1]]
        text = _exact_change(level) if not metric.is_sampled else _sampled_change(level)
        if text:
            found.append(LevelChange(known[end][0], text))
            start = end
    return tuple(found)


def _location(samples: Sequence[float], metric: Metric) -> float:
    if metric.quantile is None:
        return statistics.median(samples)
    return float(own_percentile(sorted(samples), metric.quantile)[0])


def _exact_change(level: Sequence[float]) -> str:
    return f"{level[-2]:.6g} -> {level[-1]:.6g}" if level[-1] != level[-2] else ""


def _sampled_change(level: Sequence[float]) -> str:
    if len(level) <= MIN_HISTORY:
        return ""
    for sign in (1, -1):
        judged = _DETECTOR.judge([sign * value for value in level])
        if judged.p < ALARM:
            word = "above" if sign > 0 else "below"
            return f"{level[-1]:.4g} is {word} the level of the {len(level) - 1} values before"
    return ""
