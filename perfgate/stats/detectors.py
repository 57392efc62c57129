"""Simple detectors over one series of values, behind one interface; the newest value is the last.

Their false alarms are part of their description: `measure_false_alarms` counts them; the figures below are
those of 4,000 unchanged series of 100 values. None of them controls the error over a suite: they watch, they
do not gate.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from perfgate.stats.laws import binomial_cdf, normal_tail, t_tail

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

MIN_HISTORY = 5
MAD_TO_SIGMA = 1.4826  # 1 / quantile .75 of the normal law


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What a detector says of the newest value.

    `p` under an unchanged series, `effect` in the detector's own unit, and a sentence.
    """

    p: float
    effect: float
    text: str
    is_alarm: bool


class Detector(Protocol):
    """Judges the newest value of a series against the values before it."""

    @property
    def name(self) -> str:
        """How reports call it."""

    def judge(self, series: npt.ArrayLike) -> Judgement:
        """Judge the last value of the series."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SigmaDetector:
    """Above mean + k standard deviations of the history.

    False alarms at k = 3: .2 % on normal noise, 1.3 % on log-normal noise (sigma .5). On skewed data neither
    sigma nor MAD is a promise; a rank among the history is.
    """

    k: float = 3.0
    name: str = "mean + k sigma"

    def judge(self, series: npt.ArrayLike) -> Judgement:
        """Judge the last value of the series."""
        history, newest = _split(series)
        mean, sigma = float(history.mean()), float(history.std(ddof=1))
        threshold = mean + self.k * sigma
        effect = _standardised(newest - mean, sigma)
        p = float(t_tail(effect / math.sqrt(1 + 1 / history.size), history.size - 1))
        return _judgement(p, effect, newest, threshold, newest > threshold)


@dataclass(frozen=True, slots=True, kw_only=True)
class MadDetector:
    """Above median + k scaled median absolute deviations of the history.

    One old outlier does not hide a new one. False alarms at k = 3: .3 % on normal noise, 4 % on log-normal
    noise.
    """

    k: float = 3.0
    name: str = "median + k MAD"

    def judge(self, series: npt.ArrayLike) -> Judgement:
        """Judge the last value of the series."""
        history, newest = _split(series)
        centre = float(np.median(history))
        spread = MAD_TO_SIGMA * float(np.median(np.abs(history - centre)))
        threshold = centre + self.k * spread
        effect = _standardised(newest - centre, spread)
        return _judgement(float(normal_tail(effect)), effect, newest, threshold, newest > threshold)


@dataclass(frozen=True, slots=True, kw_only=True)
class LowPercentileDetector:
    """Throughput below the q-th percentile of the history; alarms on q of unchanged values by definition.

    False alarms at q = .10: 11 % on normal and on log-normal noise.
    """

    quantile: float = 0.10
    name: str = "below P10"

    def judge(self, series: npt.ArrayLike) -> Judgement:
        """Judge the last value of the series; p is its rank among all values."""
        history, newest = _split(series)
        threshold = float(np.quantile(history, self.quantile))
        p = float((history <= newest).sum() + 1) / (history.size + 1)
        effect = newest / threshold - 1 if threshold else 0.0
        is_alarm = newest < threshold
        word = "below" if is_alarm else "not below"
        text = (
            f"{newest:.4g} is {word} {threshold:.4g}, the P{100 * self.quantile:g} of {history.size} values"
        )
        return Judgement(p=p, effect=effect, text=text, is_alarm=is_alarm)


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorRateDetector:
    """More errors in the newest window than the binomial law of the usual rate allows.

    The series holds error counts per window of `trials` requests. False alarms: .1 % at level .001 when
    errors are independent; bursts of related errors alarm more often.
    """

    trials: int
    level: float = 0.001
    name: str = "binomial error rate"

    def judge(self, series: npt.ArrayLike) -> Judgement:
        """Judge the last count of the series; the usual rate counts one more error than was seen."""
        history, newest = _split(series)
        rate = min((float(history.sum()) + 1) / (history.size * self.trials + 1), 1.0)
        p = 1.0 if newest <= 0 else 1.0 - float(binomial_cdf(newest - 1, self.trials, rate))
        usual = rate * self.trials
        is_alarm = p < self.level
        text = f"{newest:.0f} errors in {self.trials} requests, usual {usual:.2g} (p = {p:.2g})"
        return Judgement(p=p, effect=newest / usual - 1, text=text, is_alarm=is_alarm)


def measure_false_alarms(detector: Detector, series: Iterable[npt.ArrayLike]) -> tuple[int, int]:
    """Alarms and judgements over unchanged series, for the rate of a detector."""
    alarms = judged = 0
    for values in series:
        judged += 1
        alarms += detector.judge(values).is_alarm
    return alarms, judged


def _split(series: npt.ArrayLike) -> tuple[npt.NDArray[np.float64], float]:
    values = np.asarray(series, float)
    if values.size <= MIN_HISTORY or not bool(np.isfinite(values).all()):
        raise ValueError("a detector needs six finite values at the least")
    return values[:-1], float(values[-1])


def _standardised(distance: float, spread: float) -> float:
    """Distance in spreads; a constant history makes every difference infinite and none zero."""
    if spread > 0:
        return distance / spread
    return math.copysign(math.inf, distance) if distance else 0.0


def _judgement(p: float, effect: float, newest: float, threshold: float, is_alarm: bool) -> Judgement:  # noqa: FBT001 - the one call form
    word = "above" if is_alarm else "not above"
    text = f"{newest:.4g} is {word} {threshold:.4g} ({effect:+.1f} spreads from the centre)"
    return Judgement(p=p, effect=effect, text=text, is_alarm=is_alarm)
