"""Markdown tables and heads of the generated pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MADE = "<!-- Made from the code by `make docs`; changes here are lost. -->"


def page(title: str, *parts: str) -> str:
    """A whole page: title, the mark that it is generated, and its parts with empty lines between."""
    return "\n\n".join((f"# {title}", MADE, *parts)) + "\n"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; bars in cells are escaped."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def code(text: str) -> str:
    """A code span, or nothing for nothing."""
    return f"`{text}`" if text else ""
