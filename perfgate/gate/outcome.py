"""The end of the decision for one comparison: a verdict, or what stands in its way (STATISTICS section 5)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from perfgate.core.verdict import Verdict
from perfgate.stats.bootstrap import MIN_RUNS, RatioBootstrap, bootstrap_ratio
from perfgate.stats.power import is_equivalent

if TYPE_CHECKING:
    from perfgate.gate.ground import Ground, Side
    from perfgate.gate.sampled_case import SampledCase, SuiteRule

MIN_PAIRS = 5  # STATISTICS section 5, interleaved mode


class Obstacle(StrEnum):
    """Why a suspicion did not become a verdict, or why nothing could be shown."""

    FEW_RUNS = "too few candidate runs"
    MODES = "its runs may have fallen into another mode by chance"
    RUNS = "the test over runs does not reject"
    SAMPLES = "the test over samples does not reject"
    OVERLAP = "some candidate runs lie among the baseline runs"
    TREND = "its baseline runs already trend this way"
    BOOTSTRAP = "the bootstrap interval reaches no change"
    COMMON_MODE = "it shows only with the common mode taken off"
    UNREPLICATED = "unreplicated baseline: one run cannot show how runs vary"
    FEW_PAIRS = "fewer than five interleaved pairs"
    FEW_SAMPLES = "too few samples for the test over samples to reach its level"
    RESOLUTION = "the clock is coarser than the smallest effect"
    IMPRECISE = "neither a change nor its absence is shown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """What the suite's tests say about one comparison; pairs are (worse, better), logs are of costs."""

    family: int
    difference: float
    error: float
    half_width: float
    df: float
    variance: float
    least_p: float
    is_constant: bool
    p_runs: tuple[float, float]
    p_samples: tuple[float, float]
    is_apart: tuple[bool, bool]
    is_suspect: tuple[bool, bool]
    by_runs: tuple[bool, bool]
    by_samples: tuple[bool, bool]
    needs: tuple[int, int]
    holds_unadjusted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Verdict of one comparison with its grounds.

    `direction` is 0 for worse and 1 for better where something is or looks changed, else None. `bootstrap` is
    present only where it had a voice.
    """

    verdict: Verdict
    situation: Situation
    obstacles: tuple[Obstacle, ...] = ()
    direction: int | None = None
    bootstrap: RatioBootstrap | None = None


def conclude(ground: Ground, side: Side, row: int, situation: Situation, rule: SuiteRule) -> Outcome:
    """The verdict of the case in this row; `side` is the candidate with all its runs."""
    case = ground.cases[row]
    if situation.is_constant:
        return Outcome(verdict=Verdict.UNCHANGED, situation=situation)
    impossible = _impossible(case, ground, row, situation, rule)
    if impossible is not None:
        direction = _suspected(situation)
        return Outcome(
            verdict=Verdict.INCONCLUSIVE, situation=situation, obstacles=(impossible,), direction=direction
        )
    halfway: Outcome | None = None
    for direction, verdict in ((0, Verdict.REGRESSED), (1, Verdict.IMPROVED)):
        if not situation.is_suspect[direction]:
            continue
        obstacles, voice = _obstacles(ground, side, row, (situation, direction), rule)
        if not obstacles:
            return Outcome(verdict=verdict, situation=situation, direction=direction, bootstrap=voice)
        if _still_speaks(situation, direction, obstacles):
            halfway = halfway or Outcome(
                verdict=Verdict.INCONCLUSIVE,
                situation=situation,
                obstacles=obstacles,
                direction=direction,
                bootstrap=voice,
            )
    if halfway is not None and not _is_negligible(case, situation, halfway.direction):
        return halfway
    if is_equivalent(situation.difference, situation.half_width, case.policy.equivalence):
        return Outcome(verdict=Verdict.UNCHANGED, situation=situation)
    return Outcome(verdict=Verdict.INCONCLUSIVE, situation=situation, obstacles=(Obstacle.IMPRECISE,))


def _suspected(situation: Situation) -> int | None:
    return next((direction for direction in (0, 1) if situation.is_suspect[direction]), None)


def _impossible(
    case: SampledCase, ground: Ground, row: int, situation: Situation, rule: SuiteRule
) -> Obstacle | None:
    """Why no verdict is possible whatever the samples say."""
    if case.resolution > 0 and case.resolution > case.effect * _value(ground, row):
        return Obstacle.RESOLUTION
    if rule.is_interleaved and len(case.baseline) < MIN_PAIRS:
        return Obstacle.FEW_PAIRS
    if len(case.baseline) == 1:
        return Obstacle.UNREPLICATED
    if situation.least_p > rule.alpha / situation.family:
        return Obstacle.FEW_SAMPLES
    return None


def _value(ground: Ground, row: int) -> float:
    """The baseline's location in the metric's unit."""
    return math.exp(ground.cases[row].sign * float(np.nanmedian(ground.baseline.raw[row])))


def _obstacles(
    ground: Ground, side: Side, row: int, heard: tuple[Situation, int], rule: SuiteRule
) -> tuple[tuple[Obstacle, ...], RatioBootstrap | None]:
    """What stands between a suspicion and its verdict; the bootstrap is asked only when nothing else does."""
    situation, direction = heard
    runs = int(side.runs[row])
    needed = situation.needs[direction]
    found = []
    if needed > rule.max_runs:
        found.append(Obstacle.MODES)
    elif runs < needed:
        found.append(Obstacle.FEW_RUNS)
    if not situation.by_runs[direction]:
        found.append(Obstacle.RUNS)
    if not situation.by_samples[direction]:
        found.append(Obstacle.SAMPLES)
    if not situation.is_apart[direction]:
        found.append(Obstacle.OVERLAP)
    if _is_foretold(ground, side, row, situation.difference, direction):
        found.append(Obstacle.TREND)
    if direction == 1 and not situation.holds_unadjusted:
        found.append(Obstacle.COMMON_MODE)
    if found:
        return tuple(found), None
    voice = veto_voice(ground, side, row, rule)
    if voice is not None and not _is_beyond(voice, direction):
        return (Obstacle.BOOTSTRAP,), voice
    return (), voice


def _is_foretold(ground: Ground, side: Side, row: int, difference: float, direction: int) -> bool:
    """A clear trend of the baseline's own runs, carried on, leaves less than the smallest effect.

    The centres of R baseline and C following runs lie (R + C) / 2 runs apart.
    """
    sign = 1 if direction == 0 else -1
    foretold = sign * float(ground.trends[row]) * (len(ground.cases[row].baseline) + int(side.runs[row])) / 2
    return foretold > 0 and sign * difference - foretold < math.log1p(ground.cases[row].effect)


def veto_voice(ground: Ground, side: Side, row: int, rule: SuiteRule) -> RatioBootstrap | None:
    """The bootstrap where it has a voice: over runs, for locations, and with the policy's consent."""
    case = ground.cases[row]
    replicated = min(len(case.baseline), int(side.runs[row])) >= MIN_RUNS
    if not case.policy.bootstrap_veto or case.tail_quantile is not None or not replicated:
        return None
    return resample(ground, side, row, rule)


def resample(ground: Ground, side: Side, row: int, rule: SuiteRule) -> RatioBootstrap:
    """Bootstrap of one case's costs with the common mode taken off."""
    before = [
        run * math.exp(-shift)
        for run, shift in zip(ground.baseline.samples.runs_of(row), ground.baseline.shifts[row], strict=False)
    ]
    after = [
        run * math.exp(-shift)
        for run, shift in zip(side.samples.runs_of(row), side.shifts[row], strict=False)
    ]
    return bootstrap_ratio(before, after, seed=rule.seed, resamples=rule.resamples)


def _is_beyond(voice: RatioBootstrap, direction: int) -> bool:
    return voice.percentile.low > 0 if direction == 0 else voice.percentile.high < 0


def _still_speaks(situation: Situation, direction: int, obstacles: tuple[Obstacle, ...]) -> bool:
    """With all runs, does a test still reject; or are runs outstanding."""
    rejects = situation.by_runs[direction] or situation.by_samples[direction]
    return rejects or Obstacle.FEW_RUNS in obstacles


def _is_negligible(case: SampledCase, situation: Situation, direction: int | None) -> bool:
    """Only the test over runs speaks, and for a change below the one that anything is called."""
    sure_of_samples = direction is not None and situation.by_samples[direction]
    return not sure_of_samples and abs(situation.difference) < math.log1p(case.effect)
