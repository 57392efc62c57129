"""Findings for a terminal: the format of the design, carets under tabs and wide signs, hostile text inert."""

from __future__ import annotations

import pytest

from perfgate.core.finding import Answer, Finding, Place, Severity
from perfgate.guardrails.check import evaluate
from perfgate.guardrails.fix import with_edits
from perfgate.guardrails.tree import facts_of_tree, reader_for
from perfgate.report.display_text import MAX_LINE, caret_lines
from perfgate.report.guard_text import render_text
from tests.guard_facts import TODAY, rules

RULES = """\
rules:
  - id: layout-nhwc
    target: atc_convert
    require: {--optypelayout: NHWC}
    message: "Wrong layout made segmentation four times slower."
targets:
  t: {extends: atc, flags_known: [--optypelayout]}
"""
SCRIPT = "# convert\natc --model=m \\\n      --optypelayout=NCHW \\\n      --output=o\n"


def rendered(files: dict[str, bytes], text: str = RULES) -> str:
    loaded = rules(text.replace("target: atc_convert", "target: t"))
    evaluation = evaluate(loaded, facts_of_tree(files, loaded), today=TODAY, files=212)
    return render_text(with_edits(evaluation, files, reader_for(loaded)), files)


def test_finding_has_the_format_of_the_design() -> None:
    fingerprint = rendered({"deploy/convert.sh": SCRIPT.encode()}).split("fingerprint ")[1][:16]
    assert rendered({"deploy/convert.sh": SCRIPT.encode()}) == (
        "deploy/convert.sh:3:7: error: --optypelayout=NCHW, must be NHWC [layout-nhwc]\n"
        "    3 |       --optypelayout=NCHW \\\n"
        "      |       ^^^^^^^^^^^^^^^^^^^\n"
        "  rule: guardrails.yaml:2:5   Wrong layout made segmentation four times slower.\n"
        "  fix:  --optypelayout=NHWC   (perfgate guard --fix)\n"
        f"  waive: fingerprint {fingerprint}\n"
        "1 error; 1 rule, 1 command in 1 of 212 files\n"
    )


def test_missing_flag_puts_the_caret_under_the_program() -> None:
    lines = rendered({"a.sh": b"cd x && atc --model=m\n"}).splitlines()
    assert lines[0] == "a.sh:1:9: error: missing --optypelayout=NHWC [layout-nhwc]"
    assert lines[1:3] == ["    1 | cd x && atc --model=m", "      |         ^^^"]


@pytest.mark.parametrize(
    ("line", "start", "end", "shown", "carets"),
    [
        ("\tatc --f", 1, 4, "\tatc --f", "\t^^^"),  # the tab is repeated
        ("模型 atc", 3, 6, "模型 atc", "     ^^^"),  # two wide signs and a blank take five columns
        ("atc 模型", 4, 6, "atc 模型", "    ^^^^"),
        ("e\u0301 atc", 3, 6, "e\u0301 atc", "  ^^^"),  # a combining sign takes none
        ("a\x1b[31m atc", 7, 10, "a\\x1b[31m atc", "          ^^^"),
        ("ab", 2, 2, "ab", "  ^"),
        ("ab", 9, 12, "ab", "  ^"),
    ],
)
def test_caret_line_counts_columns_as_a_terminal_does(
    line: str, start: int, end: int, shown: str, carets: str
) -> None:
    assert caret_lines(line, start, end) == (shown, carets)


def test_long_line_is_cut_around_the_caret() -> None:
    shown, carets = caret_lines("x" * 500 + "atc" + "y" * 500, 500, 503)
    assert shown.startswith("...")
    assert shown[len(carets) - 3 : len(carets)] == "atc"
    assert len(shown) <= MAX_LINE + 6


def test_control_and_direction_signs_of_a_repository_are_written_out() -> None:
    files = {"a.sh": "atc --model=m --optypelayout='\u202eWHCN\u0007'\n".encode()}
    text = rendered(files)
    assert all(sign.isprintable() or sign == "\n" for sign in text)
    assert "\\u202eWHCN\\x07" in text


def test_long_values_are_cut() -> None:
    first = rendered({"a.sh": b"atc --model=m --optypelayout=" + b"N" * 5000 + b"\n"}).splitlines()[0]
    assert len(first) < 300


def test_summary_counts_unresolved_and_waived_apart() -> None:
    script = b'atc --model=m --optypelayout="$L"\natc --model=n --optypelayout=NCHW\n'
    fingerprint = rendered({"a.sh": script}).rsplit("fingerprint ", 1)[1][:16]
    waiver = (
        f"waivers: [{{rule: layout-nhwc, path: a.sh, fingerprint: {fingerprint}, owner: '@alice',"
        " reason: v1 models end in March, expires: 2027-01-15}]\n"
    )
    text = rendered({"a.sh": script}, RULES + waiver)
    assert text.splitlines()[-1] == (
        "1 unresolved, 1 waived (layout-nhwc until 2027-01-15, @alice); 1 rule, 2 commands in 1 of 212 files"
    )


def test_rules_on_metrics_are_listed_as_not_evaluated() -> None:
    text = rendered({"a.sh": b"true\n"}, "latency: <=33ms\n")
    assert text == "0 findings; 1 rule (1 on metrics, not evaluated here), 0 commands in 0 of 212 files\n"


def test_two_renderings_are_the_same_bytes() -> None:
    files = {f"{name}.sh": SCRIPT.encode() for name in "cab"}
    assert rendered(files) == rendered(dict(reversed(files.items())))
    assert [line[0] for line in rendered(files).splitlines() if ": error:" in line] == ["a", "b", "c"]


def test_finding_in_a_file_nobody_gave_has_no_source_line() -> None:
    place = Place(path="gone.sh", line=3, column=1, end_line=3, end_column=2)
    loaded = rules(RULES)
    evaluation = evaluate(loaded, [], today=TODAY)
    finding = Finding(rule="r", severity=Severity.NOTE, answer=Answer.PASS, message="m", span=place)
    evaluation = type(evaluation)(rules=loaded, outcomes=(), findings=(finding,))
    assert render_text(evaluation, {}).splitlines()[0] == "gone.sh:3:1: note: m [r]"
