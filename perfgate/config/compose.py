"""Compose files: commands, entry points, health checks and environments of services."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from perfgate.config.branches import Decision
from perfgate.config.embedded import Expansion, TextPiece, atoms_of, quoted_words
from perfgate.config.found import Found
from perfgate.config.running import run_pieces, run_words
from perfgate.config.setting_pairs import pair_settings, replaceable
from perfgate.config.words import Atom, Word
from perfgate.config.yaml_places import scalar_text
from perfgate.config.yaml_settings import environment_pairs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfgate.config.spans import Placed, Source
    from perfgate.config.yaml_load import YamlNode

    Variables = dict[str, tuple[Atom, ...]]

_REFERENCE = re.compile(r"\$(?:(\$)|(\w+)|\{(\w+)(?:(:?[-?+])|\}))", re.ASCII)


def is_compose(node: YamlNode) -> bool:
    """The document has services that are mappings."""
    services = node.member("services")
    return services is not None and any(service.kind == "mapping" for _, service in services.pairs)


def read_compose(source: Source, node: YamlNode) -> Iterator[Found]:
    """The facts of a compose file. A service that only an unused anchor holds is not run."""
    services = node.member("services")
    for name, service in services.pairs if services is not None else ():
        yield from _service(source, service, name.text)


def _service(source: Source, service: YamlNode, context: str) -> Iterator[Found]:
    pairs = environment_pairs(source, service.member("environment"), compose_pieces)
    yield from pair_settings(pairs)
    variables = {name.text: atoms for name, atoms in pairs}
    words = (*_words(source, service.member("entrypoint")), *_words(source, service.member("command")))
    if words:
        yield run_words(words, variables, context=context)
    check = service.member("healthcheck")
    test = check.member("test") if check is not None else None
    if test is not None:
        yield _health_check(source, test, variables, context)
    for hook in ("post_start", "pre_stop"):
        for item in _items(service.member(hook)):
            yield run_words(_words(source, item.member("command")), variables, context=context)


def _items(node: YamlNode | None) -> tuple[YamlNode, ...]:
    return () if node is None else node.items


def _words(source: Source, node: YamlNode | None) -> tuple[Word, ...]:
    """A command as a list of words, or as text that is split at blanks but read by no shell."""
    if node is None:
        return ()
    if node.kind == "scalar":
        return () if node.scalar_type == "null" else quoted_words(compose_pieces(scalar_text(source, node)))
    texts = [scalar_text(source, item) for item in node.items if item.kind == "scalar"]
    return tuple(Word(atoms=atoms_of(compose_pieces(text)), place=text) for text in texts)


def _health_check(source: Source, test: YamlNode, variables: Variables, context: str) -> Found:
    if test.kind == "scalar":
        return run_pieces(compose_pieces(scalar_text(source, test)), variables, context=context)
    kind = test.items[0].text if test.items else ""
    if kind == "CMD":
        return run_words(_words(source, replace(test, items=test.items[1:])), variables, context=context)
    if kind == "CMD-SHELL" and len(test.items) > 1:
        return run_pieces(compose_pieces(scalar_text(source, test.items[1])), variables, context=context)
    return Found()


def compose_pieces(text: Placed) -> list[TextPiece]:
    """Text with `$NAME` and `${NAME...}` as expansions and `$$` as a dollar sign."""
    pieces: list[TextPiece] = []
    position = 0
    while (match := _REFERENCE.search(text.text, position)) is not None:
        pieces.append(text.cut(position, match.start()))
        position = match.end()
        if match[1]:
            pieces.append(text.cut(match.start(), position).standing_for("$"))
            continue
        end = _closing(text.text, position) if match[4] else position
        place = text.cut(match.start(), end + 1 if match[4] else end)
        pieces.append(Expansion(atoms=_value(match, text.cut(position, end), place), place=place))
        position = end + 1 if match[4] else end
    pieces.append(text.cut(position, len(text)))
    return [piece for piece in pieces if isinstance(piece, Expansion) or len(piece)] or pieces[:1]


def _closing(text: str, position: int) -> int:
    """The index of the brace that closes the one before `position`."""
    depth = 1
    while position < len(text):
        depth += {"{": 1, "}": -1}.get(text[position], 0)
        if not depth:
            return position
        position += 1
    return position


def _value(match: re.Match[str], operand: Placed, place: Placed) -> tuple[Atom, ...]:
    name = match[2] or match[3]
    operator = match[4] or ""
    if operator.endswith("-"):
        return replaceable(atoms_of(compose_pieces(operand)), name, operand)
    if operator.endswith("+"):
        span = place.span()
        guard = frozenset({(Decision(place=f"{span.line}:{span.column}", outcomes=2), 0)})
        return tuple(replace(atom, guard=guard) for atom in atoms_of(compose_pieces(operand)))
    return (Atom(text=None, source=name),)
