"""Text operations of Python on placed text: `%`, `format`, `join`, `split`, paths."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from perfgate.config.branches import ALWAYS
from perfgate.config.embedded import Expansion, TextPiece, atoms_of, quoted_words
from perfgate.config.fields import Part, split_parts
from perfgate.config.python_values import (
    Item,
    Items,
    PythonValue,
    Table,
    Text,
    Unknown,
    items_of,
    known_text,
    piece_text,
    pieces_of,
    text_of,
)
from perfgate.config.words import Atom, Word

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from perfgate.config.spans import Placed

_PERCENT = re.compile(r"%(?:\((\w+)\))?([-+ #0]*\d*(?:\.\d+)?)([a-zA-Z%])")
_BRACES = re.compile(r"\{\{|\}\}|\{([^{}!:]*)(![rsa])?(:[^{}]*)?\}")
_UNSAFE = re.compile(r"[^\w@%+=:,./-]", re.ASCII)  # what shlex.quote quotes


def percent_formatted(template: Text, values: PythonValue, place: Placed) -> Text:
    """`template % values`."""
    positional = [item.value for item in values.items] if isinstance(values, Items) else [values]
    queue = iter(positional)

    def argument(match: re.Match[str]) -> PythonValue | None:
        name, width, kind = match.groups()
        if kind == "%":
            return None
        value = next(queue, None) if name is None else _named(values, name)
        if value is None or width or kind not in "sdi":
            return Unknown(source=match[0])
        return value

    return _substituted(shell_pieces(template, place), _PERCENT, argument)


def brace_formatted(
    template: Text, positional: list[PythonValue], by_name: dict[str, PythonValue], place: Placed
) -> Text:
    """`template.format(...)`."""
    counter = iter(range(len(positional) + 1))

    def argument(match: re.Match[str]) -> PythonValue | None:
        name = match[1]
        if name is None:
            return None
        if match[3] or match[2] not in {None, "!s"}:
            return Unknown(source=name)
        index = int(name) if name.isdigit() else next(counter) if name == "" else -1
        if 0 <= index < len(positional):
            return positional[index]
        return by_name.get(name, Unknown(source=name))

    return _substituted(shell_pieces(template, place), _BRACES, argument)


def _named(values: PythonValue, name: str) -> PythonValue | None:
    return values.get(name) if isinstance(values, Table) else None


def _substituted(
    template: tuple[TextPiece, ...],
    pattern: re.Pattern[str],
    argument: Callable[[re.Match[str]], PythonValue | None],
) -> Text:
    """The template with each match replaced by its argument; a doubled sign, where that is None, by one."""
    pieces: list[TextPiece] = []
    for piece in template:
        if isinstance(piece, Expansion):
            pieces.append(piece)
            continue
        position = 0
        for match in pattern.finditer(piece.text):
            pieces.append(piece.cut(position, match.start()))
            place = piece.cut(match.start(), match.end())
            value = argument(match)
            if value is None:
                pieces.append(place.standing_for(match[0][0]))
            else:
                pieces.append(Expansion(atoms=text_of(value).atoms, place=place))
            position = match.end()
        pieces.append(piece.cut(position, len(piece)))
    return piece_text([piece for piece in pieces if isinstance(piece, Expansion) or len(piece)] or pieces[:1])


def joined_by(separator: Text, value: PythonValue, place: Placed) -> Text:
    """`separator.join(value)`; the separator before an element shares the element's guard."""
    pieces: list[TextPiece] = []
    for index, item in enumerate(items_of(value)):
        parts = (separator, item.value) if index else (item.value,)
        for part in parts:
            if item.guards == (ALWAYS,):
                pieces += pieces_of(part, item.place or place)
            else:
                pieces.append(_guarded_expansion(text_of(part), item, place))
    return piece_text(pieces or [place.cut(0, 0)])


def _guarded_expansion(text: Text, item: Item, place: Placed) -> Expansion:
    atoms = [replace(atom, guard=atom.guard | guard) for guard in item.guards for atom in text.atoms]
    return Expansion(atoms=tuple(atoms), place=item.place or place)


def shell_joined(value: PythonValue, place: Placed) -> Text:
    """`shlex.join(value)`: one line in which each element is one shell word."""
    quoted = [replace(item, value=shell_quoted(text_of(item.value), place)) for item in items_of(value)]
    return joined_by(known_text(place.cut(0, 0).standing_for(" ")), Items(items=tuple(quoted)), place)


def shell_quoted(text: Text, place: Placed) -> Text:
    """`shlex.quote(text)`: unknown parts stay one word too."""
    known = text.known
    if known and not _UNSAFE.search(known):
        return text
    sign = '"' if known is None else "'"
    edge = place.cut(0, 0).standing_for(sign)
    if known is None:
        return piece_text([edge, *pieces_of(text, place), edge])
    inner = [_without_quotes(atom.text) for atom in text.atoms if atom.text is not None]
    return piece_text([edge, *inner, edge])


def _without_quotes(text: Placed) -> Placed:
    return text.standing_for(text.text.replace("'", "'\"'\"'")) if "'" in text.text else text


def split_at_blanks(text: Text, place: Placed) -> Items:
    """`text.split()`."""
    pieces = pieces_of(text, place)
    parts = [Part(atom=atom, splits=True) for atom in atoms_of(pieces)]
    return items_of_words(split_parts(parts, place))


def split_as_shell(text: Text, place: Placed) -> Items:
    """`shlex.split(text)`."""
    pieces = text.pieces or tuple(_piece(atom, place) for atom in text.atoms)
    return items_of_words(quoted_words(pieces))


def _piece(atom: Atom, place: Placed) -> TextPiece:
    if atom.text is None or atom.guard or atom.replaceable:
        return Expansion(atoms=(atom,), place=atom.text or place)
    return atom.text


def items_of_words(words: Iterable[Word]) -> Items:
    """Words as the elements of a list."""
    return Items(
        items=tuple(
            Item(
                value=Text(atoms=word.atoms),
                place=word.first_text or word.place,
                guards=word.guards,
                is_open=word.is_open or (word.splits and not any(atom.text for atom in word.atoms)),
            )
            for word in words
        )
    )


def shell_pieces(value: PythonValue, place: Placed) -> tuple[TextPiece, ...]:
    """A text that a shell is going to read."""
    text = text_of(value)
    return text.pieces or tuple(_piece(atom, place) for atom in text.atoms)


def path_joined(parts: list[tuple[PythonValue, Placed]], place: Placed) -> Text:
    """`os.path.join(...)` and `Path(...) / ...`; an absolute part drops the ones before it."""
    kept: list[TextPiece] = []
    for value, where in parts:
        pieces = pieces_of(value, where)
        text = "".join(atom.text.text for atom in text_of(value).atoms[:1] if atom.text is not None)
        if text.startswith("/"):
            kept = []
        elif kept and not _ends_with_slash(kept[-1]):
            kept.append(place.cut(0, 0).standing_for("/"))
        kept += pieces
    return piece_text(kept or [place.cut(0, 0)])


def _ends_with_slash(piece: TextPiece) -> bool:
    atoms = atoms_of([piece])
    last = atoms[-1].text if atoms else None
    return last is not None and (last.text.endswith("/") or not last.text)


def changed(text: Text, change: Callable[[str], str], place: Placed) -> Text:
    """A text after a method such as `lower`; parts that are not known stay so."""
    known = text.known
    if known is None:
        return Text(atoms=(Atom(text=None, source="a changed text"),))
    after = change(known)
    if after == known:
        return text
    start = known.find(after) if after else 0
    only = text.atoms[0].text if len(text.atoms) == 1 else None
    if only is not None and start >= 0:
        return known_text(only.cut(start, start + len(after)))
    return known_text((only or place).standing_for(after))
