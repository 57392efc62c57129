"""The escapes of `$'...'`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from perfgate.config.bash.syntax import Literal

if TYPE_CHECKING:
    from perfgate.config.spans import Placed

_ESCAPE = re.compile(
    r"\\(?:(?P<octal>[0-7]{1,3})|x(?P<byte>[0-9A-Fa-f]{1,2})|u(?P<four>[0-9A-Fa-f]{1,4})"
    r"|U(?P<eight>[0-9A-Fa-f]{1,8})|c(?P<control>.)|(?P<sign>.))",
    re.DOTALL,
)
_SIGNS = dict(zip("abeEfnrtv", "\a\b\x1b\x1b\f\n\r\t\v", strict=True))
_AS_IS = frozenset("\\'\"?")
_LAST_CHARACTER = 0x10FFFF


def ansi_literals(text: Placed) -> list[Literal]:
    """The literals that the text between `$'` and `'` stands for; an empty text is one empty literal."""
    literals: list[Literal] = []
    start = 0
    for found in _ESCAPE.finditer(text.text):
        if found.start() > start:
            literals.append(Literal(text.cut(start, found.start()), quoted=True))
        raw = text.cut(found.start(), found.end())
        literals.append(Literal(raw.standing_for(_decoded(found)), quoted=True))
        start = found.end()
    if start < len(text) or not literals:
        literals.append(Literal(text.cut(start, len(text)), quoted=True))
    return literals


def _decoded(found: re.Match[str]) -> str:
    code = _code(found)
    if code is not None:
        return chr(code) if code <= _LAST_CHARACTER else ""
    if found["control"]:
        return chr(ord(found["control"]) & 0x1F)
    sign = found["sign"]
    if sign in _SIGNS:
        return _SIGNS[sign]
    return sign if sign in _AS_IS else f"\\{sign}"


def _code(found: re.Match[str]) -> int | None:
    for group, base in (("octal", 8), ("byte", 16), ("four", 16), ("eight", 16)):
        if found[group]:
            return int(found[group], base)
    return None
