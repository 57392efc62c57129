"""What assignments and the methods that change lists and tables leave in the names of a Python file."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from perfgate.config.python_eval import joined_tables
from perfgate.config.python_functions import keywords
from perfgate.config.python_names import dotted
from perfgate.config.python_values import (
    Entry,
    Item,
    Items,
    PythonValue,
    Table,
    Text,
    Unknown,
    items_of,
    listed,
    named,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.config.python_eval import Evaluator
    from perfgate.config.python_names import Names

_LIST_METHODS = {"append", "extend", "insert", "remove", "pop", "clear", "sort", "reverse"}
_TABLE_METHODS = {"update", "setdefault", "pop", "clear"}


def assignment(node: ast.Assign | ast.AnnAssign) -> tuple[list[ast.expr], ast.expr | None]:
    """The targets and the value of an assignment."""
    return ([node.target], node.value) if isinstance(node, ast.AnnAssign) else (node.targets, node.value)


def store(evaluator: Evaluator, target: ast.expr, value: PythonValue, names: Names) -> None:
    """`target = value`."""
    if not isinstance(target, ast.Subscript):
        evaluator.bind(target, value, names)
        return
    name = evaluator.variable(target.value)
    whole = evaluator.value(target.value, names)
    if name and isinstance(whole, Items):
        names.own[name] = _with_item(evaluator, whole, target, value)
    elif name and isinstance(whole, Table):
        key = evaluator.key(target.slice, names)
        more = Table(is_open=True) if key is None else Table(entries=(Entry(key=key, value=named(value)),))
        names.own[name] = joined_tables(whole, more)


def _with_item(evaluator: Evaluator, whole: Items, target: ast.Subscript, value: PythonValue) -> PythonValue:
    index = target.slice.value if isinstance(target.slice, ast.Constant) else None
    if not isinstance(index, int) or not 0 <= index < len(whole.items):
        return Unknown(source=evaluator.source(target))
    item = Item(value=named(value), place=evaluator.code.place(target))
    return Items(items=(*whole.items[:index], item, *whole.items[index + 1 :]))


def augment(evaluator: Evaluator, node: ast.AugAssign, names: Names) -> None:
    """`name += value` and `name |= value`; of an element nothing is remembered."""
    name = evaluator.variable(node.target)
    if not name:
        return
    value = evaluator.value(node.value, names)
    before = names.get(name) or Unknown(source=name)
    after: PythonValue = Unknown(source=name)
    if isinstance(node.op, ast.Add):
        after = evaluator.added(
            before, value, (evaluator.code.place(node.target), evaluator.code.place(node.value))
        )
    elif isinstance(node.op, ast.BitOr) and isinstance(before, Table) and isinstance(value, Table):
        after = joined_tables(before, value)
    if isinstance(before, Text) and isinstance(after, Text):
        # the earlier atoms stay the same objects, so that the ways of a decision still share them
        longer = (*before.atoms, *after.atoms[len(before.atoms) :])
        after = Text(atoms=longer if len(after.atoms) >= len(before.atoms) else after.atoms)
    names.own[name] = named(after)


def mutate(evaluator: Evaluator, call: ast.Call, names: Names) -> None:
    """`name.append(value)` and the other methods that change a list or table in its place."""
    if not isinstance(call.func, ast.Attribute):
        return
    name = evaluator.variable(call.func.value)
    whole = evaluator.value(call.func.value, names) if name else None
    method = call.func.attr
    if isinstance(whole, Items) and method in _LIST_METHODS:
        names.own[name] = _changed_list(evaluator, whole, call, names)
    elif isinstance(whole, Table) and method in _TABLE_METHODS:
        names.own[name] = joined_tables(whole, table_argument(evaluator, call, names))


def table_argument(evaluator: Evaluator, call: ast.Call, names: Names) -> Table:
    """The entries that `update(...)` or `setdefault(key, value)` names."""
    result = keywords(evaluator, call, names)
    if isinstance(call.func, ast.Attribute) and call.func.attr == "setdefault":
        key = evaluator.key(call.args[0], names) if call.args else None
        if key is None or len(call.args) < 2:  # noqa: PLR2004 - key and value
            return Table(is_open=True)
        value = named(evaluator.value(call.args[1], names))
        return Table(entries=(Entry(key=key, value=value, is_default=True),))
    for argument in call.args[:1]:
        value = evaluator.value(argument, names)
        result = joined_tables(value if isinstance(value, Table) else Table(is_open=True), result)
    return result


def _changed_list(evaluator: Evaluator, whole: Items, call: ast.Call, names: Names) -> Items:
    method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    arguments = [argument for argument in call.args if not isinstance(argument, ast.Starred)]
    if method == "append" and arguments:
        return listed((*whole.items, _item(evaluator, arguments[0], names)))
    if method == "extend" and arguments:
        return listed((*whole.items, *items_of(evaluator.value(arguments[0], names))))
    if method == "insert" and len(arguments) > 1:
        index = arguments[0].value if isinstance(arguments[0], ast.Constant) else None
        if isinstance(index, int):
            item = _item(evaluator, arguments[1], names)
            return Items(items=(*whole.items[:index], item, *whole.items[index:]))
    if method == "clear":
        return Items(items=())
    return Items(items=(*whole.items, Item(value=Unknown(source=method), is_open=True)))


def _item(evaluator: Evaluator, node: ast.expr, names: Names) -> Item:
    return Item(value=named(evaluator.value(node, names)), place=evaluator.code.place(node))


def forget_changed(statements: Sequence[ast.stmt], names: Names) -> None:
    """Nothing is known any more of the names that the statements set or change."""
    for node in (node for statement in statements for node in ast.walk(statement)):
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            names.own[dotted(node)] = Unknown(source=dotted(node))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            name = dotted(node.func.value)
            value = names.get(name)
            if isinstance(value, Items) and node.func.attr in _LIST_METHODS:
                more = Item(value=Unknown(source=name), is_open=True)
                names.own[name] = Items(items=(*value.items, more))


def open_growth(before: Names, after: Names) -> None:
    """A list that grows in a loop of unknown length has any number of the new unknown elements."""
    for name, value in after.own.items():
        earlier = before.get(name)
        if not (isinstance(value, Items) and isinstance(earlier, Items)):
            continue
        count = len(earlier.items)
        grown = value.items[:count] == earlier.items
        if grown and any(isinstance(item.value, Unknown) for item in value.items[count:]):
            extra = Item(value=Unknown(source=name), is_open=True)
            after.own[name] = Items(items=(*earlier.items, extra))
