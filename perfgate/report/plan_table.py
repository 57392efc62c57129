"""What `init` would write, as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabulate import tabulate

from perfgate.report.inert import inert

if TYPE_CHECKING:
    from collections.abc import Sequence


def plan_table(rows: Sequence[tuple[str, str, str]]) -> str:
    """Rows of file, `write` or `keep`, and the reason."""
    cells = [[inert(text) for text in row] for row in rows]
    return tabulate(cells, ["file", "plan", "why"], tablefmt="simple", disable_numparse=True)
