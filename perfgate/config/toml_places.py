"""TOML with places: `tomllib` decides what a file says, a scanner of our own says where it stands."""

from __future__ import annotations

import re
import tomllib
from contextlib import suppress
from datetime import date, datetime, time

from perfgate.config.key_paths import MAX_DEPTH, MAX_NODES, BrokenTextError, KeyTree, Leaf, PathPart

_BLANK = re.compile(r"[ \t]*")
_GAP = re.compile(r"(?:[ \t\r\n]++|#[^\n]*+)*+")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_STRINGS = (
    (re.compile(r'"""(?:\r?\n)?((?:[^"\\]++|\\.|"{1,2}(?!"))*+"{0,2})"""', re.DOTALL), True),
    (re.compile(r"'''(?:\r?\n)?((?:[^']++|'{1,2}(?!'))*+'{0,2})'''", re.DOTALL), False),
    (re.compile(r'"((?:[^"\\\n]++|\\.)*+)"'), True),
    (re.compile(r"'([^'\n]*)'"), False),
)
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([ \t]*\r?\n[ \t\r\n]*)|(.))", re.DOTALL)
_ESCAPES = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r"}
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d(?::\d\d)?[0-9.:+\-Zz]*)?|\d\d:\d\d[0-9.:]*")
_ATOM = re.compile(r"[A-Za-z0-9_.+-]+")
_PART = r"(?:\"[^\"\n]*+\"|'[^'\n]*+'|[A-Za-z0-9_-]++)[ \t]*+"
_DEEP_KEY = re.compile(rf"^[ \t\[]*+{_PART}(?:\.[ \t]*+{_PART}){{{MAX_DEPTH}}}", re.MULTILINE)
_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")

Path = tuple[PathPart, ...]


def toml_keys(text: str) -> KeyTree:
    """The leaves of a TOML text in document order; TOML itself refuses repeated keys."""
    scanner = _Scanner(text)
    try:
        truth = _truth(text, scanner)
        scanner.document()
    except BrokenTextError as error:
        return KeyTree(leaves=tuple(scanner.leaves), broken=error)
    found = {leaf.path: (leaf.type, leaf.text if leaf.type == "str" else None) for leaf in scanner.leaves}
    disagreement = (
        None if found == _flat(truth) else BrokenTextError("two readers of TOML disagree on this file", 0)
    )
    return KeyTree(leaves=tuple(scanner.leaves), broken=disagreement)


def _truth(text: str, scanner: _Scanner) -> dict[str, object]:
    deep = _DEEP_KEY.search(text)
    if deep is not None:  # the reader of the library would need time by the square of the parts
        raise BrokenTextError(f"nested deeper than {MAX_DEPTH}", deep.start())
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        broken = _broken(str(error), text)
        scanner.read_before(broken.offset)
        raise broken from error
    except RecursionError as error:
        raise BrokenTextError(f"nested deeper than {MAX_DEPTH}", 0) from error
    except ValueError as error:  # a whole number of more digits than Python converts
        raise BrokenTextError("a number has too many digits", 0) from error


def _broken(message: str, text: str) -> BrokenTextError:
    match = _PLACE.search(message)
    reason = message[: match.start()] if match else message
    offset = max(len(text.rstrip()) - 1, 0)
    if match and match[1]:
        lines = text.replace("\r\n", " \n").split("\n")
        offset = sum(len(line) + 1 for line in lines[: int(match[1]) - 1]) + int(match[2]) - 1
    return BrokenTextError(reason[:1].lower() + reason[1:], offset)


class _Scanner:
    """Walks a text that is known to be TOML and collects its leaves."""

    __slots__ = ("_arrays", "_text", "leaves")

    def __init__(self, text: str) -> None:
        self._text = text
        self._arrays: dict[Path, int] = {}
        self.leaves: list[Leaf] = []

    def document(self) -> None:
        table: Path = ()
        position = self._gap(0)
        while position < len(self._text):
            if self._text[position] == "[":
                table, position = self._header(position)
            else:
                position = self._pair(position, table, 0)
            position = self._gap(position)

    def read_before(self, end: int) -> None:
        """Collects the leaves of the lines before the place where the text stops being TOML."""
        self._text = self._text[: self._text.rfind("\n", 0, end) + 1]
        with suppress(BrokenTextError, IndexError):
            self.document()

    def _gap(self, position: int) -> int:
        match = _GAP.match(self._text, position)
        return match.end() if match else position

    def _blank(self, position: int) -> int:
        match = _BLANK.match(self._text, position)
        return match.end() if match else position

    def _header(self, position: int) -> tuple[Path, int]:
        brackets = 2 if self._text.startswith("[[", position) else 1
        names, position = self._key(position + brackets)
        path: Path = ()
        for name in names[:-1]:
            path = self._entered((*path, name))
        path = (*path, names[-1])
        if brackets > 1:
            self._arrays[path] = self._arrays.get(path, 0) + 1
        return self._entered(path), position + brackets

    def _entered(self, path: Path) -> Path:
        count = self._arrays.get(path)
        return path if count is None else (*path, count - 1)

    def _key(self, position: int) -> tuple[list[str], int]:
        names: list[str] = []
        while True:
            position = self._blank(position)
            if self._text[position] in "\"'":
                name, position = self._string(position)
            else:
                match = _BARE_KEY.match(self._text, position)
                if match is None:
                    raise BrokenTextError("expecting a key", position)
                name, position = match[0], match.end()
            names.append(name)
            position = self._blank(position)
            if self._text[position] != ".":
                return names, position
            position += 1

    def _pair(self, position: int, table: Path, depth: int) -> int:
        names, position = self._key(position)
        return self._value(self._blank(position + 1), (*table, *names), depth)

    def _value(self, position: int, path: Path, depth: int) -> int:
        if depth > MAX_DEPTH:
            raise BrokenTextError(f"nested deeper than {MAX_DEPTH}", position)
        if len(self.leaves) > MAX_NODES:
            raise BrokenTextError(f"more than {MAX_NODES} values", position)
        sign = self._text[position]
        if sign == "[":
            return self._array(position, path, depth)
        if sign == "{":
            return self._inline_table(position, path, depth)
        if sign in "\"'":
            text, end = self._string(position)
            return self._leaf(path, "str", text, (position, end))
        return self._atom(position, path)

    def _atom(self, position: int, path: Path) -> int:
        match = _DATE.match(self._text, position)
        if match is not None:
            return self._leaf(path, "date", match[0].rstrip(), (position, match.end()))
        match = _ATOM.match(self._text, position)
        if match is None:
            raise BrokenTextError("expecting a value", position)
        return self._leaf(path, _atom_type(match[0]), match[0], (position, match.end()))

    def _leaf(self, path: Path, kind: str, text: str, place: tuple[int, int]) -> int:
        self.leaves.append(Leaf(path=path, type=kind, text=text, start=place[0], end=place[1]))
        return place[1]

    def _array(self, position: int, path: Path, depth: int) -> int:
        index = 0
        position = self._gap(position + 1)
        while self._text[position] != "]":
            position = self._gap(self._value(position, (*path, index), depth + 1))
            index += 1
            if self._text[position] == ",":
                position = self._gap(position + 1)
        return position + 1

    def _inline_table(self, position: int, path: Path, depth: int) -> int:
        position = self._gap(position + 1)
        while self._text[position] != "}":
            position = self._gap(self._pair(position, path, depth + 1))
            if self._text[position] == ",":
                position = self._gap(position + 1)
        return position + 1

    def _string(self, position: int) -> tuple[str, int]:
        for pattern, has_escapes in _STRINGS:
            match = pattern.match(self._text, position)
            if match is None:
                continue
            body = match[1].replace("\r\n", "\n")
            return (_ESCAPE.sub(_unescaped, body) if has_escapes else body), match.end()
        raise BrokenTextError("expecting a string", position)


def _unescaped(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    if code:
        return chr(int(code, 16))
    return "" if match[3] else _ESCAPES.get(match[4], match[4])


def _atom_type(text: str) -> str:
    if text in {"true", "false"}:
        return "bool"
    if text.startswith(("0x", "0o", "0b")):
        return "int"
    return "float" if re.search(r"[.eE]|inf|nan", text) else "int"


def _flat(truth: dict[str, object]) -> dict[Path, tuple[str, str | None]]:
    found: dict[Path, tuple[str, str | None]] = {}
    pending: list[tuple[Path, object]] = [((), truth)]
    while pending:
        path, value = pending.pop()
        if isinstance(value, dict):
            pending.extend(((*path, name), item) for name, item in value.items())
        elif isinstance(value, list):
            pending.extend(((*path, index), item) for index, item in enumerate(value))
        else:
            found[path] = (_type_of(value), value if isinstance(value, str) else None)
    return found


def _type_of(value: object) -> str:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, datetime | date | time):
        return "date"
    return {int: "int", float: "float"}.get(type(value), "str")
