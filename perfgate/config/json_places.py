"""JSON with places: `json` decides what a file says, a scanner of our own says where it stands."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import dataclass

from perfgate.config.key_paths import MAX_DEPTH, MAX_NODES, BrokenTextError, KeyTree, Leaf, PathPart

_BLANK = re.compile(r"[ \t\n\r]*")
_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?")
_WORDS = {
    "true": "bool",
    "false": "bool",
    "null": "null",
    "NaN": "float",
    "Infinity": "float",
    "-Infinity": "float",
}
_PIECE = re.compile(r"\\u([0-9a-fA-F]{4})|\\(.)|([^\\])", re.DOTALL)
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_REPLACEMENT = "\ufffd"  # for half of a surrogate pair, which no encoding can write


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonNode:
    """A value of a JSON file: `kind` is `object`, `array` or a scalar's type, `text` a scalar's value."""

    kind: str
    start: int
    end: int
    text: str = ""
    members: tuple[tuple[JsonNode, JsonNode], ...] = ()
    items: tuple[JsonNode, ...] = ()

    def member(self, name: str) -> JsonNode | None:
        """The last member of an object with this name, which is the one JSON readers keep."""
        found = [value for key, value in self.members if key.text == name]
        return found[-1] if found else None


def load_json(text: str) -> JsonNode:
    """The tree of a JSON text.

    Raises:
        BrokenTextError: not JSON, nested deeper than 64, or more than 200,000 values.
    """
    scanner = _Scanner(text)
    return _checked_root(text, scanner)


def json_keys(text: str) -> KeyTree:
    """The leaves of a JSON text in document order; a repeated name keeps every value."""
    scanner = _Scanner(text)
    broken = None
    try:
        _checked_root(text, scanner)
    except BrokenTextError as error:
        broken = error
    return KeyTree(leaves=tuple(scanner.leaves), repeated=tuple(scanner.repeated), broken=broken)


def _checked_root(text: str, scanner: _Scanner) -> JsonNode:
    try:
        truth = json.loads(text, object_pairs_hook=_Pairs, parse_int=str, parse_float=str, parse_constant=str)
    except json.JSONDecodeError as error:
        scanner.read_before(error.pos)
        raise BrokenTextError(error.msg[:1].lower() + error.msg[1:], error.pos) from error
    except RecursionError as error:
        raise BrokenTextError(f"nested deeper than {MAX_DEPTH}", 0) from error
    root = scanner.root()
    if _plain(root) != _cleaned(truth):
        raise BrokenTextError("two readers of JSON disagree on this file", 0)
    return root


def decoded_string(text: str, start: int, end: int) -> tuple[str, list[int]]:
    """The string literal between two offsets, quotes included, with the offset of each decoded character."""
    characters: list[str] = []
    offsets: list[int] = []
    position = start + 1
    while position < end - 1:
        match = _PIECE.match(text, position)
        if match is None:  # a lone backslash cannot stand in a literal that the tokeniser accepted
            break
        character = match[3] or (chr(int(match[1], 16)) if match[1] else _ESCAPES.get(match[2], match[2]))
        next_position = match.end()
        if "\ud800" <= character <= "\udbff":
            character, next_position = _surrogate_pair(text, character, next_position)
        characters.append(_REPLACEMENT if "\ud800" <= character <= "\udfff" else character)
        offsets.append(position)
        position = next_position
    return "".join(characters), offsets


def _surrogate_pair(text: str, high: str, position: int) -> tuple[str, int]:
    match = _PIECE.match(text, position)
    low = int(match[1], 16) if match and match[1] else 0
    if match is None or not 0xDC00 <= low <= 0xDFFF:  # noqa: PLR2004 - the low half of UTF-16
        return high, position
    return chr(0x10000 + ((ord(high) - 0xD800) << 10) + (low - 0xDC00)), match.end()


class _Pairs(list[tuple[str, object]]):
    """The members of an object, told apart from an array; repeated names are kept."""


class _Scanner:
    """Reads values by recursive descent and collects the leaves on its way; wants a text that is JSON."""

    __slots__ = ("_nodes", "_text", "leaves", "repeated")

    def __init__(self, text: str) -> None:
        self._text = text
        self._nodes = 0
        self.leaves: list[Leaf] = []
        self.repeated: list[tuple[str, int]] = []

    def root(self) -> JsonNode:
        return self._value(0, ())[0]

    def read_before(self, end: int) -> None:
        """Collects the leaves before the place where the text stops being JSON."""
        self._text = self._text[:end]
        with suppress(BrokenTextError, IndexError):
            self.root()

    def _value(self, position: int, path: tuple[PathPart, ...]) -> tuple[JsonNode, int]:
        start = self._skip(position)
        self._nodes += 1
        if len(path) > MAX_DEPTH:
            raise BrokenTextError(f"nested deeper than {MAX_DEPTH}", start)
        if self._nodes > MAX_NODES:
            raise BrokenTextError(f"more than {MAX_NODES} values", start)
        sign = self._text[start]
        if sign == "{":
            return self._object(start, path)
        if sign == "[":
            return self._array(start, path)
        node, end = self._string(start) if sign == '"' else self._scalar(start)
        self.leaves.append(Leaf(path=path, type=node.kind, text=node.text, start=start, end=end))
        return node, end

    def _skip(self, position: int) -> int:
        match = _BLANK.match(self._text, position)
        return match.end() if match else position

    def _string(self, start: int) -> tuple[JsonNode, int]:
        match = _STRING.match(self._text, start)
        if match is None:
            raise BrokenTextError("expecting a string", start)
        text, _ = decoded_string(self._text, start, match.end())
        return JsonNode(kind="str", text=text, start=start, end=match.end()), match.end()

    def _scalar(self, start: int) -> tuple[JsonNode, int]:
        for word, kind in _WORDS.items():
            if self._text.startswith(word, start):
                end = start + len(word)
                return JsonNode(kind=kind, text=word, start=start, end=end), end
        match = _NUMBER.match(self._text, start)
        if match is None:
            raise BrokenTextError("expecting a value", start)
        kind = "float" if match[1] or match[2] else "int"
        return JsonNode(kind=kind, text=match[0], start=start, end=match.end()), match.end()

    def _object(self, start: int, path: tuple[PathPart, ...]) -> tuple[JsonNode, int]:
        members: list[tuple[JsonNode, JsonNode]] = []
        seen: set[str] = set()
        position = self._skip(start + 1)
        while self._text[position] != "}":
            key, position = self._string(position)
            if key.text in seen:
                self.repeated.append((key.text, key.start))
            seen.add(key.text)
            value, position = self._value(self._skip(position) + 1, (*path, key.text))
            members.append((key, value))
            position = self._after_comma(position)
        return JsonNode(kind="object", start=start, end=position + 1, members=tuple(members)), position + 1

    def _array(self, start: int, path: tuple[PathPart, ...]) -> tuple[JsonNode, int]:
        items: list[JsonNode] = []
        position = self._skip(start + 1)
        while self._text[position] != "]":
            item, position = self._value(position, (*path, len(items)))
            items.append(item)
            position = self._after_comma(position)
        return JsonNode(kind="array", start=start, end=position + 1, items=tuple(items)), position + 1

    def _after_comma(self, position: int) -> int:
        position = self._skip(position)
        return self._skip(position + 1) if self._text[position] == "," else position


def _plain(node: JsonNode) -> object:
    if node.kind == "object":
        return _Pairs((key.text, _plain(value)) for key, value in node.members)
    if node.kind == "array":
        return [_plain(item) for item in node.items]
    if node.kind == "bool":
        return node.text == "true"
    return None if node.kind == "null" else node.text


def _cleaned(value: object) -> object:
    if isinstance(value, _Pairs):
        return _Pairs((str(_cleaned(name)), _cleaned(item)) for name, item in value)
    if isinstance(value, list):
        return [_cleaned(item) for item in value]
    return re.sub("[\ud800-\udfff]", _REPLACEMENT, value) if isinstance(value, str) else value
