"""Logical lines of a Makefile: recipe lines as they are, other lines joined and without comments."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from perfgate.config.spans import joined

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfgate.config.spans import Placed, Source

MAX_JOINED = 4_096  # lines joined at backslashes
_PREFIX = re.compile(r"\s*\.RECIPEPREFIX\s*:?=\s*(\S?)")
_CONDITIONAL = re.compile(r"\s*(ifeq|ifneq|ifdef|ifndef|else|endif)\b")
_DEFINE = re.compile(r"\s*(?:(?:override|export)\s+)*define\b")
_ENDEF = re.compile(r"\s*endef\b")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MakeLine:
    """A logical line. Of a recipe the text begins behind the tab and keeps its continuations."""

    text: Placed
    is_recipe: bool = False


def make_lines(source: Source) -> Iterator[MakeLine]:
    """The logical lines of a Makefile; inside of `define` all lines count as they are."""
    lines = _physical(source)
    prefix, in_rule, in_define = "\t", False, False
    index = 0
    while index < len(lines):
        line = lines[index]
        if in_define:
            in_define = _ENDEF.match(line.text) is None
            yield MakeLine(text=line)
            index += 1
            continue
        is_recipe = in_rule and line.text.startswith(prefix)
        if is_recipe:
            parts, index = _continued(lines, index)
            yield MakeLine(text=_recipe(parts, prefix), is_recipe=True)
            continue
        parts, index = _continued(lines, index)
        text = _plain(parts)
        changed = _PREFIX.match(text.text)
        prefix = (changed[1] or "\t") if changed else prefix
        in_define = _DEFINE.match(text.text) is not None
        if text.text.strip() and _CONDITIONAL.match(text.text) is None:
            in_rule = is_rule(text.text)
        yield MakeLine(text=text)


def is_rule(text: str) -> bool:
    """The line has a colon that belongs to no assignment operator and stands outside of references."""
    return rule_colon(text) >= 0


def rule_colon(text: str) -> int:
    """The index of the colon behind the targets, or -1."""
    depth = 0
    for index, sign in enumerate(text):
        if sign in "({":
            depth += 1
        elif sign in ")}":
            depth -= 1
        elif depth > 0:
            continue
        elif sign == "=":
            return -1
        elif sign == ":":
            return -1 if re.match(r":{1,3}=", text[index:]) else index
    return -1


def _physical(source: Source) -> list[Placed]:
    whole = source.whole()
    starts = [*source.line_starts, len(source.text) + 1]
    return [whole.cut(start, end - 1) for start, end in pairwise(starts)]


def _continued(lines: list[Placed], index: int) -> tuple[list[Placed], int]:
    parts: list[Placed] = []
    while index < len(lines):
        parts.append(lines[index])
        index += 1
        if not _goes_on(parts[-1].text) or len(parts) > MAX_JOINED:
            break
    return parts, index


def _goes_on(text: str) -> bool:
    return (len(text) - len(text.rstrip("\\"))) % 2 == 1


def _recipe(parts: list[Placed], prefix: str) -> Placed:
    """The shell gets the continuations; only the sign that marks a recipe goes from each line."""
    kept: list[Placed] = []
    for index, part in enumerate(parts):
        if index:
            kept.append(parts[index - 1].cut(0, 0).standing_for("\n"))
        kept.append(part.cut(1, len(part)) if part.text.startswith(prefix) else part)
    return joined(kept, parts[0])


def _plain(parts: list[Placed]) -> Placed:
    """The line joined by blanks, without its comment."""
    kept: list[Placed] = []
    for index, part in enumerate(parts):
        is_last = index == len(parts) - 1
        if index and not part.text.strip(" \t\\"):
            continue
        body = part if is_last else part.cut(0, len(part) - 1)
        if index:
            body = body.stripped()
            kept.append(body.cut(0, 0).standing_for(" "))
        kept.append(body if is_last else body.cut(0, len(body.text.rstrip())))
    text = joined(kept, parts[0])
    end = _comment_start(text.text)
    return text if end < 0 else text.cut(0, end)


def _comment_start(text: str) -> int:
    """The index of the `#` that begins a comment, or -1; behind a backslash it is only a sign."""
    position = text.find("#")
    while position > 0 and text[position - 1] == "\\":
        position = text.find("#", position + 1)
    return position
