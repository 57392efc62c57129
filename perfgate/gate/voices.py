"""Tests A and B for every case of a metric, in both directions, without any decision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from perfgate.stats.drift import drift_factor
from perfgate.stats.laws import t_quantile
from perfgate.stats.mann_whitney import mann_whitney, smallest_p
from perfgate.stats.moderated_t import (
    RunTest,
    moderate,
    pair_test,
    row_means,
    sums_of_squares,
    two_sample_error,
)
from perfgate.stats.permutation import is_possible, max_t
from perfgate.stats.power import EQUIVALENCE_LEVEL
from perfgate.stats.run_samples import LOG_DIGITS
from perfgate.stats.tail import MIN_TAIL, smallest_tail_p, tail_size, tail_test

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from perfgate.gate.ground import Ground, Side
    from perfgate.gate.sampled_case import SuiteRule

    Floats = npt.NDArray[np.float64]
    Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class OneSided:
    """The two p-values before Holm.

    `is_apart` says whether every run of the worse side lies above every run of the other.
    """

    p_runs: Floats
    p_samples: Floats
    is_apart: Flags


@dataclass(frozen=True, slots=True, kw_only=True)
class Voices:
    """What tests A and B say, one entry per case; logs of costs, positive is worse.

    `half_width` is the distance from the difference to a one-sided 95 % bound, `least_p` the smallest p-value
    that B could reach with these counts (1 where it has too few tail values), `is_constant` says that all
    values of both sides are the same.
    """

    difference: Floats
    error: Floats
    half_width: Floats
    df: Floats
    variance: Floats
    least_p: Floats
    is_constant: Flags
    worse: OneSided
    better: OneSided


def hear(ground: Ground, candidate: Side, rule: SuiteRule) -> Voices:
    """Both tests of every case against this candidate side."""
    baseline = ground.baseline
    test = _run_test(ground, candidate, rule)
    testable = baseline.runs > 1
    p_worse, p_better = (np.where(testable, p, 1.0) for p in (test.worse(), test.better()))
    b_worse, b_better, least_p = _sample_tests(ground, candidate)
    apart_worse, apart_better = _apart(baseline, candidate, rule)
    return Voices(
        difference=test.difference,
        error=test.error,
        half_width=t_quantile(EQUIVALENCE_LEVEL, test.df) * test.error,
        df=test.df,
        variance=test.variance,
        least_p=least_p,
        is_constant=_is_constant(baseline, candidate),
        worse=OneSided(p_runs=p_worse, p_samples=b_worse, is_apart=apart_worse),
        better=OneSided(p_runs=p_better, p_samples=b_better, is_apart=apart_better),
    )


def _run_test(ground: Ground, candidate: Side, rule: SuiteRule) -> RunTest:
    before, after = ground.baseline.locations, candidate.locations
    runs, new_runs = ground.baseline.runs, candidate.runs
    if rule.is_interleaved:
        return pair_test(after - before, ground.prior, ground.floors)
    df = (runs + new_runs - 2).astype(float)
    squares = sums_of_squares(before) + sums_of_squares(after)
    own = np.maximum(squares / np.maximum(df, 1.0), ground.floors)
    variance = moderate(own, df, ground.prior)
    factor = drift_factor(ground.drift.walk, runs, new_runs)
    return RunTest(
        difference=row_means(after) - row_means(before),
        error=two_sample_error(variance * factor, runs, new_runs),
        # One run on each side and no prior: the p-value is discarded, but the t law wants a positive number.
        df=np.maximum(ground.prior.df + df, 1.0),
        variance=variance,
    )


def _sample_tests(ground: Ground, candidate: Side) -> tuple[Floats, Floats, Floats]:
    """Test B both ways; cases with equal counts are computed together, each by its own law."""
    before, after = ground.baseline, candidate
    flat_before = before.samples.log_costs(before.shifts)
    flat_after = after.samples.log_costs(after.shifts)
    margins = np.log1p([case.effect for case in ground.cases])
    size = len(ground.cases)
    worse, better, least = np.ones(size), np.ones(size), np.ones(size)
    for (n, m, quantile), places in _by_shape(ground, before, after).items():
        x = before.samples.pooled(flat_before, places)
        y = after.samples.pooled(flat_after, places)
        margin = margins[places, None]
        least[places] = _least_p(n, m, quantile)
        worse[places] = _p_values(np.round(x + margin, LOG_DIGITS), y, quantile)
        better[places] = _p_values(np.round(y + margin, LOG_DIGITS), x, quantile)
    return worse, better, least


def _by_shape(
    ground: Ground, before: Side, after: Side
) -> dict[tuple[int, int, float | None], npt.NDArray[np.intp]]:
    shapes: dict[tuple[int, int, float | None], list[int]] = {}
    sizes = zip(before.samples.case_sizes.tolist(), after.samples.case_sizes.tolist(), strict=True)
    for place, (case, (n, m)) in enumerate(zip(ground.cases, sizes, strict=True)):
        shapes.setdefault((n, m, case.tail_quantile), []).append(place)
    return {shape: np.array(places, np.intp) for shape, places in shapes.items()}


def _p_values(x: Floats, y: Floats, quantile: float | None) -> Floats:
    return mann_whitney(x, y).p if quantile is None else tail_test(x, y, quantile).p


def _least_p(n: int, m: int, quantile: float | None) -> float:
    if quantile is None:
        return smallest_p(n, m)
    if tail_size(n + m, quantile) < MIN_TAIL:
        return 1.0
    return max(smallest_tail_p(n, m, quantile), smallest_tail_p(m, n, quantile))


def _is_constant(baseline: Side, candidate: Side) -> Flags:
    least_before, most_before = baseline.samples.extremes()
    least_after, most_after = candidate.samples.extremes()
    flags: Flags = np.minimum(least_before, least_after) == np.maximum(most_before, most_after)
    return flags


def _apart(baseline: Side, candidate: Side, rule: SuiteRule) -> tuple[Flags, Flags]:
    before, after = baseline.locations, candidate.locations
    if rule.is_interleaved:
        differences = after - before
        return np.nanmin(differences, axis=1) > 0, np.nanmax(differences, axis=1) < 0
    worse: Flags = np.nanmin(after, axis=1) > np.nanmax(before, axis=1)
    better: Flags = np.nanmax(after, axis=1) < np.nanmin(before, axis=1)
    return worse, better


def join_voices(parts: Sequence[Voices]) -> Voices:
    """The cases of several metrics one after another."""

    def both(name: str) -> OneSided:
        sides: list[OneSided] = [getattr(part, name) for part in parts]
        return OneSided(
            p_runs=np.concatenate([side.p_runs for side in sides]),
            p_samples=np.concatenate([side.p_samples for side in sides]),
            is_apart=np.concatenate([side.is_apart for side in sides]),
        )

    return Voices(
        difference=np.concatenate([part.difference for part in parts]),
        error=np.concatenate([part.error for part in parts]),
        half_width=np.concatenate([part.half_width for part in parts]),
        df=np.concatenate([part.df for part in parts]),
        variance=np.concatenate([part.variance for part in parts]),
        least_p=np.concatenate([part.least_p for part in parts]),
        is_constant=np.concatenate([part.is_constant for part in parts]),
        worse=both("worse"),
        better=both("better"),
    )


def permute(
    grounds: Sequence[Ground], sides: Sequence[Side], rule: SuiteRule
) -> tuple[Floats, Floats] | None:
    """Max-T p-values of the suite, worse and better; None where not asked for or not possible.

    All cases need the same numbers of runs, because one relabelling holds for the whole suite.
    """
    if not rule.uses_permutation or rule.is_interleaved:
        return None
    shapes = {
        shape
        for ground, side in zip(grounds, sides, strict=True)
        for shape in zip(ground.baseline.runs.tolist(), side.runs.tolist(), strict=True)
    }
    if len(shapes) != 1 or not is_possible(*shapes.pop()):
        return None
    before = np.concatenate([ground.baseline.locations for ground in grounds])
    after = np.concatenate([side.locations for side in sides])
    return max_t(before, after, seed=rule.seed), max_t(-before, -after, seed=rule.seed)
