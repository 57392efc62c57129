"""Annotations of a check: at the cause, worst first, ten and a number."""

from __future__ import annotations

import msgspec
import pytest

from perfgate.core.finding import Severity
from perfgate.core.verdict import BenchmarkVerdict, Verdict
from perfgate.report.check_report import GuardrailPart
from perfgate.report.verdict_annotations import annotation_lines
from tests.check_reports import finding, make_report, red_report, unchanged
from tests.golden.texts import HOSTILE, POSTER


def test_the_changed_flag_is_the_place_of_a_regression() -> None:
    (line,) = annotation_lines(red_report())
    assert line.startswith("::error file=deploy/convert.sh,line=14,title=perfgate%3A sd3_poster[")
    assert "regressed: latency +309 %25" in line


@pytest.mark.parametrize(
    ("place", "head"),
    [
        ("perf_models.yaml:12:5", "::error file=perf_models.yaml,line=12,title="),
        ("a:b,c.yaml:12:5", "::error file=a%3Ab%2Cc.yaml,line=12,title="),
        ("", "::error title="),
        ("somewhere", "::error title="),
    ],
)
def test_without_a_changed_setting_the_suite_line_is_the_place(place: str, head: str) -> None:
    report = msgspec.structs.replace(make_report(POSTER, exit_code=1), places={POSTER.key: place})
    assert annotation_lines(report)[0].startswith(head)


def test_what_only_warns_is_a_warning() -> None:
    (line,) = annotation_lines(make_report(HOSTILE, unchanged("a")))
    assert line.startswith("::warning title=")


def test_errors_come_before_warnings_and_guardrails_before_verdicts() -> None:
    part = GuardrailPart(findings=(finding("w", severity=Severity.WARN), finding("e")))
    report = msgspec.structs.replace(make_report(POSTER, HOSTILE, exit_code=1), guardrails=part)
    heads = [line.split(" ")[0] + line.rpartition("::")[2][:3] for line in annotation_lines(report)]
    assert heads == ["::errore", "::errorreg", "::warningw", "::warningnew"]


@pytest.mark.parametrize(
    ("count", "shown", "more"), [(10, 10, ""), (11, 11, "1 more"), (500, 11, "490 more")]
)
def test_ten_are_shown_and_the_rest_is_a_number_of_another_level(count: int, shown: int, more: str) -> None:
    item = BenchmarkVerdict(
        benchmark="a", device="d", verdict=Verdict.MISSING, reason="gone", is_failure=True
    )
    lines = annotation_lines(make_report(*(item for _ in range(count)), exit_code=1))
    assert len(lines) == shown
    assert sum(line.startswith("::error ") for line in lines) == 10
    assert not more or lines[-1] == f"::notice title=perfgate::{more} are in the job summary"


def test_a_green_run_has_none() -> None:
    assert annotation_lines(make_report(unchanged("a"))) == ()
