"""What the suite's tests are given.

That is one case per sampled metric of a benchmark, and the rule for all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.core.metric import Direction
from perfgate.gate.thresholds import UNREPLICATED_EFFECT, Location, Suspicion
from perfgate.stats.bootstrap import RESAMPLES
from perfgate.stats.run_samples import Statistic

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from perfgate.core.metric import Metric
    from perfgate.gate.thresholds import MetricPolicy

    Run = npt.NDArray[np.float64]

LOCATIONS = {Location.P25: 0.25, Location.MEDIAN: 0.5}


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledCase:
    """One gated sampled metric of one benchmark: positive finite samples per run, at least five in each.

    `fresh` are candidate runs that were taken because something was suspect. `resolution` is the step of the
    clock in the metric's unit, 0 when unknown.
    """

    key: str
    metric: Metric
    policy: MetricPolicy
    baseline: tuple[Run, ...]
    candidate: tuple[Run, ...]
    fresh: tuple[Run, ...] = ()
    resolution: float = 0.0

    @property
    def sign(self) -> int:
        """+1 when lower is better: tests work on `sign * log(value)`."""
        return 1 if (self.policy.direction or self.metric.direction) is Direction.LOWER else -1

    @property
    def tail_quantile(self) -> float | None:
        """The percentile in cost space (P10 of a throughput is P90 of its cost); None for a location."""
        quantile = self.metric.quantile
        return quantile if quantile is None or self.sign > 0 else 1 - quantile

    @property
    def statistic(self) -> Statistic:
        """What stands for a run, in cost space."""
        if self.tail_quantile is not None:
            return Statistic(self.tail_quantile, is_interpolated=False)
        return Statistic(LOCATIONS[self.policy.location])

    @property
    def effect(self) -> float:
        """The change below which nothing is called; 3 % at the least with one baseline run."""
        effect = self.policy.effect(self.metric)
        return max(effect, UNREPLICATED_EFFECT) if len(self.baseline) == 1 else effect


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteRule:
    """What holds for the suite as a whole; `confirms_improvements`: fresh runs are spent on them too."""

    alpha: float = 0.05
    suspect: Suspicion = Suspicion.BOTH
    max_runs: int = 9
    fresh_allowed: bool = False
    confirms_improvements: bool = False
    is_interleaved: bool = False
    uses_permutation: bool = False
    seed: int = 0
    resamples: int = RESAMPLES
