"""What other languages run: text for a shell, or the words of one command, with the variables they see."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.config.embedded import shell_atoms
from perfgate.config.shell import Variable, read_shell, read_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from perfgate.config.embedded import TextPiece
    from perfgate.config.found import Found
    from perfgate.config.words import Atom, Word

    Atoms = tuple[Atom, ...]


def run_pieces(
    pieces: Iterable[TextPiece], variables: Mapping[str, Atoms] | None = None, *, context: str = ""
) -> Found:
    """The facts of shell text with values put in; `variables` are exported."""
    return read_shell(shell_atoms(pieces), variables=_exported(variables), context=context)


def run_words(
    words: tuple[Word, ...], variables: Mapping[str, Atoms] | None = None, *, context: str = ""
) -> Found:
    """The facts of a command given as words; `variables` count in shell text behind `sh -c`."""
    return read_words(words, variables=_exported(variables), context=context)


def _exported(variables: Mapping[str, Atoms] | None) -> dict[str, Variable]:
    return {name: Variable(atoms=atoms) for name, atoms in (variables or {}).items()}
