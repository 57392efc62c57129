"""Our own YAML files (suites, policy) read strictly into typed values, each message with its place.

PyYAML gives the nodes and their places, msgspec checks the types; this module joins the two. Scalars keep
their text until their declared type reads them: `no`, `1e3` and `1:30` mean what the declaration says.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec
import yaml

from perfgate.config.suggest import near_names

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from perfgate.core.errors import PerfgateError

MAX_BYTES = 256 * 1024
MAX_DEPTH = 32

T = TypeVar("T")
Location = tuple[str | int, ...]
Loader: Any = getattr(
    yaml, "CSafeLoader", yaml.SafeLoader
)  # the C loader is 10 times faster, not always built


class Document(msgspec.Struct, Generic[T], frozen=True):
    """A checked file. `places` maps a location such as `("benchmarks", 0, "name")` to line and column."""

    value: T
    path: str
    places: dict[Location, tuple[int, int]]

    def where(self, *location: str | int) -> str:
        """`file:line:column` of the location, or of its nearest parent."""
        while location and location not in self.places:
            location = location[:-1]
        line, column = self.places.get(location, (1, 1))
        return f"{self.path}:{line}:{column}"


def read_typed(data: bytes, path: str, target: type[T], error: type[PerfgateError]) -> Document[T]:
    """Check the bytes of a YAML file against a msgspec type.

    Refused: bytes that are not UTF-8, more than 256 KiB, more than 32 levels, anchors, aliases, tags, several
    documents, duplicate and unknown keys, values of another type.

    Raises:
        PerfgateError: of the given class; names the place, what was expected and the nearest known key.
    """
    reader = _Reader(path, error)
    node = reader.compose(data)
    plain = reader.plain(node, ())
    try:
        value = msgspec.convert(plain, target, strict=False)
    except msgspec.ValidationError as problem:
        raise reader.explain(str(problem), target, plain) from None
    return Document(value, path, reader.places)


class _Reader:
    """One file on its way from bytes to plain data; remembers where each value stands."""

    def __init__(self, path: str, error: type[PerfgateError]) -> None:
        self.path = path
        self.error = error
        self.places: dict[Location, tuple[int, int]] = {}

    def compose(self, data: bytes) -> Any:  # noqa: ANN401 - a PyYAML node, for which the stubs have no one type
        if len(data) > MAX_BYTES:
            raise self.error(
                f"{len(data):,} bytes are too many", self.path, f"keep it under {MAX_BYTES:,} bytes"
            )
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as problem:
            raise self.error(
                f"byte {problem.start} is not UTF-8", self.path, "save the file as UTF-8"
            ) from None
        try:
            self._scan(text)
            node = yaml.compose(text, Loader=Loader)
        except yaml.MarkedYAMLError as problem:
            mark = problem.problem_mark or problem.context_mark
            raise self.error(
                f"broken YAML, {problem.problem}", self._at(mark), "mend the syntax there"
            ) from None
        except yaml.YAMLError as problem:
            what = str(problem).splitlines()[0]
            raise self.error(f"broken YAML, {what}", self.path, "remove that character") from None
        if node is None:
            raise self.error("the file is empty", self.path, "write at least `version: 1`")
        return node

    def _scan(self, text: str) -> None:
        """Walk the events first: composing a hostile file may recurse without end."""
        depth = 0
        for event in yaml.parse(text, Loader=Loader):
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                raise self.error("an anchor or alias", self._at(event.start_mark), "write the value out")
            tag = getattr(event, "tag", None)
            if tag:
                raise self.error(f"the tag {tag!r}", self._at(event.start_mark), "remove the tag")
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > MAX_DEPTH:
                raise self.error(f"more than {MAX_DEPTH} levels", self._at(event.start_mark), "nest less")

    def plain(self, node: Any, location: Location) -> Any:  # noqa: ANN401 - PyYAML node in, JSON-like data out
        """Nodes as dicts, lists and texts; an empty or `null` scalar is None."""
        self.places[location] = (node.start_mark.line + 1, node.start_mark.column + 1)
        if isinstance(node, yaml.MappingNode):
            return dict(self._items(node, location))
        if isinstance(node, yaml.SequenceNode):
            return [self.plain(child, (*location, index)) for index, child in enumerate(node.value)]
        if node.style is None and node.value in {"", "~", "null"}:
            return None
        return node.value

    def _items(self, node: yaml.MappingNode, location: Location) -> Iterator[tuple[str, Any]]:
        seen: set[str] = set()
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise self.error("a key that is no text", self._at(key.start_mark), "write a plain key")
            if key.value in seen:
                raise self.error(f"the key {key.value!r} twice", self._at(key.start_mark), "keep one of them")
            seen.add(key.value)
            yield key.value, self.plain(value, (*location, key.value))
            self.places[(*location, key.value)] = (key.start_mark.line + 1, key.start_mark.column + 1)

    def explain(self, problem: str, target: type[Any], plain: object) -> PerfgateError:
        """A message of msgspec, which ends in a path such as `$.benchmarks[0]`, as one of ours."""
        message, _, trail = problem.partition(" - at `")
        location = _location(trail.rstrip("`"))
        unknown = re.search(r"unknown field `(.*)`", message)
        if unknown:
            key = unknown[1]
            is_inside = "[...]" in trail  # in a mapping whose keys are free; msgspec does not say under which
            remedy = did_you_mean(key, _keys_at(target, location, is_inside=is_inside))
            if is_inside:
                location = (*location, _holder(plain, location, key))
            return self.error(f"unknown key {key!r}", self._where((*location, key)), remedy)
        message = message.replace("Object missing required field", "missing key").replace("`", "'")
        message = message[:1].lower() + message[1:]
        if message.startswith("expected") and location and "[...]" not in trail:
            # Scalars are still text here, so "got str" would say nothing; the value as written does.
            message = f"{location[-1]!r} is {_shown(plain, location)}, {message.partition(', got')[0]}"
        return self.error(message, self._where(location), "correct the value")

    def _where(self, location: Location) -> str:
        return Document(None, self.path, self.places).where(*location)

    def _at(self, mark: Any) -> str:  # noqa: ANN401 - PyYAML's mark, or None
        return self.path if mark is None else f"{self.path}:{mark.line + 1}:{mark.column + 1}"


def did_you_mean(name: str, known: Collection[str]) -> str:
    """The remedy for a name nobody knows: the nearest one, else all of them."""
    near = near_names(name, known, limit=1)
    return f"did you mean {near[0]!r}?" if near else f"want one of {', '.join(sorted(known))}"


def quoted_scalar(text: str) -> str:
    """A text as one YAML scalar; only double quotes keep a line end or another control character."""
    if re.fullmatch(r"(?!\.{3})[\w./][\w./-]*", text):  # `-`, `---` and `...` mean something
        return text
    if text.isprintable():
        return "'" + text.replace("'", "''") + "'"
    return str(yaml.safe_dump(text, default_style='"', width=sys.maxsize)).rstrip("\n")


def _location(trail: str) -> Location:
    """`$.a[0][...].b` -> ("a", 0): `[...]` stands for some key of a mapping, so the trail ends there."""
    known = trail.split("[...]", 1)[0]
    steps = re.findall(r"\.([^.\[]+)|\[(\d+)\]", known)
    return tuple(name or int(index) for name, index in steps)


def _shown(plain: Any, location: Location) -> str:  # noqa: ANN401 - JSON-like data
    for step in location:
        plain = plain[step]
    return "a list" if isinstance(plain, list) else "a mapping" if isinstance(plain, dict) else repr(plain)


def _holder(plain: Any, location: Location, key: str) -> str:  # noqa: ANN401 - JSON-like data
    """Which of the mappings inside the one at this location has the key first."""
    for step in location:
        plain = plain[step]
    holders = (str(name) for name, inner in plain.items() if isinstance(inner, dict) and key in inner)
    return next(holders, "")


def _keys_at(target: type[Any], location: Location, *, is_inside: bool = False) -> list[str]:
    """The keys that the mapping at this location may have, or each mapping inside it, by the JSON Schema."""
    (schema,), components = msgspec.json.schema_components([target], ref_template="{name}")
    places = [schema]
    for step in (None, *location):
        places = [components.get(place.get("$ref", ""), place) for place in _choices(places)]
        if isinstance(step, str):
            places = [part for place in places if (part := place.get("properties", {}).get(step))]
        elif step is not None:
            places = [place["items"] for place in places if "items" in place]
    places = [components.get(place.get("$ref", ""), place) for place in _choices(places)]
    if is_inside:
        inner = [place["additionalProperties"] for place in places if "additionalProperties" in place]
        places = [
            components.get(place.get("$ref", ""), place)
            for place in _choices([place for place in inner if isinstance(place, dict)])
        ]
    return sorted({name for place in places for name in place.get("properties", {})})


def _choices(places: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A union's members instead of the union."""
    return [choice for place in places for choice in place.get("anyOf", [place])]
