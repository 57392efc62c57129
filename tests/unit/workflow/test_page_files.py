"""Pages of a gate's run: which benchmarks, which names, and never another verdict."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from perfgate.core.errors import ExitCode, UsageError
from perfgate.core.verdict import BenchmarkVerdict, Verdict
from perfgate.gate.decision import Decision
from perfgate.workflow import page_files
from perfgate.workflow.check import Outcome
from perfgate.workflow.options import GateOptions
from tests.page_profiles import in_a_row, material

NO_REPOSITORY: Any = SimpleNamespace(
    tree=SimpleNamespace(repository=None, root=Path("here")), base=SimpleNamespace(commit="0" * 40)
)


def verdict(name: str, word: Verdict) -> BenchmarkVerdict:
    return BenchmarkVerdict(benchmark=name, device="d", verdict=word, reason="", is_failure=False)


def outcome(*verdicts: BenchmarkVerdict, measured: tuple[str, ...] = ()) -> Outcome:
    records: dict[str, Any] = {f"{name}[d]": SimpleNamespace() for name in measured}
    return Outcome(
        verdicts=verdicts,
        decision=Decision(benchmarks=(), family_error=0.05, exit_code=ExitCode.FAIL),
        explanations={},
        records=records,
        skipped={},
        exit_code=ExitCode.FAIL,
    )


def options(file: str | None) -> GateOptions:
    return GateOptions(root=Path(), html_file=None if file is None else Path(file))


def test_without_the_option_nothing_happens() -> None:
    given = outcome(verdict("a", Verdict.REGRESSED), measured=("a",))
    assert page_files.with_pages(NO_REPOSITORY, given, options(None)) is given


def test_a_page_that_cannot_be_drawn_is_a_note_and_the_verdict_stands() -> None:
    given = outcome(verdict("a", Verdict.REGRESSED), measured=("a",))
    found = page_files.with_pages(NO_REPOSITORY, given, options("p.html"))
    assert found.exit_code is ExitCode.FAIL
    (note,) = found.notes
    assert note.startswith("no page: no git repository")


def test_at_most_three_regressions_are_drawn_and_without_one_the_first_that_was_measured() -> None:
    red = [verdict(name, Verdict.REGRESSED) for name in "abcd"]
    green = [verdict(name, Verdict.UNCHANGED) for name in "ef"]
    chosen = page_files.drawn_verdicts(outcome(*red, *green, measured=tuple("bcdef")))
    assert [item.benchmark for item in chosen] == ["b", "c", "d"]
    chosen = page_files.drawn_verdicts(outcome(*green, measured=("f",)))
    assert [item.benchmark for item in chosen] == ["f"]
    assert page_files.drawn_verdicts(outcome(*green)) == []


def test_the_first_page_has_the_given_name_and_others_that_of_their_benchmark() -> None:
    given = material(None, in_a_row({"a": 1}))
    file = Path("out/report.html")
    assert page_files.page_path(file, given, is_first=True) == file
    assert page_files.page_path(file, given, is_first=False) == Path("out/report-drawn-drawn-device.html")


def test_a_missing_library_is_said_before_anything_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    page_files.require_bokeh("--html")
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(
        UsageError, match=r"bokeh is not installed: --html: run: pip install 'perfgate\[report\]'"
    ):
        page_files.require_bokeh("--html")
