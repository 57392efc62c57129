"""Parameters of functions in a Python file: not known where it is defined, bound where it is called."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from perfgate.config.python_functions import keywords
from perfgate.config.python_runs import SESSION, TASK
from perfgate.config.python_values import (
    Item,
    Items,
    PythonValue,
    Table,
    Text,
    Unknown,
    items_of,
    merged,
    named,
    replaceable,
)

if TYPE_CHECKING:
    from perfgate.config.python_eval import Evaluator
    from perfgate.config.python_names import Names

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


def unknown_parameters(evaluator: Evaluator, node: FunctionNode, names: Names) -> dict[str, PythonValue]:
    """Parameters of a function whose callers are not known; a default is a value that can be replaced."""
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    bound: dict[str, PythonValue] = {
        argument.arg: Unknown(source=argument.arg) for argument in (*positional, *arguments.kwonlyargs)
    }
    defaults = dict(
        zip([argument.arg for argument in positional][::-1], arguments.defaults[::-1], strict=False)
    )
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if default is not None:
            defaults[argument.arg] = default
    for name, default in defaults.items():
        bound[name] = _default(evaluator.value(default, names), name)
    if arguments.vararg is not None:
        bound[arguments.vararg.arg] = Unknown(source=f"*{arguments.vararg.arg}")
    if arguments.kwarg is not None:
        bound[arguments.kwarg.arg] = Table(is_open=True)
    bound |= _parametrized(evaluator, node, names)
    owner = _owner(evaluator, node)
    if owner and positional:
        bound[positional[0].arg] = Unknown(source=owner)
    return bound


def _parametrized(evaluator: Evaluator, node: FunctionNode, names: Names) -> dict[str, PythonValue]:
    """What `parametrize(names, values)` of nox or pytest gives: each value in turn."""
    found: dict[str, PythonValue] = {}
    for decorator in node.decorator_list:
        if not isinstance(decorator, ast.Call) or len(decorator.args) < 2:  # noqa: PLR2004 - names and values
            continue
        given = evaluator.value(decorator.args[0], names)
        cases = evaluator.cases(decorator.args[1], names)
        text = given.known if isinstance(given, Text) else None
        if "parametrize" not in evaluator.source(decorator.func) or not text or not cases:
            continue
        wanted = [name.strip() for name in text.split(",")]
        rows = [case.items if isinstance(case, Items) else () for case in cases]
        if len(wanted) == 1:
            columns = [list(cases)]
        elif all(len(row) == len(wanted) for row in rows):
            columns = [[row[index].value for row in rows] for index in range(len(wanted))]
        else:
            continue
        decision = evaluator.decision(decorator, len(cases))
        found |= {name: merged(column, decision, name) for name, column in zip(wanted, columns, strict=True)}
    return found


def _default(value: PythonValue, name: str) -> PythonValue:
    if isinstance(value, Table):
        return Unknown(source=name)
    if isinstance(value, Items):
        more = Item(value=Unknown(source=name), is_open=True)
        return Items(items=(*items_of(replaceable(value)), more))
    is_none = not isinstance(value, Unknown) and value.is_none
    return Unknown(source=name) if is_none else replaceable(named(value))


def _owner(evaluator: Evaluator, node: FunctionNode) -> str:
    """What the first parameter of a nox session or of an invoke task hides."""
    for decorator in node.decorator_list:
        function = decorator.func if isinstance(decorator, ast.Call) else decorator
        name = evaluator.imports.full_name(function)
        if name in {"nox.session", "nox_poetry.session"}:
            return SESSION
        if name in {"invoke.task", "invoke.tasks.task", "fabric.task"}:
            return TASK
    first = next(iter([*node.args.posonlyargs, *node.args.args]), None)
    if first is None or first.annotation is None:
        return ""
    annotation = evaluator.imports.full_name(first.annotation)
    return SESSION if annotation in {"nox.Session", "nox.sessions.Session"} else ""


def bound_parameters(
    evaluator: Evaluator, node: FunctionNode, call: ast.Call, names: Names, *, is_method: bool
) -> dict[str, PythonValue]:
    """Parameters as one call binds them; what the call leaves out has its default."""
    bound = unknown_parameters(evaluator, node, names)
    positional = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
    if is_method:
        positional = positional[1:]
    items: list[Item] = []
    for argument in call.args:
        if isinstance(argument, ast.Starred):
            items += items_of(evaluator.value(argument.value, names))
        else:
            items.append(Item(value=evaluator.value(argument, names), place=evaluator.code.place(argument)))
    for name, item in zip(positional, items, strict=False):
        bound[name] = Unknown(source=name) if item.is_open else item.value
    if node.args.vararg is not None:
        bound[node.args.vararg.arg] = Items(items=tuple(items[len(positional) :]))
    for entry in keywords(evaluator, call, names).entries:
        bound[entry.key.text] = entry.value
    return bound
