"""What a comparison can and cannot show.

Equivalence, minimum detectable effect, runs that would settle it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from perfgate.stats.drift import drift_factor
from perfgate.stats.laws import normal_quantile, t_quantile
from perfgate.stats.moderated_t import two_sample_error

SEARCHED_RUNS = 20  # candidate runs that anybody would still take
SEARCHED_BASELINE_RUNS = 200
POWER = 0.90
LARGEST_LOG = 700.0  # e^709 is the largest float
EQUIVALENCE_LEVEL = 0.95  # each of the two one-sided tests at 5 %


@dataclass(frozen=True, slots=True, kw_only=True)
class Precision:
    """One comparison as the planning formulas see it: logs throughout.

    `family` is the number of comparisons that share the error, `walk` the drift's walk-to-white ratio.
    """

    difference: float
    variance: float
    prior_df: float
    runs: int
    new_runs: int
    walk: float = 0.0

    def error(self, runs: int, new_runs: int) -> float:
        """Standard error with other numbers of runs."""
        factor = float(drift_factor(self.walk, runs, new_runs))
        return float(two_sample_error(self.variance * factor, runs, new_runs))

    def half_width(self, runs: int, new_runs: int, level: float = EQUIVALENCE_LEVEL) -> float:
        """Distance from the difference to a one-sided confidence bound."""
        df = self.prior_df + runs + new_runs - 2
        return float(t_quantile(level, df)) * self.error(runs, new_runs) if df > 0 else math.inf


@dataclass(frozen=True, slots=True, kw_only=True)
class Margins:
    """Relative thresholds and the error control that a planned comparison has to meet."""

    min_effect: float
    equivalence: float
    alpha: float
    family: int


def is_equivalent(difference: float, half_width: float, equivalence: float) -> bool:
    """Two one-sided tests at 5 %: the whole 90 % interval lies within +-log(1 + equivalence)."""
    return abs(difference) + half_width < math.log1p(equivalence)


def detection_factor(alpha: float, family: int, power: float = POWER) -> float:
    """z_{1-alpha/m} + z_{power}: 4.572 for m = 100, 3.920 for m = 12 at alpha .05 and 90 % power."""
    return normal_quantile(1 - alpha / family) + normal_quantile(power)


def detectable_effect(error: float, alpha: float, family: int) -> float:
    """The relative change that a comparison with this standard error finds nine times in ten."""
    return math.expm1(min(detection_factor(alpha, family) * error, LARGEST_LOG))


def further_runs(precision: Precision, margins: Margins) -> tuple[int | None, int | None]:
    """Further candidate runs that would settle it, or else further baseline runs.

    Both are None when neither does.

    Settled means shown equivalent, or clearly more than the minimum effect. A plan from today's difference:
    the next runs move it.
    """
    for new_runs in range(precision.new_runs, SEARCHED_RUNS + 1):
        if _settles(precision, margins, precision.runs, new_runs):
            return new_runs - precision.new_runs, None
    for runs in range(precision.runs + 1, SEARCHED_BASELINE_RUNS + 1):
        if _settles(precision, margins, runs, max(SEARCHED_RUNS, precision.new_runs)):
            return None, runs - precision.runs
    return None, None


def _settles(precision: Precision, margins: Margins, runs: int, new_runs: int) -> bool:
    if is_equivalent(precision.difference, precision.half_width(runs, new_runs), margins.equivalence):
        return True
    z = normal_quantile(1 - margins.alpha / margins.family)
    excess = abs(precision.difference) - math.log1p(margins.min_effect)
    return z * precision.error(runs, new_runs) < excess
