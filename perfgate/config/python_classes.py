"""Attributes of classes in a Python file: what methods find under `self`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from perfgate.config.python_flow import Flow, FunctionNode
from perfgate.config.python_names import Names, dotted
from perfgate.config.python_parameters import unknown_parameters
from perfgate.config.python_values import Item, Items, PythonValue, Unknown, replaceable

if TYPE_CHECKING:
    from perfgate.config.python_eval import Evaluator


def class_names(evaluator: Evaluator, node: ast.ClassDef, body: Names, outer: Names) -> dict[str, Names]:
    """The names that each method sees: the ones around the class, and `self.NAME` where it is known.

    An attribute that another method than `__init__` sets again is not known; a list that another one changes
    has any number of further elements. What the class sets is also put under `CLASS.NAME` into `outer`.
    """
    is_data = any("dataclass" in evaluator.source(decorator) for decorator in node.decorator_list)
    values = {name: replaceable(value) if is_data else value for name, value in body.own.items()}
    outer.own |= {f"{node.name}.{name}": value for name, value in values.items()}
    names = Names(outer)
    names.own = {f"{owner}.{name}": value for name, value in values.items() for owner in ("self", "cls")}
    methods = [method for method in node.body if isinstance(method, FunctionNode)]
    for method in methods:
        if method.name == "__init__":
            names.own |= _set_by(evaluator, method, names)
    return {method.name: _without_changes(method, methods, names) for method in methods}


def _without_changes(method: FunctionNode, methods: list[FunctionNode], names: Names) -> Names:
    seen = Names(names.outer, dict(names.own))
    for other in methods:
        if other is not method and other.name != "__init__":
            _forget_changed(other, seen)
    return seen


def _set_by(evaluator: Evaluator, method: FunctionNode, names: Names) -> dict[str, PythonValue]:
    inner = Names(names)
    inner.own |= unknown_parameters(evaluator, method, names)
    Flow(evaluator, None).block(method.body, inner)
    return {name: value for name, value in inner.own.items() if name.startswith("self.")}


def _forget_changed(method: FunctionNode, names: Names) -> None:
    for node in ast.walk(method):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and dotted(node) in names.own:
            names.own[dotted(node)] = Unknown(source=dotted(node))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            name = dotted(node.func.value)
            value = names.own.get(name)
            if isinstance(value, Items) and node.func.attr in {"append", "extend", "insert", "remove", "pop"}:
                more = Item(value=Unknown(source=name), is_open=True)
                names.own[name] = Items(items=(*value.items, more))
