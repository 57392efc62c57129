"""Kubernetes objects, and the workflow objects built on them: containers, scripts, probes and hooks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from perfgate.config.embedded import Expansion, TextPiece, atoms_of, unknown
from perfgate.config.found import Found
from perfgate.config.programs import base_name
from perfgate.config.python_file import read_python_text
from perfgate.config.readers import interpreter_of
from perfgate.config.running import run_pieces, run_words
from perfgate.config.setting_pairs import pair_settings
from perfgate.config.words import Word
from perfgate.config.wrappers import PYTHONS, SHELLS
from perfgate.config.yaml_places import scalar_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from perfgate.config.spans import Placed, Source
    from perfgate.config.words import Atom
    from perfgate.config.yaml_load import YamlNode

    Variables = dict[str, tuple[Atom, ...]]

_TEMPLATE = r"\{\{.*?\}\}|\$\((?:params|inputs|workspaces|results|context|tasks|steps)[.\[][^)]*\)"
_TEMPLATES = re.compile(_TEMPLATE, re.DOTALL)
_REFERENCES = re.compile(rf"{_TEMPLATE}|\$\$|\$\(([A-Za-z_.-][\w.-]*)\)", re.DOTALL)
_DATA = frozenset({"metadata", "data", "binaryData", "stringData", "status"})
_EXECUTED = frozenset({"lifecycle", "livenessProbe", "readinessProbe", "startupProbe"})
_HOOKS = ("postStart", "preStop")
_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")


def is_kubernetes(node: YamlNode) -> bool:
    """The document names its API version and kind."""
    return node.member("apiVersion") is not None and node.member("kind") is not None


def read_kubernetes(source: Source, node: YamlNode) -> Iterator[Found]:
    """The facts of one object: whatever in it looks like a container is run; data and metadata are not."""
    kind = node.member("kind")
    pending = [node]
    seen: set[int] = set()
    while pending:
        current = pending.pop()
        if id(current) in seen:
            continue
        seen.add(id(current))
        if _is_container(current):
            yield from _container(source, current, kind.text if kind is not None else "")
        children = [value for key, value in current.pairs if key.text not in _DATA | _EXECUTED]
        pending += [child for child in (*current.items, *children) if child.kind != "scalar"]


def _is_container(node: YamlNode) -> bool:
    return any(node.member(name) is not None for name in ("command", "args", "script", "source")) or (
        node.member("image") is not None
    )


def _container(source: Source, node: YamlNode, kind: str) -> Iterator[Found]:
    name = node.member("name")
    context = name.text if name is not None and name.text else kind
    pairs, variables = _environment(source, node)
    yield from pair_settings(pairs)
    hides_more = node.member("envFrom") is not None
    command, arguments = _items(node.member("command")), _items(node.member("args"))
    script = next((found for name in ("script", "source") if (found := node.member(name)) is not None), None)
    if script is not None and script.kind == "scalar":
        yield _script(source, script, command, (variables, context))
    else:
        texts = [scalar_text(source, item) for item in (*command, *arguments) if item.kind == "scalar"]
        words = tuple(
            Word(atoms=atoms_of(_pieces(text, variables, hides_more=hides_more)), place=text)
            for text in texts
        )
        yield run_words(words, variables, context=context)
    for executed in _executed(node):
        texts = [scalar_text(source, item) for item in executed.items if item.kind == "scalar"]
        plain = tuple(Word(atoms=atoms_of(_plain_pieces(text)), place=text) for text in texts)
        yield run_words(plain, variables, context=context)


def _items(node: YamlNode | None) -> tuple[YamlNode, ...]:
    if node is None:
        return ()
    return node.items if node.kind == "sequence" else (node,)


def _executed(node: YamlNode) -> Iterator[YamlNode]:
    """The commands of probes and hooks, in which no `$(NAME)` is replaced."""
    hooks = node.member("lifecycle")
    holders = [node.member(name) for name in _PROBES]
    holders += [hooks.member(name) for name in _HOOKS] if hooks is not None else []
    for holder in holders:
        action = holder.member("exec") if holder is not None else None
        command = action.member("command") if action is not None else None
        if command is not None:
            yield command


def _environment(source: Source, node: YamlNode) -> tuple[list[tuple[Placed, tuple[Atom, ...]]], Variables]:
    """The settings that stand here, and all variables; one from elsewhere (`valueFrom`) is not known."""
    pairs: list[tuple[Placed, tuple[Atom, ...]]] = []
    known: Variables = {}
    for entry in _items(node.member("env")):
        name, value = entry.member("name"), entry.member("value")
        if name is None or name.kind != "scalar":
            continue
        place = scalar_text(source, name)
        if value is not None and value.kind == "scalar":
            known[name.text] = atoms_of(_pieces(scalar_text(source, value), known, hides_more=False))
            pairs.append((place, known[name.text]))
        else:
            known[name.text] = unknown(name.text, place).atoms
    return pairs, known


def _pieces(text: Placed, variables: Variables, *, hides_more: bool) -> list[TextPiece]:
    """Text with `$(NAME)` as expansions; a name that is not set stays as it is written."""

    def expanded(match: re.Match[str], place: Placed) -> TextPiece:
        name = match[1]
        if match[0] == "$$":
            return place.standing_for("$")
        if name in variables:
            return Expansion(atoms=variables[name], place=place)
        return unknown(name or match[0], place) if hides_more or not name else place

    return _replaced(text, _REFERENCES, expanded)


def _plain_pieces(text: Placed) -> list[TextPiece]:
    return _replaced(text, _TEMPLATES, lambda match, place: unknown(match[0], place))


def _replaced(
    text: Placed, pattern: re.Pattern[str], expanded: Callable[[re.Match[str], Placed], TextPiece]
) -> list[TextPiece]:
    pieces: list[TextPiece] = []
    position = 0
    for match in pattern.finditer(text.text):
        pieces.append(text.cut(position, match.start()))
        pieces.append(expanded(match, text.cut(match.start(), match.end())))
        position = match.end()
    pieces.append(text.cut(position, len(text)))
    return [piece for piece in pieces if isinstance(piece, Expansion) or len(piece)] or pieces[:1]


def _script(
    source: Source, script: YamlNode, command: tuple[YamlNode, ...], place: tuple[Variables, str]
) -> Found:
    """A script of Tekton or Argo: read by the program of `command`, of its `#!` line, or by a shell."""
    text = scalar_text(source, script)
    first = text.text.split("\n", 1)[0]
    program = base_name(command[0].text) if command else interpreter_of(first)
    if program.rstrip("0123456789.") in PYTHONS:
        return read_python_text(text)
    if program and program not in SHELLS:
        return Found()
    return run_pieces(_plain_pieces(text), place[0], context=place[1])
