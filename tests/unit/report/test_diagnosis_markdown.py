from __future__ import annotations

import datetime as dt
import re

import msgspec
from markdown_it import MarkdownIt

from perfgate.core.diagnosis import Commit, Diagnosis, Evidence
from perfgate.report.diagnosis_markdown import diagnosis_markdown
from perfgate.report.diagnosis_text import diagnosis_lines
from tests.check_reports import HOSTILE_NAME
from tests.diagnoses import CONV2, LAYOUT, cause, diagnosis, fix

NOW = dt.datetime(2026, 11, 29, tzinfo=dt.UTC)


def rendered(found: Diagnosis) -> str:
    return str(MarkdownIt("commonmark").enable("table").render(diagnosis_markdown(found, NOW)))


def hostile() -> Diagnosis:
    """Every text that a repository chooses is as hostile as it can be."""
    flag = msgspec.structs.replace(LAYOUT, name=HOSTILE_NAME, before=HOSTILE_NAME, after=HOSTILE_NAME)
    commit = Commit(commit="a" * 40, subject=HOSTILE_NAME, author="", date="", relation="touched by")
    bad = msgspec.structs.replace(
        cause(difference=flag),
        sentence=HOSTILE_NAME,
        operator=msgspec.structs.replace(CONV2, name=HOSTILE_NAME),
        evidence=(Evidence(step=4, label="behaviour", text=HOSTILE_NAME),),
        commit=commit,
    )
    return msgspec.structs.replace(
        diagnosis(fix(taken=(flag,), title=HOSTILE_NAME), causes=(bad,)),
        benchmark=HOSTILE_NAME, device=HOSTILE_NAME, notes=(HOSTILE_NAME,), guardrail=HOSTILE_NAME,
        interaction=HOSTILE_NAME, without_effect=(flag,), seen_before=(HOSTILE_NAME,), before=HOSTILE_NAME,
    )  # fmt: skip


def test_the_sections_are_headings_and_the_numbers_are_tables() -> None:
    html = rendered(diagnosis(before="3f2c1ab", after="a3f8d2c"))
    assert re.findall(r"<h\d>(.*?)</h\d>", html) == [
        "Diagnosis: <code>sd_unet</code> on <code>ascend-310p-like</code>",
        "Where the time went",
        "Root cause",
        "Fixes",
    ]
    assert html.count("<table>") == 3
    assert "From <code>3f2c1ab</code> to <code>a3f8d2c</code>." in html


def test_text_and_markdown_name_the_same_numbers() -> None:
    found = diagnosis(fix(taken=(LAYOUT,)), fix(title="b"), together=2_020_000_000_000)
    said, drawn = "\n".join(diagnosis_lines(found, NOW)), diagnosis_markdown(found, NOW)
    numbers = re.compile(r"[+-]?\d[\d.]* (?:s|ms|%)")
    assert set(numbers.findall(drawn)) <= set(numbers.findall(said))
    for word in ("2.23 s", "9.13 s", "+6.90 s", "-75.6 %", "2.02 s", "-77.9 %", "0.95"):
        assert word in said
        assert word in drawn


def test_foreign_text_is_code_and_nothing_else() -> None:
    html = rendered(hostile())
    outside = re.sub(r"<code>.*?</code>", "", html, flags=re.DOTALL)
    for word in ("evil", "@org", "#123", "onerror", "alert", "img"):
        assert word not in outside
    allowed = r"</?(h2|h3|p|strong|ul|ol|li|table|thead|tbody|tr|th|td)>"
    assert re.findall(r"<[^>]*>", re.sub(allowed, "", outside)) == []
    for row in re.findall(r"<tr>(.*?)</tr>", html, re.DOTALL):
        assert len(re.findall(r"<t[hd]>", row)) in {4, 5, 7}


def test_what_the_text_says_besides_is_there_as_well() -> None:
    found = msgspec.structs.replace(
        diagnosis(causes=(cause(),) * 6),
        interaction="x and y act together",
        seen_before=("2026-11-10 sd3 layout",),
        notes=("stopped early",),
    )
    drawn = diagnosis_markdown(found, NOW)
    for line in (
        "- and 1 more in the JSON report",
        "- `x and y act together`",
        "- seen before: `2026-11-10 sd3 layout`",
        "- note: `stopped early`",
        "100 % of the delta is unexplained",
    ):
        assert line in drawn


def test_a_suspect_is_called_so() -> None:
    assert "1. **0.49** (suspect) `tensor layout changed" in diagnosis_markdown(
        diagnosis(causes=(cause(0.49),)), NOW
    )


def test_a_diagnosis_without_anything_is_a_title_and_the_answer() -> None:
    bare = msgspec.structs.replace(
        diagnosis(causes=()), metrics=(), scope=None, attribution=None, fixes=(), guardrail=""
    )
    drawn = [line for line in diagnosis_markdown(bare, NOW).splitlines() if line]
    assert drawn == ["## Diagnosis: `sd_unet` on `ascend-310p-like`", "### Root cause", "`no cause found`"]
