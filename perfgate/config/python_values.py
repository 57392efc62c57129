"""What an expression of a Python file is known to be: text, a sequence, a table, or not known.

Parts that depend on a decision (an `if`, a loop over a literal list) carry guards, as words do.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from perfgate.config.branches import ALWAYS, Decision, Guard, contradicts
from perfgate.config.embedded import MAX_ATOMS, Expansion, atoms_of, within_limits
from perfgate.config.words import Atom, Word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.config.embedded import TextPiece
    from perfgate.config.spans import Placed


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Text:
    """A string, or another constant as Python writes it; `kind` is `str` or the name of the constant's type.

    `pieces` are there while the text is an expression without a name: they know where values are put in.
    """

    atoms: tuple[Atom, ...]
    kind: str = "str"
    pieces: tuple[TextPiece, ...] = ()

    @property
    def known(self) -> str | None:
        """The one known text, else None."""
        texts = [atom.text.text for atom in self.atoms if atom.text is not None and not atom.guard]
        return "".join(texts) if len(texts) == len(self.atoms) else None

    @property
    def is_none(self) -> bool:
        """The constant None."""
        return self.kind == "NoneType"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Unknown:
    """A value that the file does not tell; `source` is the name that hides it."""

    source: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Item:
    """An element of a sequence, or (`is_open`) any number of elements that the file does not show."""

    value: PythonValue
    place: Placed | None = None
    guards: tuple[Guard, ...] = (ALWAYS,)
    is_open: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Items:
    """A list or tuple."""

    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Entry:
    """A key with its value; `is_default`: set only if the key is not there."""

    key: Placed
    value: PythonValue
    guard: Guard = ALWAYS
    is_default: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Table:
    """A dictionary. `is_open`: it has more keys; `is_environment`: the environment or a copy of it."""

    entries: tuple[Entry, ...] = ()
    is_open: bool = False
    is_environment: bool = False

    def get(self, key: str) -> PythonValue | None:
        """The last value of a key that is surely there."""
        found = [entry for entry in self.entries if entry.key.text == key]
        return found[-1].value if found and not found[-1].guard else None


PythonValue = Text | Unknown | Items | Table
Pair = tuple[Decision, int]


def is_number(value: PythonValue) -> bool:
    """A constant that is no text."""
    return isinstance(value, Text) and value.kind in {"int", "float", "complex", "bool"}


def text_of(value: PythonValue) -> Text:
    """A value where Python makes text of it."""
    if isinstance(value, Text):
        return value
    source = value.source if isinstance(value, Unknown) else "a value that is no text"
    return Text(atoms=(Atom(text=None, source=source),))


def known_text(place: Placed, kind: str = "str") -> Text:
    """Text that stands in the file."""
    return Text(atoms=(Atom(text=place),), kind=kind, pieces=(place,))


def piece_text(pieces: Sequence[TextPiece]) -> Text:
    """The text that pieces add up to."""
    atoms = atoms_of(pieces)
    kept = within_limits(atoms, "a text over 64 KiB")
    return Text(atoms=kept, pieces=tuple(pieces) if kept is atoms else ())


def pieces_of(value: PythonValue, place: Placed) -> tuple[TextPiece, ...]:
    """A value as part of a text; a value that has a name is an expansion at `place`."""
    text = text_of(value)
    return text.pieces or (Expansion(atoms=text.atoms, place=place),)


def named(value: PythonValue) -> PythonValue:
    """A value that is given a name: its text is placed where it is written, not where it is used."""
    return replace(value, pieces=()) if isinstance(value, Text) else value


def items_of(value: PythonValue) -> tuple[Item, ...]:
    """The elements that `*value` or `list + value` adds."""
    if isinstance(value, Items):
        return value.items
    if isinstance(value, Text) and value.is_none:
        return ()
    unknown = value if isinstance(value, Unknown) else Unknown(source="a value that is no list")
    return (Item(value=unknown, is_open=True),)


def listed(items: Sequence[Item]) -> Items:
    """A list; of one that is too long the rest is open."""
    if len(items) <= MAX_ATOMS:
        return Items(items=tuple(items))
    rest = Item(value=Unknown(source="a long list"), is_open=True)
    return Items(items=(*items[:MAX_ATOMS], rest))


def words_of(value: Items, place: Placed) -> tuple[Word, ...]:
    """The elements as arguments of a command."""
    return tuple(_word(item, place) for item in value.items)


def _word(item: Item, place: Placed) -> Word:
    atoms = text_of(item.value).atoms
    return Word(atoms=atoms, place=item.place or place, guards=item.guards, is_open=item.is_open)


def with_guard(guards: tuple[Guard, ...], pair: Pair) -> tuple[Guard, ...]:
    """The guards where one more outcome holds; without those that it makes impossible."""
    more = frozenset({pair})
    return tuple(guard | more for guard in guards if not contradicts(guard, more))


def guarded(value: PythonValue, pair: Pair) -> PythonValue:
    """The value with every part bound to one more outcome."""
    more = frozenset({pair})
    if isinstance(value, Text):
        atoms = (
            replace(atom, guard=atom.guard | more) for atom in value.atoms if not _never(atom.guard, pair)
        )
        return replace(value, atoms=tuple(atoms), pieces=())
    if isinstance(value, Items):
        return Items(
            items=tuple(_guarded_item(item, pair) for item in value.items if with_guard(item.guards, pair))
        )
    if isinstance(value, Table):
        return replace(
            value, entries=tuple(replace(entry, guard=entry.guard | more) for entry in value.entries)
        )
    return value


def _never(guard: Guard, pair: Pair) -> bool:
    return contradicts(guard, frozenset({pair}))


def _guarded_item(item: Item, pair: Pair) -> Item:
    return replace(item, guards=with_guard(item.guards, pair))


def merged(ways: Sequence[PythonValue | None], decision: Decision, name: str) -> PythonValue:
    """One value for the outcomes of a decision, in their order; None: no value on that way."""
    values = [Unknown(source=name) if way is None else way for way in ways]
    first = values[0]
    if all(value is first for value in values):
        return first
    if any(isinstance(value, Items) for value in values):
        return _merged_items(values, decision)
    if any(isinstance(value, Table) for value in values):
        return _merged_tables(values, decision, name)
    if any(isinstance(value, Text) for value in values):
        return _merged_texts([text_of(value) for value in values], decision)
    return Unknown(source=name)


def _shared(rows: Sequence[Sequence[object]]) -> int:
    count = 0
    while all(len(row) > count and row[count] is rows[0][count] for row in rows):
        count += 1
    return count


def _merged_texts(texts: list[Text], decision: Decision) -> Text:
    rows = [text.atoms for text in texts]
    shared = _shared(rows)
    atoms = list(rows[0][:shared])
    for outcome, row in enumerate(rows):
        atoms += text_of(guarded(Text(atoms=row[shared:]), (decision, outcome))).atoms
    kinds = {text.kind for text in texts}
    kept = within_limits(tuple(atoms), "a text over 64 KiB")
    return Text(atoms=kept, kind=kinds.pop() if len(kinds) == 1 else "str")


def _merged_items(values: list[PythonValue], decision: Decision) -> Items:
    rows = [items_of(value) for value in values]
    shared = _shared(rows)
    items = list(rows[0][:shared])
    for outcome, row in enumerate(rows):
        items += items_of(guarded(Items(items=row[shared:]), (decision, outcome)))
    return listed(items)


def _merged_tables(values: list[PythonValue], decision: Decision, name: str) -> PythonValue:
    tables = [value for value in values if isinstance(value, Table)]
    if len(tables) < len(values):
        return Unknown(source=name)
    rows = [table.entries for table in tables]
    shared = _shared(rows)
    entries = list(rows[0][:shared])
    for outcome, row in enumerate(rows):
        pair = frozenset({(decision, outcome)})
        entries += [replace(entry, guard=entry.guard | pair) for entry in row[shared:]]
    return Table(
        entries=tuple(entries),
        is_open=any(table.is_open for table in tables),
        is_environment=any(table.is_environment for table in tables),
    )


def replaceable(value: PythonValue) -> PythonValue:
    """A value that something outside the file can replace."""
    if isinstance(value, Text):
        atoms = tuple(replace(atom, replaceable=True) for atom in value.atoms)
        return replace(value, atoms=atoms, pieces=())
    if isinstance(value, Items):
        return Items(items=tuple(replace(item, value=replaceable(item.value)) for item in value.items))
    return value
