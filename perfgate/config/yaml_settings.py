"""Environment blocks of YAML files: mappings, lists of `NAME=value`, and the variables that scripts then see."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from perfgate.config.embedded import TextPiece, atoms_of
from perfgate.config.facts import EnvOperation
from perfgate.config.found import Found
from perfgate.config.settings import read_setting
from perfgate.config.yaml_places import scalar_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from perfgate.config.spans import Placed, Source
    from perfgate.config.words import Atom
    from perfgate.config.yaml_load import YamlNode

Pieces = "Callable[[Placed], Sequence[TextPiece]]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """Variables by name, in the order they are set."""

    variables: dict[str, tuple[Atom, ...]] = field(default_factory=dict)

    def with_pairs(self, pairs: Sequence[tuple[Placed, tuple[Atom, ...]]]) -> Environment:
        """The environment with more variables; later ones replace earlier ones."""
        return Environment(variables=self.variables | {name.text: atoms for name, atoms in pairs})


def environment_pairs(
    source: Source, node: YamlNode | None, pieces: Callable[[Placed], Sequence[TextPiece]]
) -> list[tuple[Placed, tuple[Atom, ...]]]:
    """Names and values of a mapping or of a list of `NAME=value`; a name without a value is passed through."""
    if node is None:
        return []
    pairs = list(_mapping_pairs(source, node, pieces))
    for item in node.items:
        text = scalar_text(source, item)
        name, sign, _ = text.text.partition("=")
        if item.kind == "scalar" and sign:
            value = text.cut(len(name) + 1, len(text))
            pairs.append((text.cut(0, len(name)), atoms_of(pieces(value))))
    return pairs


def _mapping_pairs(
    source: Source, node: YamlNode, pieces: Callable[[Placed], Sequence[TextPiece]]
) -> Iterator[tuple[Placed, tuple[Atom, ...]]]:
    for key, value in node.pairs:
        if key.kind == "scalar" and value.kind == "scalar" and value.scalar_type != "null":
            yield scalar_text(source, key), atoms_of(pieces(scalar_text(source, value)))


def pair_settings(pairs: Sequence[tuple[Placed, tuple[Atom, ...]]]) -> Iterator[Found]:
    """The watched variables among the pairs; a value that holds the variable itself adds to it."""
    for name, atoms in pairs:
        rest = tuple(atom for atom in atoms if atom.text is not None or atom.source != name.text)
        operation = EnvOperation.SET if len(rest) == len(atoms) else EnvOperation.APPEND
        if rest and all(atom.replaceable and atom.source == name.text for atom in rest):
            operation = EnvOperation.DEFAULT
        yield read_setting(name, rest, operation)


def replaceable(atoms: tuple[Atom, ...], source: str) -> tuple[Atom, ...]:
    """A default that the variable `source` of the environment replaces."""
    return tuple(replace(atom, replaceable=True, source=source) for atom in atoms)
