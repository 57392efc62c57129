"""Environment settings of a Python file: `os.environ`, `putenv`, `env=` of a call, and their relatives."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from perfgate.config.facts import EnvOperation
from perfgate.config.found import Found
from perfgate.config.python_assign import table_argument
from perfgate.config.python_functions import keywords
from perfgate.config.python_runs import SESSION
from perfgate.config.python_values import PythonValue, Table, Text, Unknown, text_of
from perfgate.config.settings import read_setting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfgate.config.python_eval import Evaluator
    from perfgate.config.python_names import Names
    from perfgate.config.python_values import Entry
    from perfgate.config.spans import Placed

_ENV_ARGUMENTS = frozenset({"env", "environment", "extra_env", "env_vars"})


def setting(name: Placed, value: PythonValue, operation: EnvOperation = EnvOperation.SET) -> Found:
    """The setting of one variable. A value that begins with the variable's own text adds to it."""
    if name.text not in name.source.watch.variables:
        return Found()
    atoms = text_of(value).atoms
    own = [atom for atom in atoms if atom.source == name.text]
    earlier = [atom for atom in own if atom.text is None or not atom.text.text.strip()]
    rest = tuple(atom for atom in atoms if atom not in earlier)
    if not rest and earlier:
        return Found()
    if operation is EnvOperation.SET and earlier:
        operation = EnvOperation.APPEND
    elif operation is EnvOperation.SET and own and len(own) == len(rest):
        operation = EnvOperation.DEFAULT
    if operation is EnvOperation.DEFAULT:
        rest = tuple(replace(atom, replaceable=True) for atom in rest)
    return read_setting(name, rest, operation)


def element_setting(
    evaluator: Evaluator, target: ast.Subscript, value: ast.expr, names: Names, *, adds: bool
) -> Found:
    """`os.environ["XLA_FLAGS"] = value`, or `+= value`, also of a copy of the environment."""
    if not _is_environment(evaluator, target.value, names):
        return Found()
    name = evaluator.key(target.slice, names)
    if name is None:
        return Found()
    operation = EnvOperation.APPEND if adds else EnvOperation.SET
    return setting(name, evaluator.value(value, names), operation)


def call_settings(evaluator: Evaluator, node: ast.Call, names: Names) -> Iterator[Found]:
    """The settings that a call makes or hands to what it runs."""
    for keyword in node.keywords:
        if keyword.arg in _ENV_ARGUMENTS:
            yield from table_settings(evaluator.value(keyword.value, names))
    name = evaluator.imports.full_name(node.func)
    method = name.rpartition(".")[2] or (node.func.attr if isinstance(node.func, ast.Attribute) else "")
    if (name == "os.putenv" or method == "setenv") and len(node.args) > 1:
        key = evaluator.key(node.args[0], names)
        if key is not None:
            yield setting(key, evaluator.value(node.args[1], names))
    elif isinstance(node.func, ast.Attribute) and method in {"update", "setdefault"}:
        if _is_environment(evaluator, node.func.value, names):
            yield from table_settings(table_argument(evaluator, node, names))
    elif name.endswith("patch.dict") and node.args and _names_environment(evaluator, node.args[0], names):
        if len(node.args) > 1:
            yield from table_settings(evaluator.value(node.args[1], names))
        yield from table_settings(keywords(evaluator, node, names))


def table_settings(value: PythonValue) -> Iterator[Found]:
    """The entries of a table that becomes an environment."""
    for entry in value.entries if isinstance(value, Table) else ():
        yield _entry_setting(entry)


def _entry_setting(entry: Entry) -> Found:
    return setting(entry.key, entry.value, EnvOperation.DEFAULT if entry.is_default else EnvOperation.SET)


def _is_environment(evaluator: Evaluator, node: ast.expr, names: Names) -> bool:
    value = evaluator.value(node, names)
    if isinstance(value, Table):
        return value.is_environment
    owner = (
        evaluator.value(node.value, names) if isinstance(node, ast.Attribute) and node.attr == "env" else None
    )
    return isinstance(owner, Unknown) and owner.source == SESSION


def _names_environment(evaluator: Evaluator, node: ast.expr, names: Names) -> bool:
    value = evaluator.value(node, names)
    return _is_environment(evaluator, node, names) or (
        isinstance(value, Text) and value.known == "os.environ"
    )
