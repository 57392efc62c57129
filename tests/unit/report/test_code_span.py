"""Code spans: nothing inside can end them; one line; short."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from perfgate.report.code_span import MAX_NAME, code_span


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("resnet", "`resnet`"),
        ("a`b", r"`a\x60b`"),
        ("`" * 90, "`" + r"\x60" * 29 + r"\x6…`"),  # 119 of the 360 signs, then the cut
        ("a|b", r"`a\x7cb`"),
        ("a\\|b", r"`a\\x7cb`"),
        ("a\nb\x1b\u202e", r"`a\nb\x1b\u202e`"),
        ("", "`(empty)`"),
        ("   ", "`(empty)`"),
        ("x" * 300, "`" + "x" * (MAX_NAME - 1) + "…`"),
    ],
)
def test_a_text_becomes(text: str, expected: str) -> None:
    assert code_span(text) == expected


@given(st.text())
def test_any_text_renders_as_exactly_one_code_element_in_a_cell(text: str) -> None:
    page = MarkdownIt("commonmark").enable("table").render(f"| a | b |\n|---|---|\n| {code_span(text)} | x |")
    assert page.count("<td>") == 2
    assert page.count("<code>") == page.count("</code>") == 1
    cell = page.split("<td>")[1].split("</td>")[0]
    assert cell.startswith("<code>")
    assert cell.endswith("</code>")
