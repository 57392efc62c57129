"""Benchmarks whose runs fall into two modes, and the runs that rule modes out (STATISTICS section 6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from perfgate.stats.run_samples import by_count

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Counts = npt.NDArray[np.intp]

MIN_RUNS = 3  # a cut needs a spread inside a part
GAP = 5.0  # in pooled standard deviations of the two parts
FEWEST_NEEDED = 3  # one or two candidate runs cannot be told from unlucky ones
FEWEST_MODAL, SMALLEST_SHARE = 3, 0.05  # modal benchmarks that make it a matter of the suite
SEARCHED_RUNS = 99  # beyond any policy's max_runs


@dataclass(frozen=True, slots=True, kw_only=True)
class Modes:
    """`share` of the suite that is modal, `upper` share of slow-mode runs among the modal benchmarks' runs.

    `modal` holds the places of the modal benchmarks; `share` is 0 when there are too few to matter for the
    suite.
    """

    modal: tuple[int, ...] = ()
    share: float = 0.0
    upper: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Cuts:
    """The largest gap in each benchmark's ordered runs.

    Beside it how many runs lie above it, and the spread inside the two parts.

    Benchmarks with fewer than three runs have gap 0 and spread NaN.
    """

    gap: Floats
    above: Counts
    within: Floats


def cut_runs(locations: npt.ArrayLike) -> Cuts:
    """Cut each benchmark's log locations at their largest gap.

    The table is (benchmarks, runs), padded with NaN at the end.
    """
    table = np.atleast_2d(np.asarray(locations, float))
    gap, within = np.zeros(len(table)), np.full(len(table), np.nan)
    above = np.zeros(len(table), np.intp)
    for places, rows in by_count(table):
        count = rows.shape[1]
        if count < MIN_RUNS:
            continue
        ordered = np.sort(rows, axis=1)
        centred = ordered - ordered.mean(axis=1, keepdims=True)
        gaps = np.diff(ordered, axis=1)
        below = gaps.argmax(axis=1) + 1
        index = np.arange(len(rows))
        lower = centred.cumsum(axis=1)[index, below - 1]  # the parts' sums are opposite: rows are centred
        squares = (centred**2).sum(axis=1) - lower**2 / below - lower**2 / (count - below)
        gap[places] = gaps[index, below - 1]
        above[places] = count - below
        within[places] = np.sqrt(np.maximum(squares, 0.0) / (count - 2))
    return Cuts(gap=gap, above=above, within=within)


def find_modes(locations: npt.ArrayLike, min_effects: npt.ArrayLike) -> Modes:
    """Which benchmarks of a suite have modes.

    Takes common-mode-free log locations (benchmarks, runs), padded with NaN at the end.

    `min_effects` is one relative change, or one per benchmark, that a gap has to exceed.
    """
    table = np.atleast_2d(np.asarray(locations, float))
    cuts = cut_runs(table)
    known = ~np.isnan(cuts.within)
    if not known.any():
        return Modes()
    typical = float(np.median(cuts.within[known]))
    widest = GAP * np.maximum(np.where(known, cuts.within, 0.0), typical)
    modal = np.flatnonzero(
        known & (cuts.gap > widest) & (cuts.gap > np.log1p(np.asarray(min_effects, float)))
    )
    places = tuple(int(place) for place in modal)
    if modal.size < max(FEWEST_MODAL, SMALLEST_SHARE * len(table)):
        return Modes(modal=places)
    runs = int((~np.isnan(table[modal])).sum())
    return Modes(modal=places, share=modal.size / len(table), upper=int(cuts.above[modal].sum()) / runs)


def runs_needed(modes: Modes, suite: int, runs: int, *, alpha: float, slower: bool = True) -> int:
    """Candidate runs after which "all fell into the other mode by chance" is excluded for the suite.

    Never under 3.

    Smallest C with m pi (1-q)^R q^C <= alpha; for improvements the modes change places. m = 100, pi = .76, R
    = 5, q = .327 gives 5.
    """
    if modes.share <= 0:
        return FEWEST_NEEDED
    q = modes.upper if slower else 1 - modes.upper
    chance = suite * modes.share * (1 - q) ** runs
    for needed in range(FEWEST_NEEDED, SEARCHED_RUNS):
        if chance * q**needed <= alpha:
            return needed
    return SEARCHED_RUNS
