"""Benchmarks whose runs fall into two modes, and how many candidate runs rule that out as the reason (section 6)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

MIN_RUNS = 3  # a cut needs a spread inside a part
GAP = 5.0  # in pooled standard deviations of the two parts
FEWEST_NEEDED = 3  # one or two candidate runs cannot be told from unlucky ones
SEARCHED_RUNS = 99  # beyond any policy's max_runs


@dataclass(frozen=True, slots=True, kw_only=True)
class Modes:
    """`share` of the suite that is modal, `upper` share of slow-mode runs among the modal benchmarks' runs.

    `modal` holds the places of the modal benchmarks; `share` is 0 when there are too few to matter for the suite.
    """

    modal: tuple[int, ...] = ()
    share: float = 0.0
    upper: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """The largest gap in a benchmark's ordered runs, runs above it, and the spread inside the parts."""

    gap: float
    above: int
    within: float


def cut_runs(locations: npt.ArrayLike) -> Cut | None:
    """Cut one benchmark's log locations at their largest gap; None with fewer than three runs."""
    ordered = np.sort(np.asarray(locations, float))
    if ordered.size < MIN_RUNS:
        return None
    gaps = np.diff(ordered)
    place = int(np.argmax(gaps)) + 1
    squares = sum(float(((part - part.mean()) ** 2).sum()) for part in (ordered[:place], ordered[place:]))
    within = math.sqrt(squares / (ordered.size - 2))
    return Cut(gap=float(gaps[place - 1]), above=ordered.size - place, within=within)


def find_modes(series: Sequence[npt.ArrayLike], min_effect: float) -> Modes:
    """Which benchmarks of a suite have modes; one series of common-mode-free log locations per benchmark."""
    cuts = [cut_runs(values) for values in series]
    spreads = [cut.within for cut in cuts if cut is not None]
    if not spreads:
        return Modes()
    typical = float(np.median(spreads))
    modal = tuple(
        place
        for place, cut in enumerate(cuts)
        if cut is not None and cut.gap > GAP * max(cut.within, typical) and cut.gap > math.log1p(min_effect)
    )
    if len(modal) < max(3, 0.05 * len(series)):
        return Modes(modal=modal)
    runs = sum(np.asarray(series[place]).size for place in modal)
    above = sum(cut.above for place in modal if (cut := cuts[place]) is not None)
    return Modes(modal=modal, share=len(modal) / len(series), upper=above / runs)


def runs_needed(modes: Modes, suite: int, runs: int, *, alpha: float, slower: bool = True) -> int:
    """Candidate runs after which "all fell into the other mode by chance" is excluded for the suite; at least 3.

    Smallest C with m pi (1-q)^R q^C <= alpha; for improvements the modes change places. m = 100, pi = .76, R = 5,
    q = .327 gives 5.
    """
    if modes.share <= 0:
        return FEWEST_NEEDED
    q = modes.upper if slower else 1 - modes.upper
    chance = suite * modes.share * (1 - q) ** runs
    for needed in range(FEWEST_NEEDED, SEARCHED_RUNS):
        if chance * q**needed <= alpha:
            return needed
    return SEARCHED_RUNS
