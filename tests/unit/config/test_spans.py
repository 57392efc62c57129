"""Placed text keeps the outer place of every character."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from perfgate.config.spans import Source, joined

TEXT = 'a: "x\\ny"\n  b\n'
WHOLE = Source(path="f", text=TEXT).whole()


def test_lines_and_columns_begin_at_one_and_count_characters() -> None:
    source = Source(path="f", text="é\tx\nyz")
    assert source.point(0) == (1, 1)
    assert source.point(2) == (1, 3)
    assert source.point(4) == (2, 1)
    assert str(source.span(4, 6)) == "f:2:1"


def test_a_decoded_character_spans_its_escape() -> None:
    newline = WHOLE[5:7].standing_for("\n")
    text = joined([WHOLE[4:5], newline, WHOLE[7:8]], WHOLE)
    assert text.text == "x\ny"
    assert (newline.span().column, newline.span().end_column) == (6, 8)
    assert (text.span().column, text.span().end_column) == (5, 9)
    assert text[2:3].span().column == 8


def test_text_from_two_places_is_placed_by_its_first_run() -> None:
    text = joined([WHOLE[12:13], WHOLE[4:5]], WHOLE)
    assert text.text == "bx"
    span = text.span()
    assert (span.line, span.column, span.end_column) == (2, 3, 4)


def test_empty_text_stands_where_it_was_cut_out() -> None:
    assert WHOLE[4:4].span().column == 5
    assert joined([], WHOLE[4:4]).span().column == 5
    assert WHOLE[0:2][2:2].span().column == 3


def test_blanks_at_both_ends_are_taken_off() -> None:
    assert WHOLE[9:14].stripped().text == "b"
    assert WHOLE[9:14].stripped().span().column == 3


@given(st.text(max_size=30), st.lists(st.integers(min_value=0, max_value=30), min_size=2, max_size=6))
def test_cutting_and_joining_again_gives_the_same_places(text: str, cuts: list[int]) -> None:
    whole = Source(path="f", text=text).whole()
    bounds = sorted({0, len(text), *(min(cut, len(text)) for cut in cuts)})
    pieces = [whole[left:right] for left, right in itertools.pairwise(bounds)]
    again = joined(pieces, whole)
    assert again.text == text
    assert list(again.starts) == list(whole.starts)
    assert list(again.ends) == list(whole.ends)
