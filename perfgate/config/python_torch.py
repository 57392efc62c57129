"""Calls of `torch.compile`: its keyword arguments are flags, those inside `options` are `options.NAME`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from perfgate.config.branches import branch_text
from perfgate.config.facts import Command, Flag, Presence, Value
from perfgate.config.programs import TORCH
from perfgate.config.python_functions import keywords
from perfgate.config.python_values import Entry, PythonValue, Table, Text, text_of
from perfgate.config.values import value_of

if TYPE_CHECKING:
    from perfgate.config.python_eval import Evaluator
    from perfgate.config.python_names import Names
    from perfgate.config.spans import Placed

PROGRAM = "torch.compile"
_NO_FLAGS = frozenset({"model"})  # what is compiled, not how


def torch_command(evaluator: Evaluator, node: ast.expr, names: Names, context: str) -> Command:
    """The command of a call, or of a decorator without parentheses."""
    function = node.func if isinstance(node, ast.Call) else node
    table = keywords(evaluator, node, names) if isinstance(node, ast.Call) else Table()
    flags: list[Flag] = []
    is_open = table.is_open
    for entry in table.entries:
        if entry.key.text in _NO_FLAGS:
            continue
        if entry.key.text == "options" and isinstance(entry.value, Table):
            flags += [_flag(option, f"options.{option.key.text}", entry) for option in entry.value.entries]
            is_open |= entry.value.is_open
        else:
            flags.append(_flag(entry, entry.key.text, entry))
    return Command(
        program=PROGRAM,
        dialect=TORCH,
        flags=tuple(flags),
        span=evaluator.code.place(node).span(),
        program_span=evaluator.code.place(function).span(),
        open=is_open,
        context=context,
    )


def _flag(entry: Entry, name: str, outer: Entry) -> Flag:
    guard = entry.guard | outer.guard
    place = _value_place(entry.value)
    return Flag(
        name=name,
        written=entry.key.text,
        value=_value(entry.value),
        span=entry.key.span(),
        value_span=place.span() if place is not None else None,
        presence=Presence.SOMETIMES if guard else Presence.ALWAYS,
        branch=branch_text((guard,)),
    )


def _value(value: PythonValue) -> Value:
    return value_of(text_of(value).atoms)


def _value_place(value: PythonValue) -> Placed | None:
    atoms = value.atoms if isinstance(value, Text) else ()
    return atoms[0].text if len(atoms) == 1 else None
