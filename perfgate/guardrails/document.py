"""A rule file as a tree of nodes with places, read under limits that no file can exceed.

Only text and structure are taken from YAML: no tag, alias, second document or type resolution, so that
`no`, `1:30` and `017` keep the meaning their author saw.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import yaml

from perfgate.core.errors import UnusableError
from perfgate.core.finding import Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfgate.guardrails.rule import RuleSource

MAX_BYTES = 1024 * 1024
MAX_DEPTH = 32
MAX_NODES = 50_000
REST_LENGTH = 200  # of a line is kept behind a scalar; a whole line per scalar would be quadratic
_BOM = b"\xef\xbb\xbf"
_QUOTE_HINT = re.compile(r"^(?P<key>[\s\-{]*[\w.]+):\s+(?P<value>[<>|].*?)\s*$")
_COLON_HINT = re.compile(
    r"^(?P<key>\s*(?:-\s+)?[\w.]+):\s+(?P<value>(?:warn |note )?(?:require|forbid)\b.*: .*?)\s*$"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A scalar (`text`), a list (`items`) or a mapping (`pairs`, repeats kept); exactly one is not None.

    `is_plain`: written without quotes. `rest` is what follows a plain scalar on its line.
    """

    place: Place
    text: str | None = None
    items: tuple[Node, ...] | None = None
    pairs: tuple[tuple[Node, Node], ...] | None = None
    is_plain: bool = False
    is_block: bool = False
    rest: str = ""

    @property
    def is_null(self) -> bool:
        """Nothing written, `~` or `null`."""
        return self.is_plain and self.text in {"", "~", "null", "Null", "NULL"}

    def get(self, name: str) -> Node | None:
        """The value of a key of a mapping, or None."""
        return next((value for key, value in self.pairs or () if key.text == name), None)

    def scalar(self) -> str:
        """The text of a scalar; empty for other nodes, which a checked tree never asks for."""
        return self.text or ""

    def texts(self) -> tuple[str, ...]:
        """The texts of a list, or of one scalar as a list of one."""
        return tuple(item.scalar() for item in self.entries())

    def entries(self) -> tuple[Node, ...]:
        """The items of a list, or the node itself as a list of one."""
        return (self,) if self.items is None else self.items


def read_document(source: RuleSource) -> Node | None:
    """The root node, or None for a file without content.

    Raises:
        UnusableError: too large, not UTF-8, not YAML, or outside the limits; names file:line:column.
    """
    if len(source.text) > MAX_BYTES:
        raise UnusableError("rule file is too large", source.path, "keep rule files below 1 MiB")
    text = _decoded(source)
    try:
        _check_events(source.path, text)
        node = yaml.compose(text, Loader=_loader())
    except yaml.YAMLError as error:
        raise _explained(source.path, text, error) from None
    except RecursionError:
        raise UnusableError(
            "rule file is nested too deeply", source.path, f"at most {MAX_DEPTH} levels"
        ) from None
    lines = text.split("\n")
    return None if node is None else _node(source.path, node, lines)


def _decoded(source: RuleSource) -> str:
    data = source.text.removeprefix(_BOM)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line, column = before.count(b"\n") + 1, error.start - before.rfind(b"\n")
        where = f"{source.path}:{line}:{column}"
        raise UnusableError("rule file is not UTF-8", where, "save it as UTF-8") from None
    return text.replace("\r\n", "\n")


def _loader() -> type[Any]:  # PyYAML types its two loaders without a common base
    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _check_events(path: str, text: str) -> None:
    depth = documents = nodes = 0
    for event in yaml.parse(text, Loader=_loader()):
        mark = event.start_mark
        where = path if mark is None else f"{path}:{mark.line + 1}:{mark.column + 1}"
        if isinstance(event, yaml.DocumentStartEvent):
            documents += 1
            if documents > 1:
                raise UnusableError("second document in a rule file", where, "keep all rules in one document")
        if isinstance(event, yaml.AliasEvent):
            raise UnusableError("alias in a rule file", where, "write the value out")
        if isinstance(event, (yaml.ScalarEvent, yaml.CollectionStartEvent)) and event.tag is not None:
            raise UnusableError("tag in a rule file", where, f"remove {event.tag!r}")
        nodes += isinstance(event, (yaml.ScalarEvent, yaml.CollectionStartEvent))
        if nodes > MAX_NODES:
            raise UnusableError(f"rule file has more than {MAX_NODES} entries", where, "split or shorten it")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise UnusableError("rule file is nested too deeply", where, f"at most {MAX_DEPTH} levels")


def _node(path: str, node: yaml.nodes.Node, lines: list[str]) -> Node:
    start, end = node.start_mark, node.end_mark
    place = Place(
        path=path,
        line=start.line + 1,
        column=start.column + 1,
        end_line=end.line + 1,
        end_column=end.column + 1,
    )
    if isinstance(node, yaml.MappingNode):
        pairs = tuple((_node(path, key, lines), _node(path, value, lines)) for key, value in node.value)
        return Node(place=place, pairs=pairs)
    if isinstance(node, yaml.SequenceNode):
        return Node(place=place, items=tuple(_node(path, item, lines) for item in node.value))
    if not isinstance(node, yaml.ScalarNode):
        raise TypeError(f"unexpected node {type(node).__name__}")  # YAML has three kinds
    is_plain = not node.style
    rest = (
        lines[end.line][end.column : end.column + REST_LENGTH] if is_plain and end.line < len(lines) else ""
    )
    is_block = node.style in {"|", ">"}
    return Node(place=place, text=node.value, is_plain=is_plain, is_block=is_block, rest=rest)


def _explained(path: str, text: str, error: yaml.YAMLError) -> UnusableError:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if mark is None:  # the reader refused a sign, for example a zero byte
        offset = getattr(error, "position", 0)
        before = text[: offset if isinstance(offset, int) else 0]
        where = f"{path}:{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}"
        return UnusableError("rule file holds a sign that YAML forbids", where, "is this a text file?")
    where = f"{path}:{mark.line + 1}:{mark.column + 1}"
    problem = str(getattr(error, "problem", None) or "cannot be read")
    if "nesting depth" in problem:  # the C scanner looks ahead and stops before the events do
        return UnusableError("rule file is nested too deeply", where, f"at most {MAX_DEPTH} levels")
    for line in _around(text, mark.line):
        hint = _COLON_HINT.match(line) or _QUOTE_HINT.match(line)
        if hint:
            value = hint["value"].replace('"', "'")
            return UnusableError(f"not YAML ({problem})", where, f'write {hint["key"].strip()}: "{value}"')
    return UnusableError(
        f"not YAML ({problem})", where, "mend the line; quote texts that hold : # { [ or begin with >"
    )


def _around(text: str, line: int) -> Iterator[str]:
    lines = text.split("\n")
    for index in (line, line - 1):  # the reader may notice only on the next line
        if 0 <= index < len(lines):
            yield lines[index]
