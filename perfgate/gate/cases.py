"""Clean pairs of records as cases for the suite's tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from perfgate.core.machine import RESOLUTION, SIMULATED
from perfgate.gate.evidence import metric_samples
from perfgate.gate.sampled_case import SampledCase, SuiteRule
from perfgate.gate.thresholds import Method, Suspicion

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from perfgate.core.record import Run
    from perfgate.gate.decision import JudgeOptions
    from perfgate.gate.pairing import Pair, SampledPair
    from perfgate.gate.thresholds import SuitePolicy

    Samples = npt.NDArray[np.float64]


def sampled_cases(pairs: Iterable[Pair], policy: SuitePolicy) -> list[SampledCase]:
    """One case per clean sampled metric, in order of benchmarks."""
    return [_case(pair.key, item, policy) for pair in pairs for item in pair.sampled]


def suite_rule(pairs: Iterable[Pair], policy: SuitePolicy, options: JudgeOptions) -> SuiteRule:
    """The policy of the suite as a whole; where runs are free, one test is enough for a suspicion."""
    suite = policy.suite
    free = options.runs_are_free
    if free is None:
        free = all(pair.record.backend == SIMULATED for pair in pairs)
    default = Suspicion.EITHER if free else Suspicion.BOTH
    return SuiteRule(
        alpha=suite.alpha,
        suspect=default if suite.suspect is None else suite.suspect,
        max_runs=suite.max_runs,
        fresh_allowed=options.fresh_allowed,
        confirms_improvements=free or options.confirm_improvements,
        is_interleaved=options.is_interleaved,
        uses_permutation=suite.method == Method.PERMUTATION,
        seed=options.seed,
    )


def _case(key: str, pair: SampledPair, policy: SuitePolicy) -> SampledCase:
    metric = pair.metric

    def samples(runs: Iterable[Run]) -> tuple[Samples, ...]:
        return tuple(np.asarray(metric_samples(run, metric), float) for run in runs)

    candidate = pair.candidate.runs
    first = [run for run in candidate if not run.is_fresh] or list(candidate)
    fresh = [run for run in candidate if run.is_fresh] if len(first) < len(candidate) else []
    return SampledCase(
        key=key,
        metric=metric,
        policy=policy.for_metric(key, metric.name),
        baseline=samples(pair.baseline.runs),
        candidate=samples(first),
        fresh=samples(fresh),
        resolution=_resolution(pair.candidate.context.get(RESOLUTION, "")),
    )


def _resolution(text: str) -> float:
    """The clock's step, 0 when the record does not say one."""
    try:
        step = float(text)
    except ValueError:
        return 0.0
    return step if np.isfinite(step) and step > 0 else 0.0
