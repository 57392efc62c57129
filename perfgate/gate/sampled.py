"""The suite's tests in stages: who is suspect, which fresh runs are wanted, and what is shown at the end.

STATISTICS section 5. Works on arrays of samples, so that records, simulations and recorded series share one
rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from perfgate.gate.decision import RunRequest
from perfgate.gate.ground import Ground, lay_ground, with_fresh_runs
from perfgate.gate.outcome import Outcome, Situation, conclude
from perfgate.gate.thresholds import Suspicion
from perfgate.gate.voices import Voices, hear, join_voices, permute
from perfgate.stats.holm import holm

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from perfgate.gate.ground import Side
    from perfgate.gate.sampled_case import SampledCase, SuiteRule

    Floats = npt.NDArray[np.float64]
    Flags = npt.NDArray[np.bool_]

CONTROLS = 16  # STATISTICS section 5, stage 2
# A suspicion costs fresh runs and never a verdict, so the first stage tests at twice the level: at +2 % that
# finds up to nine points more, while the last stage alone keeps the error.
SUSPICION_FACTOR = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejections:
    """Which cases tests A and B reject in one direction, with Holm over the suite."""

    by_runs: Flags
    by_samples: Flags

    @property
    def any(self) -> Flags:
        """At least one test rejects."""
        flags: Flags = self.by_runs | self.by_samples
        return flags

    @property
    def both(self) -> Flags:
        """Both tests reject."""
        flags: Flags = self.by_runs & self.by_samples
        return flags


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledDecision:
    """One outcome per case in the order given, where each case stands, and the fresh runs wanted.

    `places` are (metric, row) into `grounds` and `sides`.
    """

    outcomes: tuple[Outcome, ...] = ()
    places: tuple[tuple[int, int], ...] = ()
    wanted: tuple[RunRequest, ...] = ()
    grounds: tuple[Ground, ...] = ()
    sides: tuple[Side, ...] = ()
    is_permuted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Hearing:
    """Everything heard about a suite.

    That is the first stage, the end, suspects and final rejections per direction.
    """

    grounds: tuple[Ground, ...]
    sides: tuple[Side, ...]
    final: Voices
    suspects: tuple[Flags, Flags]
    rejections: tuple[Rejections, Rejections]
    needs: tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]
    is_permuted: bool


def judge_sampled(cases: Sequence[SampledCase], rule: SuiteRule) -> SampledDecision:
    """Decide all gated sampled comparisons of a suite at once."""
    if not cases:
        return SampledDecision()
    order = sorted(range(len(cases)), key=lambda place: cases[place].metric.name)
    arranged = [cases[place] for place in order]
    hearing = _hear_suite(arranged, rule, adjusted=True)
    holds = _holds_unadjusted(arranged, rule, hearing)
    stands = [
        (number, row) for number, ground in enumerate(hearing.grounds) for row in range(len(ground.cases))
    ]
    concluded = []
    for place, (number, row) in enumerate(stands):
        situation = _situation(hearing, place, len(cases), holds_unadjusted=bool(holds[place]))
        concluded.append(conclude(hearing.grounds[number], hearing.sides[number], row, situation, rule))
    back = sorted(range(len(cases)), key=order.__getitem__)
    return SampledDecision(
        outcomes=tuple(concluded[place] for place in back),
        places=tuple(stands[place] for place in back),
        # A fresh run has no partner, so interleaved suites are taken again as a whole.
        wanted=() if rule.is_interleaved or not rule.fresh_allowed else _requests(arranged, rule, hearing),
        grounds=hearing.grounds,
        sides=hearing.sides,
        is_permuted=hearing.is_permuted,
    )


def _hear_suite(arranged: Sequence[SampledCase], rule: SuiteRule, *, adjusted: bool) -> _Hearing:
    """Both stages for cases arranged by metric."""
    grounds = tuple(lay_ground(group, rule, adjusted=adjusted) for group in _by_metric(arranged))
    first_sides = tuple(ground.candidate for ground in grounds)
    first = join_voices([hear(ground, side, rule) for ground, side in zip(grounds, first_sides, strict=True)])
    permuted = permute(grounds, first_sides, rule)
    level = SUSPICION_FACTOR * rule.alpha
    rejected = [_reject(first, permuted, level, direction, None) for direction in (0, 1)]
    both = rule.suspect is Suspicion.BOTH
    slower, faster = (found.both if both else found.any for found in rejected)
    sides = _with_fresh(grounds, slower | faster, adjusted=adjusted)
    final = first
    if any(side is not early for side, early in zip(sides, first_sides, strict=True)):
        final = join_voices([hear(ground, side, rule) for ground, side in zip(grounds, sides, strict=True)])
        permuted = permute(grounds, sides, rule)
    return _Hearing(
        grounds=grounds,
        sides=sides,
        final=final,
        suspects=(slower, faster),
        rejections=(
            _reject(final, permuted, rule.alpha, 0, slower),
            _reject(final, permuted, rule.alpha, 1, faster),
        ),
        needs=(_needs(grounds, rule, slower=True), _needs(grounds, rule, slower=False)),
        is_permuted=permuted is not None,
    )


def _with_fresh(grounds: Sequence[Ground], suspects: Flags, *, adjusted: bool) -> tuple[Side, ...]:
    sides: list[Side] = []
    start = 0
    for ground in grounds:
        rows = slice(start, start + len(ground.cases))
        start += len(ground.cases)
        side = with_fresh_runs(ground, suspects[rows], adjusted=adjusted)
        sides.append(ground.candidate if side is None else side)
    return tuple(sides)


def _by_metric(arranged: Sequence[SampledCase]) -> list[list[SampledCase]]:
    groups: dict[str, list[SampledCase]] = {}
    for case in arranged:
        groups.setdefault(case.metric.name, []).append(case)
    return list(groups.values())


def _reject(
    voices: Voices,
    permuted: tuple[Floats, Floats] | None,
    alpha: float,
    direction: int,
    among: Flags | None,
) -> Rejections:
    """Holm over the whole suite; cases that were not suspect take part with p = 1.

    `permuted` p-values are adjusted over the suite already.
    """
    voice = voices.worse if direction == 0 else voices.better
    everyone = np.ones(voice.p_runs.size, bool) if among is None else among
    by_samples = holm(np.where(everyone, voice.p_samples, 1.0)) <= alpha
    if permuted is None:
        by_runs = holm(np.where(everyone, voice.p_runs, 1.0)) <= alpha
    else:
        by_runs = everyone & (permuted[direction] <= alpha)
    return Rejections(by_runs=by_runs, by_samples=by_samples)


def _needs(grounds: Sequence[Ground], rule: SuiteRule, *, slower: bool) -> npt.NDArray[np.intp]:
    return np.concatenate(
        [
            np.full(len(ground.cases), ground.needed_runs(rule.alpha, slower=slower), np.intp)
            for ground in grounds
        ]
    )


def _situation(hearing: _Hearing, place: int, family: int, *, holds_unadjusted: bool) -> Situation:
    final = hearing.final
    slower, faster = hearing.rejections
    return Situation(
        family=family,
        difference=float(final.difference[place]),
        error=float(final.error[place]),
        half_width=float(final.half_width[place]),
        df=float(final.df[place]),
        variance=float(final.variance[place]),
        least_p=float(final.least_p[place]),
        is_constant=bool(final.is_constant[place]),
        p_runs=(float(final.worse.p_runs[place]), float(final.better.p_runs[place])),
        p_samples=(float(final.worse.p_samples[place]), float(final.better.p_samples[place])),
        is_apart=(bool(final.worse.is_apart[place]), bool(final.better.is_apart[place])),
        is_suspect=(bool(hearing.suspects[0][place]), bool(hearing.suspects[1][place])),
        by_runs=(bool(slower.by_runs[place]), bool(faster.by_runs[place])),
        by_samples=(bool(slower.by_samples[place]), bool(faster.by_samples[place])),
        needs=(int(hearing.needs[0][place]), int(hearing.needs[1][place])),
        holds_unadjusted=holds_unadjusted,
    )


def _holds_unadjusted(arranged: Sequence[SampledCase], rule: SuiteRule, hearing: _Hearing) -> Flags:
    """Which improvements are found with the common mode left in as well.

    Computed only where one is found.
    """
    found = hearing.rejections[1].both
    if not found.any():
        return found
    raw = _hear_suite(arranged, rule, adjusted=False)
    flags: Flags = found & raw.rejections[1].both & raw.final.better.is_apart
    return flags


def _requests(arranged: Sequence[SampledCase], rule: SuiteRule, hearing: _Hearing) -> tuple[RunRequest, ...]:
    """Fresh runs for suspects that have too few, and for controls."""
    slower, faster = hearing.suspects
    missing: dict[str, int] = {}
    for place, case in enumerate(arranged):
        needs = [
            int(need[place])
            for flags, need, wanted in zip(
                (slower, faster), hearing.needs, (True, rule.confirms_improvements), strict=True
            )
            if wanted and flags[place] and need[place] <= rule.max_runs
        ]
        short = max(needs, default=0) - len(case.candidate) - len(case.fresh)
        if short > 0:
            missing[case.key] = max(missing.get(case.key, 0), short)
    if not missing:
        return ()
    suspicious = {case.key for case, flag in zip(arranged, slower | faster, strict=True) if flag}
    calm = sorted({case.key for case in arranged} - suspicious)
    step = max(len(calm) / CONTROLS, 1.0)
    controls = [calm[int(number * step)] for number in range(min(CONTROLS, len(calm)))]
    runs = max(missing.values())
    return tuple(
        [RunRequest(key=key, runs=count, reason="suspect") for key, count in sorted(missing.items())]
        + [
            RunRequest(key=key, runs=runs, is_control=True, reason="shows what the host does")
            for key in controls
        ]
    )
