from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from perfgate.core.errors import UsageError
from perfgate.core.execution_profile import summarise
from perfgate.core.metric import KNOWN_METRICS
from perfgate.core.setting import Setting
from perfgate.core.verdict import BenchmarkVerdict, Comparison, Verdict
from perfgate.diagnose.engine import Observation
from perfgate.workflow.diagnosis_side import DiagnosisSide
from perfgate.workflow.explaining import commit_sides, explain_pair, latency_ratios, no_diagnosis
from perfgate.workflow.recording import open_tree
from tests.diagnose_sides import profile_of, side
from tests.records import make_record

if TYPE_CHECKING:
    from pathlib import Path

    from tests.diagnose_sides import Side

NHWC, NCHW = (side("sd_unet", "tiny", flags={"--optypelayout": layout}) for layout in ("NHWC", "NCHW"))


def measured(of: Side, *, has_kernels: bool = True, notes: tuple[str, ...] = ()) -> DiagnosisSide:
    profile = profile_of(of)
    flags = tuple(Setting(name=name, value=value) for name, value in of.flags)
    record = make_record("net", settings=flags, profile=summarise(profile))
    kept = profile if has_kernels else msgspec.structs.replace(profile, kernels=())
    return DiagnosisSide(observation=Observation(record=record, profile=kept), notes=notes)


def comparison(name: str, baseline: float | None, now: float | None) -> Comparison:
    return Comparison(
        metric=KNOWN_METRICS[name],
        verdict=Verdict.REGRESSED,
        reason="slower",
        baseline=baseline,
        now=now,
        worse_by=1.0,
        low=0.9,
        high=1.1,
        baseline_runs=4,
        candidate_runs=5,
    )


def test_the_gates_answers_are_taken_as_they_are() -> None:
    rows = (
        comparison("latency", 1.0, 2.0),
        comparison("peak_memory", 5.0, 6.0),
        comparison("energy_j", None, 7.0),
    )
    latency, memory = explain_pair(measured(NHWC), measured(NCHW), rows, {}).metrics
    assert (latency.before, latency.after, latency.relative) == (1.0, 2.0, 1.0)
    assert (latency.low, latency.high, latency.runs_before, latency.runs_after) == (0.9, 1.1, 4, 5)
    assert (memory.metric.name, memory.low, memory.high) == ("peak_memory", None, None)  # exact: no interval


def test_what_the_sides_have_to_say_stands_in_the_diagnosis_once() -> None:
    found = explain_pair(measured(NHWC, notes=("a", "b")), measured(NCHW, notes=("b",)), (), {})
    assert [note for note in found.notes if note in "ab"] == ["a", "b"]


def test_where_one_side_is_a_summary_both_are_read_from_theirs() -> None:
    whole = explain_pair(measured(NHWC), measured(NCHW), (), {})
    halved = explain_pair(measured(NHWC, has_kernels=False), measured(NCHW), (), {})
    assert "kernels" not in whole.not_applicable.values()
    assert "kernels" in halved.not_applicable.values()
    assert halved.attribution is not None
    assert sum(row.delta for row in halved.attribution.rows) == halved.attribution.total


def test_ratios_of_the_suite_are_those_of_the_latency() -> None:
    verdicts = [
        BenchmarkVerdict(
            benchmark=name,
            device="d",
            verdict=Verdict.UNCHANGED,
            reason="",
            is_failure=False,
            comparisons=rows,
        )
        for name, rows in (
            ("a", (comparison("latency", 2.0, 3.0), comparison("peak_memory", 1.0, 9.0))),
            ("b", (comparison("latency", None, 3.0),)),
            ("c", ()),
        )
    ]
    assert latency_ratios(verdicts) == {"a[d]": 1.5}


def test_a_benchmark_that_cannot_be_explained_is_a_note_with_its_reason() -> None:
    assert no_diagnosis("a[d]", ArithmeticError("3 of 4 ps")) == "a[d]: no diagnosis: 3 of 4 ps"
    problem = UsageError("no model", "net.onnx", "add it")
    assert no_diagnosis("a[d]", problem) == f"a[d]: no diagnosis: {problem.line}"


def test_outside_of_git_there_are_no_sides_of_a_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(UsageError, match="no git repository"), commit_sides(open_tree(tmp_path), "HEAD", 0):
        pass
