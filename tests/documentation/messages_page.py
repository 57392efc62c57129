"""docs/reference/MESSAGES.md: what the code can say when something cannot be used, and what to do."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from perfgate.core.errors import ExitCode
from tests.documentation.messages import Message, messages
from tests.documentation.tables import page, table
from tests.documentation.text_forms import OPEN

if TYPE_CHECKING:
    from collections.abc import Iterable

INTRODUCTION = f"""\
A message is one line, `what: where: remedy`; *where* is a file with line and column, a benchmark or an
option. `{OPEN}` stands for what is known only when it happens. What readers of
files put together while they read is not in the list. The frequent messages are explained in
[TROUBLESHOOTING.md](../TROUBLESHOOTING.md)."""
TITLES = {
    ExitCode.FAIL: "Exit code 1: a regression, or a guardrail violation",
    ExitCode.USAGE: "Exit code 2: options, suites, models, devices",
    ExitCode.INCONCLUSIVE: "Exit code 10: inconclusive",
    ExitCode.NOTHING: "Exit code 11: nothing measured or compared",
    ExitCode.UNUSABLE: "Exit code 12: baseline, policy, guardrail file, record or base commit",
}


def messages_page() -> str:
    """The page: a table for each exit code, in the order of the alphabet."""
    parts = []
    for code, title in TITLES.items():
        rows = _rows(item for item in messages() if item.exit_code is code)
        if rows:
            parts += [f"## {title}", table(("message", "what to do"), rows)]
    return page("Messages", INTRODUCTION, *parts)


def _rows(found: Iterable[Message]) -> list[tuple[str, str]]:
    rows = {(_cell(item.what), _cell(item.remedy)) for item in found if re.search(r"\w{3}", item.what)}
    return sorted(rows, key=lambda row: (row[0].strip("`\"'… ").casefold(), row))


def _cell(text: str) -> str:
    """One line of literal text in a table cell."""
    line = re.sub(f"{OPEN}+", OPEN, " ".join(text.replace("`", "'").split()))
    return f"`{line}`" if line else ""
