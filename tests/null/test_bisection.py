"""A small acceptance table of the bisection: the production search in a simulated range, a few trials a row.

`make acceptance` runs the whole one. Seeds change with the version and are printed on failure.
"""

from __future__ import annotations

import math
import zlib

import pytest

from perfgate import __version__
from tests.benchmarks.bisection_rows import ROWS, Row
from tests.benchmarks.bisection_trial import figures, run_trial

TRIALS = 12
SEED = zlib.crc32(__version__.encode())
ERRORS = 4  # binomial standard errors that a share may miss its target by


def slack(percent: float) -> float:
    """Four binomial errors and one trial, in percent points."""
    share = percent / 100
    return 100 * (ERRORS * math.sqrt(share * (1 - share) / TRIALS) + 1 / TRIALS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_shares_meet_their_targets(row: Row) -> None:
    trials = [run_trial(row, SEED + number) for number in range(min(TRIALS, row.trials))]
    found = figures(trials)
    for name in ("wrong", "false"):
        if name in row.targets:
            assert found[name] <= row.targets[name] + slack(row.targets[name]), f"seed {SEED}: {found}"
    for name in ("exact", "real", "all"):
        if name in row.targets:
            assert found[name] >= row.targets[name] - slack(row.targets[name]), f"seed {SEED}: {found}"
