"""The ways in which a key and its value can be written into YAML, JSON or TOML text, likeliest first.

Nothing here is certain: whoever uses a form reads the result again.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from perfgate.config.key_paths import written_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from perfgate.config.key_paths import Leaf, PathPart
    from perfgate.guardrails.patch import SourceText

Form = tuple[int, int, str]  # replace the characters from start to before end by the text

_QUOTES = "\"'"
_CLOSERS = frozenset("}]")
_PLAIN = re.compile(r"[^\s\"'#,:{}\[\]\\&*!|>%@`](?:[^\r\n\"'#,:{}\[\]\\]*[^\s\"'#,:{}\[\]\\])?")
_ITEM = re.compile(r"[ \t]*(?:-[ \t]+)*")


def value_forms(value: str, written: str = "") -> Iterator[str]:
    """The value as text, in the quotes of what was written there, plain, or as a JSON string."""
    if written[:1] and written[0] in _QUOTES and _PLAIN.fullmatch(value):
        yield f"{written[0]}{value}{written[0]}"
    if _PLAIN.fullmatch(value):
        yield value
    yield json.dumps(value, ensure_ascii=False)


def added_forms(
    source: SourceText, leaves: Sequence[Leaf], parts: tuple[PathPart, ...], value: str
) -> Iterator[Form]:
    """A new key behind the last of its siblings; missing parents come with it."""
    depth = _known_depth(leaves, parts)
    rest = parts[depth:]
    if not rest or not all(isinstance(part, str) for part in rest):
        return
    family = [leaf for leaf in leaves if leaf.path[:depth] == parts[:depth]]
    siblings = [leaf for leaf in family if len(leaf.path) == depth + 1]
    for written in value_forms(value):
        if not family:
            yield from _first_forms(source, rest, written)
        for last in (family[-1:] if family else []) + siblings[-1:]:
            texts = _texts(rest, written)
            yield from _behind_line(source, last, siblings, texts, is_top=depth == 0)
            yield from _behind_comma(source, _member_end(source.text, last, depth), texts)


def _known_depth(leaves: Sequence[Leaf], parts: tuple[PathPart, ...]) -> int:
    """How many parts of the path the file has already."""
    depth = 0
    while depth + 1 < len(parts) and any(leaf.path[: depth + 1] == parts[: depth + 1] for leaf in leaves):
        depth += 1
    return depth


def _texts(rest: tuple[PathPart, ...], value: str) -> list[str]:
    """`name: value`, `"name": value` and `name = value`; parents as mappings on the same line."""
    names = [str(part) for part in rest]
    plain, quoted = value, value
    for name in reversed(names[1:]):
        plain, quoted = f"{{{_name(name)}: {plain}}}", f"{{{json.dumps(name)}: {quoted}}}"
    return [
        f"{_name(names[0])}: {plain}",
        f"{json.dumps(names[0])}: {quoted}",
        f"{written_path(tuple(names))} = {value}",
    ]


def _name(name: str) -> str:
    return written_path((name,))


def _first_forms(source: SourceText, rest: tuple[PathPart, ...], value: str) -> Iterator[Form]:
    """Into a file that has no key yet."""
    text, end = source.text, len(source.text)
    gap = "" if not text or text.endswith("\n") else source.newline()
    for new in _texts(rest, value):
        yield end, end, f"{gap}{new}{source.newline()}"
        brace = text.find("{")
        if brace >= 0:
            yield brace + 1, brace + 1, new


def _behind_line(
    source: SourceText, last: Leaf, siblings: Sequence[Leaf], texts: Sequence[str], *, is_top: bool
) -> Iterator[Form]:
    """On a line of its own, as deep as its siblings stand."""
    indents = dict.fromkeys(
        [*([""] if is_top else []), *(_indent(source, leaf.start) for leaf in siblings[::-1])]
    )
    end = _line_end(source, last.end)
    for indent in indents:
        for text in texts:
            yield end, end, f"{source.newline()}{indent}{text}"


def _behind_comma(source: SourceText, at: int, texts: Sequence[str]) -> Iterator[Form]:
    """Behind a comma, on a line of its own if the member before it ends its line."""
    is_last_of_line = at == _line_end(source, at)
    gap = f"{source.newline()}{_indent(source, at)}" if is_last_of_line else " "
    for text in texts:
        yield at, at, f",{gap}{text}"


def _member_end(text: str, leaf: Leaf, depth: int) -> int:
    """Behind the brackets that end the member in which the leaf stands; in block style there are none."""
    at = leaf.end
    for _ in range(len(leaf.path) - depth - 1):
        rest = text[at:]
        closing = len(rest) - len(rest.lstrip())
        if rest[closing : closing + 1] not in _CLOSERS:
            return leaf.end
        at += closing + 1
    return at


def _indent(source: SourceText, at: int) -> str:
    """The blanks that begin the line; a list's dash counts as one."""
    match = _ITEM.match(source.text, source.line_start(at))
    return " " * len(match[0]) if match and "-" in match[0] else match[0] if match else ""


def _line_end(source: SourceText, at: int) -> int:
    """Before the line end, whichever the file uses."""
    end = source.line_end(at)
    return end - 1 if source.text[at:end].endswith("\r") else end


def removed_forms(source: SourceText, leaf: Leaf) -> Iterator[Form]:
    """The key with its line, or with the comma before or behind it."""
    text = source.text
    head, tail = source.line_start(leaf.start), source.line_end(leaf.end)
    if tail == len(text) and head:
        yield head - (2 if text[:head].endswith("\r\n") else 1), tail, ""
    yield head, min(tail + 1, len(text)), ""
    start = text.rfind(str(leaf.path[-1]), 0, leaf.start)
    if start < 0:
        return
    start -= 1 if text[start - 1 : start] and text[start - 1] in _QUOTES else 0
    lead = text[:start].rstrip()
    if lead.endswith(","):
        yield len(lead) - 1, leaf.end, ""
    rest = text[leaf.end :]
    if rest.lstrip().startswith(","):
        gap = len(rest) - len(rest.lstrip()) + 1
        behind = rest[gap:]
        yield start, leaf.end + gap + len(behind) - len(behind.lstrip()), ""
    yield start, leaf.end, ""
