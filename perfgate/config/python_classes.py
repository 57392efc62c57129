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


def class_names(evaluator: Evaluator, node: ast.ClassDef, body: Names, outer: Names) -> Names:
    """The names that methods of the class see: the ones around the class, and `self.NAME` where it is known.

    An attribute that another method than `__init__` sets again is not known; a list that one changes has any
    number of further elements. The attributes of the class are also put under `CLASS.NAME` into `outer`.
    """
    is_data = any("dataclass" in evaluator.source(decorator) for decorator in node.decorator_list)
    values = {name: replaceable(value) if is_data else value for name, value in body.own.items()}
    outer.own |= {f"{node.name}.{name}": value for name, value in values.items()}
    names = Names(outer)
    names.own = {f"{owner}.{name}": value for name, value in values.items() for owner in ("self", "cls")}
    for method in node.body:
        if isinstance(method, FunctionNode) and method.name == "__init__":
            names.own |= _set_by(evaluator, method, names)
    for method in node.body:
        if isinstance(method, FunctionNode) and method.name != "__init__":
            _forget_changed(method, names)
    return names


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
