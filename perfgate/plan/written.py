"""One replacement in one file, as characters and as bytes; everything else of the file stays as it is."""

from __future__ import annotations

from dataclasses import dataclass

from perfgate.guardrails.fix import decoded, encoded
from perfgate.guardrails.patch import SourceText

_BOM_SIZE = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """The bytes `old` at `offset` of a file become `new`; `line` is 1-based, `data` the file afterwards."""

    line: int
    offset: int
    old: bytes
    new: bytes
    data: bytes


def replaced(data: bytes, start: int, end: int, text: str) -> Written:
    """Replace the characters `start` to before `end` of the file's text (without a byte order mark).

    Raises:
        NotCertainError: the file's encoding cannot hold the text.
    """
    whole, encoding = decoded(data)
    after = encoded(whole[:start] + text + whole[end:], encoding)
    plain = encoding.removesuffix("-sig")
    offset = len(whole[:start].encode(plain)) + (_BOM_SIZE if encoding != plain else 0)
    return Written(
        line=SourceText(whole).place("", start, end).line,
        offset=offset,
        old=whole[start:end].encode(plain),
        new=text.encode(plain),
        data=after,
    )
