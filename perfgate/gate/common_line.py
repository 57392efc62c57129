"""What the whole suite did together, and whether that alone is a regression (STATISTICS section 2)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from perfgate.core.units import percent
from perfgate.core.verdict import Verdict
from perfgate.stats.laws import t_tail
from perfgate.stats.power import LARGEST_LOG

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.gate.ground import Ground

LEVEL = 0.01
CROWD = 0.4  # share of the suite that moved one way, from which on the adjusted numbers understate
NOMINAL = 0.05
ANCHOR_SHARE = 0.5  # anchors that moved by half of the suite's shift say that it was the machine


@dataclass(frozen=True, slots=True, kw_only=True)
class CommonLine:
    """The common mode of one metric in words; verdict `unchanged` where there is nothing to answer for."""

    metric: str
    verdict: Verdict
    text: str


def common_line(
    ground: Ground, equivalence: float, anchor_shifts: Sequence[float] = (), *, level: float = LEVEL
) -> CommonLine | None:
    """What the suite did as a whole in this metric; None where the suite is too small to say.

    `anchor_shifts` are log shifts of workloads without project code; they tell the machine from the change.
    `level` is shared by the metrics of a suite.
    """
    common = ground.common
    if common is None:
        return None
    metric = ground.cases[0].metric.name
    shift, spread = (percent(math.expm1(min(log, LARGEST_LOG))) for log in (common.shift, common.spread))
    text = f"whole suite {shift} {metric}, baseline runs spread +-{spread.lstrip('+')}"
    is_large = abs(common.shift) > math.log1p(equivalence)
    verdict = Verdict.UNCHANGED
    if is_large and common.p_worse <= level:
        verdict = Verdict.REGRESSED
    elif is_large and common.p_better <= level:
        verdict = Verdict.IMPROVED
    if verdict is not Verdict.UNCHANGED and _anchors_agree(common.shift, anchor_shifts):
        verdict = Verdict.INCONCLUSIVE
        text += "; the anchor workloads moved alike, so it is the machine"
    elif (moved := _moved_share(ground)) > CROWD:
        text += f"; {100 * moved:.0f} % of the suite moved one way, so the adjusted numbers understate it"
    return CommonLine(metric=metric, verdict=verdict, text=text)


def _anchors_agree(shift: float, anchor_shifts: Sequence[float]) -> bool:
    if not anchor_shifts:
        return False
    return float(np.median(anchor_shifts)) / shift > ANCHOR_SHARE


def _moved_share(ground: Ground) -> float:
    """Share of the suite that moved one way by more than the smallest effect, common mode left in."""
    before, after = ground.baseline, ground.candidate
    runs, new_runs = before.runs, after.runs
    difference = np.nanmean(after.raw, axis=1) - np.nanmean(before.raw, axis=1)
    spread = np.nanvar(before.raw, axis=1) * runs / np.maximum(runs - 1, 1)
    error = np.sqrt(np.maximum(spread, ground.floors) * (1 / runs + 1 / new_runs))
    margins = np.log1p([case.effect for case in ground.cases])
    sure = t_tail(np.abs(difference) / error, np.maximum(runs - 1, 1)) < NOMINAL
    counted = sure & (np.abs(difference) > margins)
    return float(max((counted & (difference > 0)).mean(), (counted & (difference < 0)).mean()))
