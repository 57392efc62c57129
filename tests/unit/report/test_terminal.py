from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from perfgate.core.verdict import BenchmarkVerdict, Verdict
from perfgate.report.inert import inert
from perfgate.report.terminal import count_line, verdict_table


def verdict(name: str, kind: Verdict) -> BenchmarkVerdict:
    return BenchmarkVerdict(benchmark=name, device="d", verdict=kind, reason="r", is_failure=False)


def test_unchanged_rows_are_only_counted_unless_asked_for() -> None:
    items = [verdict("a", Verdict.UNCHANGED), verdict("b", Verdict.NEW)]
    assert "b" in verdict_table(items, 80)
    assert " a " not in verdict_table(items, 80)
    assert " a " in verdict_table(items, 80, show_all=True)
    assert verdict_table(items[:1], 80) == ""


def test_the_counts_name_what_everybody_looks_for() -> None:
    items = [verdict("a", Verdict.UNCHANGED), verdict("b", Verdict.NEW)]
    assert count_line(items, 3) == "0 regressed, 1 new, 0 inconclusive, 1 unchanged, 3 not selected"


@given(st.text())
def test_inert_text_holds_no_control_character_and_keeps_the_rest(text: str) -> None:
    safe = inert(text)
    # Control, format (bidi, zero width), surrogates, line and paragraph separators.
    assert not {unicodedata.category(letter) for letter in safe} & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    if text.isascii() and text.isprintable():
        assert safe == text
