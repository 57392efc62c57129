"""A small acceptance table: false alarms and power of the production rule on every noise family.

`make acceptance` runs the whole one. Seeds change with the version and are printed on failure.
"""

from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np
import pytest

from perfgate import __version__
from perfgate.core.verdict import Verdict
from tests.benchmarks.acceptance_cells import TARGETS, most_red
from tests.benchmarks.noise_families import FAMILIES
from tests.benchmarks.recorded_series import judge_series
from tests.benchmarks.staged_suite import DESIGNS, decide

SUITES = 12
DATA = Path(__file__).parents[1] / "data" / "statistics"
REFERENCE = Path(__file__).parents[3] / "shared" / "reference" / "statistics"
# Whole-run modes hide even +10 % from three runs; everywhere else the table says 44 % or more.
SEEN = [name for name in TARGETS if name != "runmode"]


def generator(family: str) -> np.random.Generator:
    return np.random.default_rng([zlib.crc32(__version__.encode()), zlib.crc32(family.encode())])


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)
@pytest.mark.parametrize("family", FAMILIES)
def test_unchanged_suites_are_rarely_red(family: str, design: object) -> None:
    chosen = next(item for item in DESIGNS if item is design)
    random = generator(family)
    red = 0
    for _ in range(SUITES):
        samples = FAMILIES[family](random, (100, 14, 20))
        red += decide(list(samples[:, :5]), list(samples[:, 5:]), chosen).is_red
    # four errors above 5 %: with 56 cells a bound at two errors would fail in every other release
    allowed = max(most_red(SUITES), int(SUITES * 0.05 + 4 * (SUITES * 0.05 * 0.95) ** 0.5))
    assert red <= allowed, f"{family}, {chosen.name}, version {__version__}"


@pytest.mark.parametrize("family", SEEN)
def test_ten_percent_is_seen(family: str) -> None:
    design = next(item for item in DESIGNS if item.name == "5v3")
    random = generator(family)
    found = 0
    for number in range(SUITES):
        samples = FAMILIES[family](random, (100, 8, 20))
        samples[number, 5:] *= 1.10
        verdicts = decide(list(samples[:, :5]), list(samples[:, 5:]), design).verdicts
        found += verdicts[number] is Verdict.REGRESSED
    target = TARGETS[family][2][2] / 100
    assert found >= SUITES * target - 4 * (SUITES * target * (1 - target)) ** 0.5 - 1, (
        f"version {__version__}"
    )


def test_the_recorded_python_series_meets_its_targets() -> None:
    result = judge_series(DATA / "python_aa_runs_01_12.csv.gz")
    assert result.windows == 5
    assert result.failures() == ()


def test_the_recorded_go_series_meets_its_targets() -> None:
    path = REFERENCE / "go_aa_days_01_12.csv.gz"
    if not path.exists():
        pytest.skip("the Go series is not part of the repository")
    result = judge_series(path, step=25)
    assert result.benchmarks == 101
    assert len(result.flagged) <= 1
    assert result.shifted == 0
