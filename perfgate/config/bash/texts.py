"""Text that one command hands to another: what `echo` and `cat` print, and expanded text read as shell."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from perfgate.config.bash.expand import FIRST_HOLE, LAST_HOLE, Expander
from perfgate.config.spans import Placed, joined
from perfgate.config.words import Atom, Word

if TYPE_CHECKING:
    from perfgate.config.bash.syntax import Redirect, Simple

HEREDOCS = frozenset({"<<", "<<-", "<<<"})


def stdin_text(redirects: tuple[Redirect, ...], expander: Expander) -> tuple[Atom, ...] | None:
    """The text of the last heredoc or here-string, or None."""
    found = [redirect for redirect in redirects if redirect.operator in HEREDOCS]
    return expander.atoms(found[-1].word) if found else None


def piped_text(command: Simple, expander: Expander) -> tuple[Atom, ...] | None:
    """What `cat <<X`, `echo text` and `printf %s text` print, as far as the file tells."""
    name = command.words[0].literal if command.words else None
    if any(redirect.operator in {">", ">>", "&>", ">|"} for redirect in command.redirects):
        return None
    if name == "cat":
        arguments = [word.literal for word in command.words[1:]]
        return stdin_text(command.redirects, expander) if arguments in ([], ["-"]) else None
    if name == "echo":
        words = list(expander.all_words(command.words[1:]))
        while words and words[0].text in {"-e", "-n", "-E", "-ne", "-en"}:
            del words[0]
        return spaced(tuple(words))
    if name == "printf" and len(command.words) > 1:
        return _printed(expander.all_words(command.words[1:]))
    return None


def _printed(words: tuple[Word, ...]) -> tuple[Atom, ...] | None:
    form = words[0].text if words else None
    if form is None:
        return None
    if form in {"%s\\n", "%s"}:
        return spaced(words[1:], "\n")
    return words[0].atoms if "%" not in form and "\\" not in form.removesuffix("\\n") else None


def spaced(words: tuple[Word, ...], between: str = " ") -> tuple[Atom, ...]:
    """The words as one text with a blank between them."""
    atoms: list[Atom] = []
    for word in words:
        if atoms:
            atoms.append(Atom(text=word.place.cut(0, 0).standing_for(between)))
        atoms.extend(word.atoms)
    return tuple(atoms)


def with_holes(atoms: tuple[Atom, ...], at: Placed) -> tuple[Placed, dict[str, Atom]]:
    """The atoms as one text in which a private-use character stands for each that is not simply known."""
    parts: list[Placed] = []
    holes: dict[str, Atom] = {}
    last = at.cut(0, 0)
    for atom in atoms:
        if atom.text is not None and not atom.guard and not atom.replaceable and atom.written is None:
            parts.append(atom.text)
            last = atom.text.cut(len(atom.text), len(atom.text))
        elif len(holes) < LAST_HOLE - FIRST_HOLE:
            sign = chr(FIRST_HOLE + len(holes))
            holes[sign] = replace(atom, written=None)
            parts.append((atom.written or atom.text or last).standing_for(sign))
    return joined(parts, at), holes
