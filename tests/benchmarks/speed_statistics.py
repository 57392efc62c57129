"""Speed of the statistics, CPU time of one thread after imports, beside scipy's own loops as a ratio.

    python -m tests.benchmarks.speed_statistics

Budgets of STATISTICS section 16: 1,000 comparisons of 30 v 30 samples (A + B + Holm) under 50 ms; 9,999
resamples of 1,000 comparisons under 500 ms. Exit 1 when a budget is broken.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats as oracle

from perfgate.stats.bootstrap import bootstrap_rows
from perfgate.stats.holm import holm
from perfgate.stats.mann_whitney import mann_whitney
from perfgate.stats.moderated_t import RunTest, fit_prior, moderate, two_sample_error
from perfgate.stats.order_draws import sample_draws
from perfgate.stats.rank_laws import untied_tail

if TYPE_CHECKING:
    from collections.abc import Callable

COMPARISONS, SAMPLES, RUNS, CANDIDATE_RUNS, RESAMPLES = 1_000, 30, 5, 3, 9_999
SCIPY_ROWS = 50  # rows of scipy's bootstrap that are timed; the rest is multiplied
REPEATS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Speed:
    """CPU milliseconds of ours (the least of some repeats, caches cold), of scipy's loop, and the budget."""

    name: str
    ours_ms: float
    scipy_ms: float
    budget_ms: float

    def line(self) -> str:
        """One row for people."""
        return (
            f"{self.name:40} {self.ours_ms:8.1f} ms  budget {self.budget_ms:.0f} ms  "
            f"scipy {self.scipy_ms:9.0f} ms  ratio {self.scipy_ms / self.ours_ms:6.0f}"
        )


def measure_tests() -> Speed:
    """Tests A and B with Holm, 30 v 30 samples in 5 v 3 runs' locations, tables not yet made."""
    random = np.random.default_rng(1)
    x, y = (random.lognormal(0, 0.05, (COMPARISONS, SAMPLES)) for _ in range(2))
    before, after = (
        random.normal(0, 0.01, (COMPARISONS, RUNS)),
        random.normal(0, 0.01, (COMPARISONS, CANDIDATE_RUNS)),
    )

    def ours() -> None:
        untied_tail.cache_clear()
        df = np.full(COMPARISONS, RUNS + CANDIDATE_RUNS - 2.0)
        prior = fit_prior(before.var(axis=1, ddof=1), np.full(COMPARISONS, RUNS - 1.0))
        squares = before.var(axis=1) * RUNS + after.var(axis=1) * CANDIDATE_RUNS
        variance = moderate(squares / df, df, prior)
        test = RunTest(
            difference=after.mean(axis=1) - before.mean(axis=1),
            error=two_sample_error(variance, RUNS, CANDIDATE_RUNS),
            df=prior.df + df,
            variance=variance,
        )
        holm(test.worse())
        holm(mann_whitney(x * 1.01, y).p)

    def scipys() -> None:
        for row in range(COMPARISONS):
            oracle.mannwhitneyu(y[row], x[row] * 1.01, alternative="greater", method="exact")
            oracle.ttest_ind(after[row], before[row], alternative="greater")

    return Speed(
        name=f"A + B + Holm, {COMPARISONS:,} x {SAMPLES} v {SAMPLES}",
        ours_ms=_cpu_ms(ours, REPEATS),
        scipy_ms=_cpu_ms(scipys, 1),
        budget_ms=50,
    )


def measure_bootstrap() -> Speed:
    """Percentile and BCa intervals, draws not yet made."""
    random = np.random.default_rng(2)
    x, y = (random.lognormal(0, 0.05, (COMPARISONS, SAMPLES)) for _ in range(2))

    def ours() -> None:
        sample_draws.cache_clear()
        bootstrap_rows(x, y, resamples=RESAMPLES)

    def log_ratio(before: np.ndarray, now: np.ndarray, axis: int) -> np.ndarray:
        return np.asarray(np.log(np.median(now, axis=axis) / np.median(before, axis=axis)))

    def scipys() -> None:
        for row in range(SCIPY_ROWS):
            oracle.bootstrap(
                (x[row], y[row]), log_ratio, n_resamples=RESAMPLES, method="percentile", vectorized=True
            )

    return Speed(
        name=f"bootstrap, {COMPARISONS:,} x {RESAMPLES:,} resamples",
        ours_ms=_cpu_ms(ours, REPEATS),
        scipy_ms=_cpu_ms(scipys, 1) * COMPARISONS / SCIPY_ROWS,
        budget_ms=500,
    )


def _cpu_ms(action: Callable[[], None], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = time.thread_time()
        action()
        times.append(time.thread_time() - start)
    return 1000 * min(times)


def main() -> int:
    """Print both rows; 1 when a budget is broken."""
    speeds = (measure_tests(), measure_bootstrap())
    for speed in speeds:
        sys.stdout.write(f"{speed.line()}\n")
    return 1 if any(speed.ours_ms > speed.budget_ms for speed in speeds) else 0


if __name__ == "__main__":
    sys.exit(main())
