"""Names with values of an environment block, in whatever language it is written."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from perfgate.config.facts import EnvOperation
from perfgate.config.settings import read_setting
from perfgate.config.words import Atom

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from perfgate.config.found import Found
    from perfgate.config.spans import Placed

Pair = tuple["Placed", tuple[Atom, ...]]


def pair_settings(pairs: Sequence[Pair]) -> Iterator[Found]:
    """The watched variables among the pairs; a value that holds the variable itself adds to it."""
    for name, atoms in pairs:
        rest = tuple(atom for atom in atoms if atom.source != name.text or _is_written(atom))
        operation = EnvOperation.SET if len(rest) == len(atoms) else EnvOperation.APPEND
        if rest and all(atom.replaceable and atom.source == name.text for atom in rest):
            operation = EnvOperation.DEFAULT
        yield read_setting(name, rest, operation)


def _is_written(atom: Atom) -> bool:
    return atom.text is not None and bool(atom.text.text.strip())


def replaceable(atoms: tuple[Atom, ...], source: str, at: Placed) -> tuple[Atom, ...]:
    """A default that the variable `source` of the environment replaces; an empty one stands at `at`."""
    kept = atoms or (Atom(text=at.cut(0, 0)),)
    return tuple(replace(atom, replaceable=True, source=source) for atom in kept)
