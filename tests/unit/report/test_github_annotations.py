"""Workflow commands: exact lines, and texts of a repository that cannot become commands."""

from __future__ import annotations

import pytest

from perfgate.core.finding import Answer, Finding, Place, Severity
from perfgate.report.github_annotations import github_lines


def finding(
    severity: Severity = Severity.ERROR,
    path: str = "a.sh",
    message: str = "m",
    end_line: int = 3,
    rule: str = "r",
) -> Finding:
    place = Place(path=path, line=3, column=7, end_line=end_line, end_column=9)
    return Finding(rule=rule, severity=severity, answer=Answer.FAIL, message=message, span=place)


@pytest.mark.parametrize(
    ("severity", "level"), [(Severity.ERROR, "error"), (Severity.WARN, "warning"), (Severity.NOTE, "notice")]
)
def test_line_of_a_finding(severity: Severity, level: str) -> None:
    assert github_lines([finding(severity)]) == (
        f"::{level} file=a.sh,line=3,endLine=3,col=7,endColumn=9,title=r::m",
    )


def test_span_over_several_lines_has_no_columns() -> None:
    assert github_lines([finding(end_line=5)]) == ("::error file=a.sh,line=3,endLine=5,title=r::m",)


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("100%0A::error::x", "100%250A::error::x"),  # the sign for per cent comes first
        ("a\n::warning::b", "a%0A::warning::b"),
        ("a\r\nb", "a\\r%0Ab"),
        ("\u202eevil\u0007 \N{ROCKET}", "\\u202eevil\\x07 \N{ROCKET}"),
    ],
)
def test_message_cannot_become_a_command(text: str, escaped: str) -> None:
    (line,) = github_lines([finding(message=text)])
    assert line.endswith(f"::{escaped}")
    assert "\n" not in line
    assert "\r" not in line


@pytest.mark.parametrize("path", ["a,line=1::b.sh", "a:b%.sh", "x\n::error::y", "\N{ROCKET},\u2066a"])
def test_path_and_title_stay_one_property(path: str) -> None:
    (line,) = github_lines([finding(path=path, rule=path)])
    head, _, message = line.partition("::m")
    assert message == ""
    properties = head.removeprefix("::error ").split(",")
    assert len(properties) == 6
    assert all(item.count("=") >= 1 and ":" not in item for item in properties)
    assert "\n" not in line


def test_ten_per_level_then_one_line_with_the_rest() -> None:
    many = [finding()] * 12 + [finding(Severity.NOTE)] * 10
    lines = github_lines(many)
    assert len(lines) == 21
    assert lines[-1] == "::error title=perfgate guard::2 more are in the log"
