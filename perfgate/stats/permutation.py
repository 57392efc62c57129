"""Error control by relabelling runs: Westfall and Young's max-T over the suite."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

MIN_RUNS, MIN_LABELINGS = 3, 20
MAX_LABELINGS = 5_000  # beyond it a random part is drawn, with the observed labelling always in it


def labelings(runs: int, new_runs: int) -> int:
    """How many ways there are to choose which runs are the candidate's: 5 v 3 has 56."""
    return math.comb(runs + new_runs, new_runs)


def is_possible(runs: int, new_runs: int) -> bool:
    """Enough runs on both sides, and enough labelings to reach a useful level."""
    return min(runs, new_runs) >= MIN_RUNS and labelings(runs, new_runs) >= MIN_LABELINGS


def max_t(baseline: npt.ArrayLike, candidate: npt.ArrayLike, *, seed: int = 0) -> Floats:
    """Adjusted one-sided p per benchmark that the candidate is slower.

    Tables are (benchmarks, runs) of log locations.

    The share of labelings whose largest t over the suite reaches the benchmark's own. Exact under
    exchangeable runs whatever their law and their dependence between benchmarks; the least p is 1 /
    labelings, so 5 v 3 reaches .018. Not for drifting baselines. A spread typical of the suite is added to
    each denominator, else benchmarks with a tiny spread in one labelling rule the maximum.

    Raises:
        ValueError: too few runs or labelings.
    """
    before, after = np.asarray(baseline, float), np.asarray(candidate, float)
    runs, new_runs = before.shape[1], after.shape[1]
    if not is_possible(runs, new_runs):
        raise ValueError("max-T needs three runs on both sides and twenty labelings")
    table = np.concatenate((before, after), axis=1)
    chosen = _labels(runs, new_runs, seed)
    observed = chosen[0]
    spread = float(np.median(_pooled_spread(table, observed[None, :])[0]))
    statistics = _statistics(table, chosen, spread)
    largest = statistics.max(axis=1)
    share: Floats = (largest[:, None] >= statistics[0] - 1e-12).mean(axis=0)
    return share


def _labels(runs: int, new_runs: int, seed: int) -> npt.NDArray[np.bool_]:
    """Rows of labelings, True for candidate; the observed one first."""
    total = runs + new_runs
    observed = np.arange(total) >= runs
    if labelings(runs, new_runs) <= MAX_LABELINGS:
        rows = np.zeros((labelings(runs, new_runs), total), bool)
        for row, places in enumerate(combinations(range(total), new_runs)):
            rows[row, list(places)] = True
        return np.concatenate((observed[None, :], rows[~(rows == observed).all(axis=1)]))
    random = np.random.default_rng(seed)
    drawn = np.stack([random.permutation(observed) for _ in range(MAX_LABELINGS - 1)])
    return np.concatenate((observed[None, :], drawn))


def _pooled_spread(table: Floats, chosen: npt.NDArray[np.bool_]) -> Floats:
    """Standard error of the difference for each labelling and benchmark."""
    new_runs = int(chosen[0].sum())
    runs = table.shape[1] - new_runs
    weights = chosen.astype(float)
    after = weights @ table.T / new_runs
    before = (1 - weights) @ table.T / runs
    squares = (table**2).sum(axis=1) - new_runs * after**2 - runs * before**2
    variance = np.maximum(squares, 0.0) / (runs + new_runs - 2)
    return np.asarray(np.sqrt(variance * (1 / runs + 1 / new_runs)), float)


def _statistics(table: Floats, chosen: npt.NDArray[np.bool_], spread: float) -> Floats:
    centred = table - table.mean(axis=1, keepdims=True)
    new_runs = int(chosen[0].sum())
    weights = chosen.astype(float)
    after = weights @ centred.T / new_runs
    before = (1 - weights) @ centred.T / (table.shape[1] - new_runs)
    ratio: Floats = (after - before) / (_pooled_spread(centred, chosen) + max(spread, 1e-12))
    return ratio
