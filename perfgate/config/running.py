"""What other languages run: text for a shell, or the words of one command, with the variables they see."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.config.embedded import shell_atoms
from perfgate.config.facts import Note
from perfgate.config.found import Found
from perfgate.config.prefilter import has_watched_name
from perfgate.config.shell import Variable, read_shell, read_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from perfgate.config.embedded import TextPiece
    from perfgate.config.facts import Span
    from perfgate.config.spans import Placed
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


def names_watched(text: Placed) -> bool:
    """The text names a watched program or variable."""
    return has_watched_name("", text.text.encode("utf-8", "replace"), text.source.watch)


def unsupported_shell(text: Placed, shell: str, span: Span | None = None) -> Found:
    """The note that text for another shell is not read; nothing if the text names nothing that is watched."""
    if not names_watched(text):
        return Found()
    reason = f"{shell} is not read; what it runs here is not checked"
    return Found(notes=(Note(code="unsupported-shell", span=span or text.span(), text=reason),))
