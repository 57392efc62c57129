"""Splitting of expanded text into words, also where parts of it are there on some paths only."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from perfgate.config.branches import ALWAYS, Guard, simplified, worlds
from perfgate.config.words import Atom, Word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.config.spans import Placed

BLANKS = " \t\n"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Part:
    """An atom inside a word; `splits`: it came out of an unquoted expansion and is split at blanks."""

    atom: Atom
    splits: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class _Item:
    """A piece of a part without blanks; `atom` None is a blank between words."""

    atom: Atom | None
    splits: bool = False


_Chunk = tuple[Guard, tuple[_Item, ...]]  # one part's items and the guard they share
_BREAK = _Item(None)


def split_fields(atoms: Sequence[Atom], place: Placed, separators: str = BLANKS) -> tuple[Word, ...]:
    """The words of an unquoted expansion; `place` is where it is written."""
    return split_parts([Part(atom=atom, splits=True) for atom in atoms], place, separators)


def unquoted(atoms: Sequence[Atom]) -> list[Part]:
    """The parts of a text whose own quotes keep blanks together and go away."""
    parts: list[Part] = []
    quote = ""
    for atom in atoms:
        if atom.text is None:
            parts.append(Part(atom=atom, splits=not quote))
            continue
        start = 0
        for index, sign in enumerate(atom.text.text):
            if sign == quote or (not quote and sign in "\"'"):
                piece = atom.part(start, index)
                parts.append(Part(atom=piece, splits=not quote))
                quote = "" if quote else sign
                start = index + 1
        piece = atom.part(start, len(atom.text))
        parts.append(Part(atom=piece, splits=not quote))
    return parts


def split_parts(parts: Sequence[Part], place: Placed, separators: str = BLANKS) -> tuple[Word, ...]:
    """The words that one shell word becomes after expansion.

    A word whose unquoted text is all unknown or replaceable is marked `splits`. Text under guards is split
    separately on each path; a stretch with more than 32 paths becomes one open word.
    """
    chunks = [(part.atom.guard, _items(part, separators)) for part in parts]
    words: list[Word] = []
    for stretch in _stretches(chunks):
        words.extend(_stretch_words(stretch, place))
    if len(words) == 1 and len(parts) == len([part for part in parts if not part.splits]):
        return tuple(words)
    if len(words) <= 1 and not _has_break(chunks):
        return tuple(words)
    return tuple(replace(word, from_list=True) for word in words)


def _has_break(chunks: list[_Chunk]) -> bool:
    return any(item is _BREAK for _, items in chunks for item in items)


def _items(part: Part, separators: str) -> tuple[_Item, ...]:
    atom = part.atom
    bare = atom.only(ALWAYS) if atom.guard else atom
    if not part.splits or atom.text is None or not any(sign in atom.text.text for sign in separators):
        return (_Item(bare, part.splits),)
    items: list[_Item] = []
    text, start = atom.text.text, 0
    for index, sign in enumerate(text):
        if sign in separators:
            if index > start:
                items.append(_Item(bare.part(start, index), splits=True))
            items.append(_BREAK)
            start = index + 1
    if start < len(text):
        items.append(_Item(bare.part(start, len(text)), splits=True))
    return tuple(items)


def _stretches(chunks: list[_Chunk]) -> list[list[_Chunk]]:
    """The chunks cut where a word ends on every path."""
    if not any(guard for guard, _ in chunks):
        return [chunks] if chunks else []
    size = len(chunks)
    after = [True] * (size + 1)
    for index in range(size - 1, -1, -1):
        guard, items = chunks[index]
        after[index] = items[0] is _BREAK and (not guard or after[index + 1])
    before = True
    stretches: list[list[_Chunk]] = [[]]
    for index, (guard, items) in enumerate(chunks):
        if index and (before or after[index]):
            stretches.append([])
        stretches[-1].append((guard, items))
        before = items[-1] is _BREAK and (not guard or before)
    return stretches


def _stretch_words(stretch: list[_Chunk], place: Placed) -> list[Word]:
    guards = {guard for guard, _ in stretch}
    if len(guards) == 1:
        items = [item for _, chunk in stretch for item in chunk]
        words = _plain_words(items, place)
        guard = next(iter(guards))
        return [replace(word, guards=(guard,)) for word in words] if guard else words
    if not _has_break(stretch) and _is_word_everywhere(stretch):
        return [_guarded_word(stretch, place)]
    cases = worlds(guards)
    if cases is None:
        return [Word(atoms=(Atom(text=None, source="too many paths"),), place=place, is_open=True)]
    found = []
    for case in cases:
        items = [item for guard, chunk in stretch if guard <= case for item in chunk]
        found.append((case, _plain_words(items, place)))
    if not _has_break(stretch) and all(len(words) == 1 and not words[0].splits for _, words in found):
        return [_guarded_word(stretch, place)]
    return _merged(found)


def _guarded_word(stretch: list[_Chunk], place: Placed) -> Word:
    atoms = [
        item.atom.only(guard) if guard else item.atom
        for guard, chunk in stretch
        for item in chunk
        if item.atom is not None
    ]
    return Word(atoms=tuple(atoms), place=place)


def _is_word_everywhere(stretch: list[_Chunk]) -> bool:
    """Some text that never vanishes stands outside of all guards."""
    return any(
        not guard and item.atom is not None and (not item.splits or _is_solid(item.atom))
        for guard, items in stretch
        for item in items
    )


def _is_solid(atom: Atom) -> bool:
    return atom.text is not None and bool(atom.text.text) and not atom.replaceable


def _plain_words(items: list[_Item], place: Placed) -> list[Word]:
    words: list[Word] = []
    current: list[_Item] = []
    for item in [*items, _BREAK]:
        if item is not _BREAK:
            current.append(item)
        elif current:
            words.extend(_word(current, place))
            current = []
    return words


def _word(items: list[_Item], place: Placed) -> list[Word]:
    atoms = tuple(item.atom for item in items if item.atom is not None)
    loose = all(item.splits and (item.atom is None or not _is_solid(item.atom)) for item in items)
    if not loose:
        return [Word(atoms=atoms, place=place)]
    if not any(atom.text is None or atom.replaceable for atom in atoms):
        return []  # an unquoted expansion of empty text is no word
    return [Word(atoms=tuple(atom for atom in atoms if _shows(atom)), place=place, splits=True)]


def _shows(atom: Atom) -> bool:
    return atom.text is None or bool(atom.text.text)


_Key = tuple[int, int]


def _merged(found: list[tuple[Guard, list[Word]]]) -> list[Word]:
    """One word for the words of several paths that begin at the same character."""
    order: list[_Key] = []
    members: dict[_Key, list[tuple[Guard, Word]]] = {}
    for case, words in found:
        keys = _keys(words)
        position = 0
        for key, word in zip(keys, words, strict=True):
            if key not in members:
                # After the words that only other paths have, so that arms stand in the order of the file.
                while position < len(order) and order[position] not in keys:
                    position += 1
                members[key] = []
                order.insert(position, key)
            members[key].append((case, word))
            position = order.index(key) + 1
    return [_one(members[key]) for key in order]


def _keys(words: list[Word]) -> list[_Key]:
    """The place of each word's first character, with a count for words that begin at the same one."""
    seen: dict[int, int] = {}
    keys = []
    for word in words:
        start = word.placed().offset(0)
        seen[start] = seen.get(start, 0) + 1
        keys.append((start, seen[start]))
    return keys


def _one(ways: list[tuple[Guard, Word]]) -> Word:
    first = ways[0][1]
    guards = simplified(case for case, _ in ways)
    rows = [word.atoms for _, word in ways]
    shared = 0
    while all(len(row) > shared and row[shared] is rows[0][shared] for row in rows):
        shared += 1
    atoms = list(first.atoms[:shared])
    if any(len(row) > shared for row in rows):
        for case, word in ways:
            atoms.extend(atom.only(case) for atom in word.atoms[shared:])
    splits = any(word.splits for _, word in ways)
    return Word(atoms=tuple(atoms), place=first.place, guards=guards, splits=splits)
