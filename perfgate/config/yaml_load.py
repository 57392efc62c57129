"""YAML read safely: limits are checked on the event stream before any tree exists, tags construct nothing.

PyYAML's parser decides the structure; scalars are typed by the core schema of YAML 1.2, so `yes`, `off` and
dates are text, and no value turns into another by an old convention.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import yaml

from perfgate.config.key_paths import MAX_DEPTH, MAX_NODES, BrokenTextError

MAX_ALIASES = 100  # of a checked file, GUARDRAILS section 9

LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # some platforms have no libyaml

_PROPERTIES = re.compile(r"(?:[&!][^\s\[\]{},]*+|\s++|(?<=\s)#[^\n]*+)*+")
_TAG_PREFIX = "tag:yaml.org,2002:"
_CORE_TYPES = (
    ("null", re.compile(r"~|null|Null|NULL|")),
    ("bool", re.compile(r"true|True|TRUE|false|False|FALSE")),
    ("int", re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")),
    ("float", re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")),
    ("float", re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")),
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class YamlNode:
    """A node of a YAML document; a node behind an alias is the same object as at its anchor.

    `kind` is `scalar`, `sequence` or `mapping`; `style` is `""` for a plain scalar, else its first sign.
    `start` is the offset of the value as written, behind anchor and tag. `pairs` hold merged ones too.
    """

    kind: str
    start: int
    end: int
    text: str = ""
    style: str = ""
    tag: str = ""
    items: tuple[YamlNode, ...] = ()
    pairs: tuple[tuple[YamlNode, YamlNode], ...] = ()

    def member(self, name: str) -> YamlNode | None:
        """The value of a key; the last one of repeated keys, which is the one YAML readers keep."""
        found = [value for key, value in self.pairs if key.kind == "scalar" and key.text == name]
        return found[-1] if found else None

    @property
    def scalar_type(self) -> str:
        """`str`, `int`, `float`, `bool` or `null` by the core schema of YAML 1.2."""
        if self.tag.startswith(_TAG_PREFIX):
            named = self.tag.removeprefix(_TAG_PREFIX)
            return named if named in {"int", "float", "bool", "null"} else "str"
        if self.style or self.tag:
            return "str"
        return next((name for name, pattern in _CORE_TYPES if pattern.fullmatch(self.text)), "str")


@dataclass(frozen=True, slots=True, kw_only=True)
class YamlFile:
    """The documents of a file; `broken` says why and where it could not be read on, open nodes end there."""

    documents: tuple[YamlNode, ...]
    broken: BrokenTextError | None = None


@dataclass(slots=True)
class _Open:
    """A collection whose end has not come yet."""

    kind: str
    start: int
    tag: str
    anchor: str | None
    children: list[YamlNode] = field(default_factory=list)


def load_yaml(text: str) -> YamlFile:
    """The documents of a YAML text, as far as it can be read.

    Limits: 100 aliases, depth 64, 200,000 nodes. Tags construct nothing, they only say a scalar's type.
    """
    builder = _Builder(text)
    broken = None
    try:
        for event in yaml.parse(text, Loader=LOADER):
            builder.take(event)
    except yaml.YAMLError as error:
        broken = _broken(error, text)
    except BrokenTextError as error:
        broken = error
    builder.close_open(broken.offset if broken else len(text))
    return YamlFile(documents=tuple(builder.documents), broken=broken)


class _Builder:
    """Builds nodes from events and counts what the limits are about."""

    __slots__ = ("_aliases", "_anchors", "_nodes", "_stack", "_text", "documents")

    def __init__(self, text: str) -> None:
        self._text = text
        self._stack: list[_Open] = []
        self._anchors: dict[str, YamlNode] = {}
        self._aliases = 0
        self._nodes = 0
        self.documents: list[YamlNode] = []

    def take(self, event: yaml.Event) -> None:
        if isinstance(event, yaml.DocumentStartEvent):
            self._anchors = {}
        elif isinstance(event, yaml.AliasEvent):
            self._place(self._aliased(event), None)
        elif isinstance(event, yaml.ScalarEvent):
            self._count(_start(event))
            self._place(self._scalar(event), event.anchor)
        elif isinstance(event, yaml.SequenceStartEvent | yaml.MappingStartEvent):
            self._count(_start(event))
            kind = "sequence" if isinstance(event, yaml.SequenceStartEvent) else "mapping"
            start = self._behind_properties(event)
            self._stack.append(_Open(kind, start, event.tag or "", event.anchor))
        elif isinstance(event, yaml.SequenceEndEvent | yaml.MappingEndEvent):
            self._close(_end(event))

    def close_open(self, end: int) -> None:
        """Ends every collection that is still open, innermost first."""
        while self._stack:
            self._close(end)

    def _count(self, offset: int) -> None:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise BrokenTextError(f"more than {MAX_NODES} nodes", offset)
        if len(self._stack) > MAX_DEPTH:
            raise BrokenTextError(f"nested deeper than {MAX_DEPTH}", offset)

    def _aliased(self, event: yaml.AliasEvent) -> YamlNode:
        offset = _start(event)
        self._aliases += 1
        if self._aliases > MAX_ALIASES:
            raise BrokenTextError(f"more than {MAX_ALIASES} aliases", offset)
        if any(opened.anchor == event.anchor for opened in self._stack):
            raise BrokenTextError(f"alias *{event.anchor} stands inside its own anchor", offset)
        node = self._anchors.get(event.anchor or "")
        if node is None:
            raise BrokenTextError(f"alias *{event.anchor} has no anchor", offset)
        return node

    def _scalar(self, event: yaml.ScalarEvent) -> YamlNode:
        return YamlNode(
            kind="scalar",
            start=self._behind_properties(event),
            end=_end(event),
            text=event.value,
            style=event.style or "",
            tag=event.tag or "",
        )

    def _behind_properties(self, event: yaml.NodeEvent) -> int:
        start = _start(event)
        if event.anchor is None and getattr(event, "tag", None) is None:
            return start
        match = _PROPERTIES.match(self._text, start, max(_end(event), start))
        return match.end() if match else start

    def _close(self, end: int) -> None:
        opened = self._stack.pop()
        pairs = _pairs_of(opened.children) if opened.kind == "mapping" else []
        self._nodes += max(len(pairs) - len(opened.children) // 2, 0)  # what `<<` brought in
        node = YamlNode(
            kind=opened.kind,
            start=opened.start,
            end=end,
            tag=opened.tag,
            items=tuple(opened.children) if opened.kind == "sequence" else (),
            pairs=tuple(pairs),
        )
        self._place(node, opened.anchor)

    def _place(self, node: YamlNode, anchor: str | None) -> None:
        if anchor is not None:
            self._anchors[anchor] = node
        if self._stack:
            self._stack[-1].children.append(node)
        else:
            self.documents.append(node)


def _start(event: yaml.Event) -> int:
    return event.start_mark.index if event.start_mark else 0


def _end(event: yaml.Event) -> int:
    return event.end_mark.index if event.end_mark else 0


def _pairs_of(children: list[YamlNode]) -> list[tuple[YamlNode, YamlNode]]:
    """Pairs of a mapping with `<<` resolved: own keys win, of several merged mappings the earlier one."""
    written = list(zip(children[::2], children[1::2], strict=False))  # a broken file may end behind a key
    taken = {key.text for key, value in written if not _is_merge(key, value)}
    pairs: list[tuple[YamlNode, YamlNode]] = []
    for key, value in written:
        if not _is_merge(key, value):
            pairs.append((key, value))
            continue
        for source in value.items or (value,):
            fresh = [pair for pair in source.pairs if pair[0].text not in taken]
            taken.update(merged_key.text for merged_key, _ in fresh)
            pairs.extend(fresh)
    return pairs


def _is_merge(key: YamlNode, value: YamlNode) -> bool:
    if key.kind != "scalar" or key.style or key.text != "<<":
        return False
    return all(source.kind == "mapping" for source in value.items or (value,))


def _broken(error: yaml.YAMLError, text: str) -> BrokenTextError:
    if isinstance(error, yaml.MarkedYAMLError):
        mark = error.problem_mark or error.context_mark
        reason = error.problem or error.context or "not YAML"
        return BrokenTextError(reason, min(mark.index, len(text)) if mark else 0)
    if isinstance(error, yaml.reader.ReaderError):
        odd = re.search("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", text)
        return BrokenTextError("special characters are not allowed", odd.start() if odd else 0)
    return BrokenTextError("not YAML", 0)
