"""Shapes of rule-file nodes: one declaration that the validator checks and the JSON Schema is made from."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from perfgate.config.suggest import near_names
from perfgate.core.errors import UnusableError

if TYPE_CHECKING:
    from perfgate.guardrails.document import Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Scalar:
    """A text, number or truth value. `pattern` must match all of it; `what` says what is expected."""

    what: str
    choices: tuple[str, ...] = ()
    pattern: str = ""
    json_types: tuple[str, ...] = ("string",)
    allows_null: bool = False
    min_length: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOf:
    """A list of one shape; `allows_one`: a single item may stand without the brackets."""

    item: Shape
    allows_one: bool = False
    min_items: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class MapOf:
    """A mapping with free keys; `what` names them."""

    value: Shape
    what: str
    min_items: int = 0


@dataclass(frozen=True, slots=True)
class Field:
    """A key of a table and its meaning."""

    name: str
    shape: Shape
    text: str
    is_required: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A mapping with fixed keys. Exactly one of the fields of `one_of` must be there."""

    name: str
    fields: tuple[Field, ...]
    one_of: tuple[str, ...] = ()

    def field(self, name: str) -> Field | None:
        """The field with this name."""
        return next((field for field in self.fields if field.name == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Either:
    """One of several shapes, told apart by the type of the node."""

    choices: tuple[Shape, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Self:
    """The table that holds this field, for nested conditions."""

    name: str


Shape = Scalar | ListOf | MapOf | Table | Either | Self


def check(node: Node, shape: Shape, name: str, owner: Table | None = None) -> None:
    """Hold a node to a shape; `name` is the key it stands under, `owner` the innermost table.

    Raises:
        UnusableError: the first thing that does not fit, with its place and the nearest right word.
    """
    match shape:
        case Scalar():
            _check_scalar(node, shape, name)
        case ListOf():
            _check_list(node, shape, name, owner)
        case MapOf():
            pairs = checked_pairs(node, name, shape.what)
            if len(pairs) < shape.min_items:
                raise UnusableError(f"{name!r} asks nothing", str(node.place), f"write {shape.what}: value")
            for _, value in pairs:
                check(value, shape.value, name, owner)
        case Table():
            _check_table(node, shape, name)
        case Self():
            if owner is None:
                raise ValueError("a reference to the own table stands outside a table")
            _check_table(node, owner, name)
        case Either():
            _check_either(node, shape, name, owner)
        case _:
            assert_never(shape)


def _check_scalar(node: Node, shape: Scalar, name: str) -> None:
    if node.text is None:
        raise UnusableError(f"{name!r} is not a single value", str(node.place), f"want {shape.what}")
    if shape.allows_null and node.is_null:
        return
    text = node.text
    if shape.choices and text not in shape.choices:
        near = near_names(text, shape.choices)
        hint = f"did you mean {near[0]!r}?" if near else f"one of {', '.join(shape.choices)}"
        raise UnusableError(f"{name!r} is {shown(text)}", str(node.place), hint)
    if (node.is_null and shape.json_types == ("string",)) or (
        (shape.pattern and not re.fullmatch(shape.pattern, text)) or len(text.strip()) < shape.min_length
    ):
        raise UnusableError(f"{name!r} is {shown(text)}", str(node.place), f"want {shape.what}")


def _check_list(node: Node, shape: ListOf, name: str, owner: Table | None) -> None:
    if node.items is None and not shape.allows_one:
        raise UnusableError(f"{name!r} is not a list", str(node.place), "write it as a list: [ ... ]")
    entries = node.entries()
    if len(entries) < shape.min_items:
        raise UnusableError(f"{name!r} is too short", str(node.place), f"name at least {shape.min_items}")
    for item in entries:
        check(item, shape.item, name, owner)


def checked_pairs(node: Node, name: str, what: str) -> tuple[tuple[Node, Node], ...]:
    """The pairs of a mapping whose keys are texts and differ.

    Raises:
        UnusableError: not a mapping, a key that is no text, or a repeated key (both lines are named).
    """
    if node.pairs is None:
        raise UnusableError(f"{name!r} is not a mapping", str(node.place), f"write {what}: value")
    seen: dict[str, Node] = {}
    for key, _ in node.pairs:
        if key.text is None:
            raise UnusableError(f"a key of {name!r} is not a text", str(key.place), f"want {what}")
        if key.text in seen:
            first = seen[key.text].place
            raise UnusableError(
                f"{shown(key.text)} stands twice in {name!r}",
                str(key.place),
                f"remove one; the first is in line {first.line}",
            )
        seen[key.text] = key
    return node.pairs


def _check_table(node: Node, table: Table, name: str) -> None:
    names = tuple(field.name for field in table.fields)
    present = set()
    for key, value in checked_pairs(node, name, "a known key"):
        field = table.field(key.scalar())
        if field is None:
            raise unknown_name(key, names, f"key of {name!r}")
        present.add(field.name)
        check(value, field.shape, field.name, table)
    for field in table.fields:
        if field.is_required and field.name not in present:
            raise UnusableError(f"{name!r} has no {field.name!r}", str(node.place), f"add it: {field.text}")
    chosen = [option for option in table.one_of if option in present]
    if table.one_of and len(chosen) != 1:
        found = f"{len(chosen)} of them: {', '.join(chosen)}" if chosen else "none"
        wanted = f"exactly one of {', '.join(table.one_of)}"
        raise UnusableError(f"{name!r} has {found}", str(node.place), f"give {wanted}")


def _check_either(node: Node, shape: Either, name: str, owner: Table | None) -> None:
    for choice in shape.choices:
        if _accepts(node, choice):
            check(node, choice, name, owner)
            return
    check(node, shape.choices[0], name, owner)


def _accepts(node: Node, shape: Shape) -> bool:
    if isinstance(shape, Scalar):
        return node.text is not None
    if isinstance(shape, ListOf):
        return node.items is not None
    return node.pairs is not None


def unknown_name(key: Node, names: tuple[str, ...], what: str) -> UnusableError:
    """The error for a name nobody knows, with the nearest known one."""
    near = near_names(key.scalar(), names)
    hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(names)}"
    return UnusableError(f"unknown {what} {shown(key.scalar())}", str(key.place), hint)


_SHOWN = 60  # characters of a user's text in a message


def shown(text: str) -> str:
    """A text of the user, quoted, without control characters and not too long."""
    cut = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
    return ascii(cut) if any(not sign.isprintable() for sign in cut) else repr(cut)
