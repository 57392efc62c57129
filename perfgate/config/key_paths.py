"""Leaves of JSON, YAML and TOML files: how their paths are written and how they become keys with places.

The three readers differ only in how they find leaves; what a path looks like, and how leaves become facts, is
said once here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.config.facts import Key

if TYPE_CHECKING:
    from perfgate.config.spans import Source

MAX_DEPTH = 64  # nesting of checked files, GUARDRAILS section 9
MAX_NODES = 200_000  # nodes walked, values behind aliases counted each time, GUARDRAILS section 9

PathPart = str | int

_BARE = re.compile(r"[\w-]+")


class BrokenTextError(Exception):
    """A file that cannot be read to its end; `offset` is the character where it breaks."""

    def __init__(self, reason: str, offset: int) -> None:
        self.reason = reason
        self.offset = offset
        super().__init__(reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """A scalar of a key file; `start` and `end` are character offsets of the value as written."""

    path: tuple[PathPart, ...]
    type: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyTree:
    """All leaves in document order, and each repeated key with the offset of its repetition.

    `broken`: the leaves are those before the place where the file cannot be read on.
    """

    leaves: tuple[Leaf, ...]
    repeated: tuple[tuple[str, int], ...] = ()
    broken: BrokenTextError | None = None


def written_path(parts: tuple[PathPart, ...]) -> str:
    """A path as people write it: `stages[1].name`; other names than of letters, digits, `_`, `-` quoted."""
    written = ""
    for part in parts:
        if isinstance(part, int):
            written += f"[{part}]"
            continue
        name = part if _BARE.fullmatch(part) else _quoted(part)
        written = f"{written}.{name}" if written else name
    return written


def _quoted(part: str) -> str:
    escaped = part.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def keys_of(tree: KeyTree, source: Source) -> tuple[Key, ...]:
    """The leaves of a tree as facts."""
    return tuple(
        Key(
            path=written_path(leaf.path),
            type=leaf.type,
            text=leaf.text,
            span=source.span(leaf.start, leaf.end),
        )
        for leaf in tree.leaves
    )
