"""Pages that are followed from top to bottom in one folder: their commands, files and shown outputs.

A page is one when it says where it starts: `<!-- followed: in an empty folder -->`, or after another page.
A block `console` holds commands after `$ `, continued after `> `, and below each the lines it prints, where
`...` stands for lines left out and `…` for a part of a line that differs from run to run. The word `exit=1`
after `console` is the exit code of the last command. A block with a path after its language is a file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

START = re.compile(r"<!-- followed: (?:in an empty folder|after (?P<page>[\w./]+)) -->")
LEFT_OUT = "..."


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A command with what it prints, or a file to write (`path`, then `text` is its content)."""

    line: int
    text: str
    path: str = ""
    shown: tuple[str, ...] = ()
    exit_code: int = 0


def starts(page: Path) -> str | None:
    """The page that comes before; "" for an empty folder, None where the page is not followed."""
    found = START.search(page.read_text(encoding="utf-8"))
    return None if found is None else found["page"] or ""


def steps(page: Path) -> Iterator[Step]:
    """What a reader does, in order."""
    for token in MarkdownIt().parse(page.read_text(encoding="utf-8")):
        if token.type != "fence":
            continue
        line = (token.map or [0])[0] + 1
        language, _, rest = token.info.partition(" ")
        if language == "console":
            yield from _commands(token.content, line, int(rest.removeprefix("exit=") or 0))
        elif rest:
            yield Step(line=line, text=token.content, path=rest)


def _commands(text: str, first: int, exit_code: int) -> Iterator[Step]:
    blocks: list[tuple[int, list[str], list[str]]] = []
    for number, line in enumerate(text.splitlines(), first + 1):
        if line.startswith("$ "):
            blocks.append((number, [line[2:]], []))
        elif line.startswith("> ") and not blocks[-1][2]:
            blocks[-1][1].append(line[2:])
        else:
            blocks[-1][2].append(line)
    for position, (number, command, shown) in enumerate(blocks, 1):
        code = exit_code if position == len(blocks) else 0
        yield Step(line=number, text="\n".join(command), shown=tuple(shown), exit_code=code)


def first_missing(shown: tuple[str, ...], printed: str) -> str | None:
    """The first shown line that was not printed where the page shows it; widths of columns do not count."""
    lines = [_narrow(line) for line in printed.splitlines()]
    position, may_skip = 0, False
    for line in shown:
        if line.strip() == LEFT_OUT:
            may_skip = True
            continue
        form = re.compile(".+?".join(map(re.escape, _narrow(line).split("…"))))
        found = next((at for at in range(position, len(lines)) if form.fullmatch(lines[at])), None)
        if found is None or (found > position and not may_skip):
            return line
        position, may_skip = found + 1, False
    return None if position == len(lines) or may_skip or not shown else "(the end of the output)"


def _narrow(line: str) -> str:
    """The line with single blanks and short rules."""
    return re.sub("-{3,}", "---", " ".join(line.split()))
