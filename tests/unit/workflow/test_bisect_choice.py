from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from perfgate.baseline.revision import Base
from perfgate.bisection.overlay import Overlay, OverlayFile
from perfgate.core.codec import plain, readable_json
from perfgate.core.errors import NothingMeasuredError, UsageError
from perfgate.core.verdict import BenchmarkVerdict, Verdict
from perfgate.report.check_report import CheckReport
from perfgate.workflow.bisect_choice import benchmarks_of, choose, metric_of

if TYPE_CHECKING:
    from pathlib import Path

    from perfgate.measure.benchmark import Benchmark

SUITE = b"""\
version: 1
defaults: {devices: [one, two]}
benchmarks:
  - {name: sd/unet, model: "zoo:sd_unet"}
  - {name: bert, model: "zoo:bert_base", metrics: [peak_memory, latency, p50_latency], devices: [one]}
"""


@pytest.fixture
def known() -> tuple[Benchmark, ...]:
    return benchmarks_of(Overlay(files=(OverlayFile(path="part/perf_a.yaml", data=SUITE),)), "part")


def test_suites_below_the_prefix_count_only(known: tuple[Benchmark, ...]) -> None:
    assert [item.key for item in known] == ["sd/unet[one]", "sd/unet[two]", "bert[one]"]
    files = (OverlayFile(path="other/perf_a.yaml", data=SUITE), OverlayFile(path="uv.lock", data=b""))
    assert benchmarks_of(Overlay(files=files), "part") == ()


@pytest.mark.parametrize("name", ["sd/unet[two]", "sd/unet@two", "UNET[tw"])
def test_a_benchmark_has_three_names(known: tuple[Benchmark, ...], tmp_path: Path, name: str) -> None:
    assert [item.key for item in choose(known, [name], tmp_path)] == ["sd/unet[two]"]


def test_a_name_for_none_or_several_lists_the_choice(known: tuple[Benchmark, ...], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"fits 2 benchmarks.*sd/unet\[one\], sd/unet\[two\]"):
        choose(known, ["unet"], tmp_path)
    with pytest.raises(UsageError, match="no benchmark is called 'x'"):
        choose(known, ["x"], tmp_path)
    with pytest.raises(UsageError, match="no benchmark is named"):
        choose(known, [], tmp_path)
    with pytest.raises(NothingMeasuredError):
        choose([], [], tmp_path)


def test_the_only_benchmark_needs_no_name(known: tuple[Benchmark, ...], tmp_path: Path) -> None:
    assert choose(known[2:], [], tmp_path) == known[2:]


def test_the_default_metric_is_the_simulators_exact_one(known: tuple[Benchmark, ...]) -> None:
    assert metric_of(known[0], None).name == "cycles"
    assert metric_of(known[2], None).name == "latency"
    assert metric_of(known[2], "peak_memory").name == "peak_memory"
    with pytest.raises(UsageError, match=r"does not measure 'cycles'.*peak_memory, latency"):
        metric_of(known[2], "cycles")


def report(folder: Path, name: str, *verdicts: tuple[str, Verdict], time: float) -> None:
    """A report of a check as a job leaves it."""
    found = tuple(
        BenchmarkVerdict(benchmark=key, device="one", verdict=verdict, reason="", is_failure=True)
        for key, verdict in verdicts
    )
    value = CheckReport(exit_code=1, base=Base("0" * 40, "HEAD"), family_error=0.05, verdicts=found)
    path = folder / ".perfgate" / "ci" / name / "perfgate.json"
    path.parent.mkdir(parents=True)
    path.write_text(readable_json(plain(value)))
    os.utime(path, (time, time))


def test_what_regressed_in_the_newest_report_is_bisected_worst_first(
    known: tuple[Benchmark, ...], tmp_path: Path
) -> None:
    report(tmp_path, "old", ("bert", Verdict.REGRESSED), time=1.0)
    report(
        tmp_path,
        "new",
        ("bert", Verdict.REGRESSED),
        ("gone", Verdict.REGRESSED),
        ("sd/unet", Verdict.REGRESSED),
        time=2.0,
    )
    (tmp_path / ".perfgate" / "record.json").write_text("{}")  # newer, but no report
    assert [item.key for item in choose(known, [], tmp_path)] == ["bert[one]", "sd/unet[one]"]


def test_a_report_without_a_regression_chooses_nothing(known: tuple[Benchmark, ...], tmp_path: Path) -> None:
    report(tmp_path, "new", ("bert", Verdict.UNCHANGED), time=2.0)
    with pytest.raises(UsageError, match="no benchmark is named"):
        choose(known, [], tmp_path)
