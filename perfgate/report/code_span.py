"""Foreign text in Markdown: always one code span, in which nothing is a mention, a link or a tag."""

from __future__ import annotations

from perfgate.report.inert import inert

MAX_NAME = 120  # characters; keeps one long name from filling a comment
MAX_SENTENCE = 300
_CUT = "…"
# A longer fence would also hold back-ticks in, but renderers stop looking at fences of 80; a `\|` splits or
# joins cells differently from renderer to renderer. Written out, neither can end the span or its cell.
_STRUCTURE = {ord("`"): r"\x60", ord("|"): r"\x7c"}


def code_span(text: str, most: int = MAX_NAME) -> str:
    """One code span on one line; signs that could end it or a table cell are written out."""
    shown = inert(text).translate(_STRUCTURE)
    if len(shown) > most:
        shown = shown[: most - len(_CUT)] + _CUT
    return f"`{shown}`" if shown.strip() else "`(empty)`"
