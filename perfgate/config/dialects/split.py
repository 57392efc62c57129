"""One word as a flag: its written name and, after an equals sign, the atoms of its value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from perfgate.config.spans import joined

if TYPE_CHECKING:
    from perfgate.config.spans import Placed
    from perfgate.config.words import Atom, Word


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagWord:
    """A word that begins with a dash: `name` with its dashes, `value` None without an equals sign."""

    name: Placed
    value: tuple[Atom, ...] | None
    word: Word


def needs_ways(word: Word) -> bool:
    """The flag's name depends on a decision: each way of the word is read as a word of its own."""
    for atom in word.atoms:
        if atom.guard:
            return True
        if atom.text is None or "=" in atom.text.text:
            return False
    return False


def flag_word(word: Word) -> FlagWord | None:
    """The word as a flag; None for a positional or when its name is not known."""
    first = word.first_text
    if word.is_open or first is None or not first.text.startswith("-") or not _has_name(word):
        return None
    name: list[Placed] = []
    for index, atom in enumerate(word.atoms):
        if atom.text is None:
            return None
        before, sign, after = atom.text.text.partition("=")
        name.append(atom.text.cut(0, len(before)))
        if sign:
            rest = atom.text.cut(len(before) + 1, len(before) + 1 + len(after))
            value = (replace(atom, text=rest), *word.atoms[index + 1 :])
            return FlagWord(name=_whole(name), value=value, word=word)
    return FlagWord(name=_whole(name), value=None, word=word)


def is_dashed(word: Word) -> bool:
    """The word begins with a dash and is more than one."""
    first = word.first_text
    return first is not None and first.text.startswith("-") and _has_name(word)


def _has_name(word: Word) -> bool:
    return word.text not in {"-", "--"}


def _whole(parts: list[Placed]) -> Placed:
    return joined(parts, parts[0])
