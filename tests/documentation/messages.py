"""The messages that a user can meet: `what` and `remedy` of every error that the code makes."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import TYPE_CHECKING

from perfgate.core.errors import ExitCode
from tests.architecture.source import PACKAGE, ROOT, python_files
from tests.documentation.text_forms import Scope, forms

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    Blocks = tuple[Sequence[ast.stmt], ...]

PARTS = 3  # what, where, remedy
LEVELS = 3  # of the error tree


@dataclass(frozen=True, slots=True, order=True)
class Message:
    """One form of one message, and the exit code it ends with."""

    what: str
    remedy: str
    exit_code: ExitCode


@cache
def syntax_trees() -> Mapping[str, ast.Module]:
    """Every module of perfgate, by name."""
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts): ast.parse(path.read_text(encoding="utf-8"))
        for path in python_files(PACKAGE)
    }


@cache
def messages() -> tuple[Message, ...]:
    """All of them, sorted."""
    constants = {name: _constants(tree) for name, tree in syntax_trees().items()}
    codes = _exit_codes(syntax_trees().values())
    found: set[Message] = set()
    for name, tree in syntax_trees().items():
        known = {**_imported(tree, constants), **constants[name]}
        for call, blocks in _calls(tree.body, ()):
            error = ast.unparse(call.func)
            if error in codes and len(call.args) == PARTS:
                found |= set(_of_call(call, codes[error], Scope(blocks=blocks, constants=known)))
    return tuple(sorted(found))


def _of_call(call: ast.Call, code: ExitCode, scope: Scope) -> Iterator[Message]:
    for what, remedy in product(forms(call.args[0], scope), forms(call.args[2], scope)):
        if what.joined(remedy):
            yield Message(what=what.text, remedy=remedy.text, exit_code=code)


def _calls(block: Sequence[ast.stmt], around: Blocks) -> Iterator[tuple[ast.Call, Blocks]]:
    """Every call with the statements that ran before it, innermost block first."""
    for position, line in enumerate(block):
        before = (block[:position], *around)
        inner = [
            value
            for name in ("body", "orelse", "finalbody")
            if isinstance(value := getattr(line, name, None), list)
        ]
        inner += [case.body for case in [*getattr(line, "handlers", ()), *getattr(line, "cases", ())]]
        for part in inner:
            is_new = isinstance(line, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            yield from _calls(part, () if is_new else before)
        for node in _own(line):
            yield from ((item, before) for item in ast.walk(node) if isinstance(item, ast.Call))


def _own(line: ast.stmt) -> Iterator[ast.expr]:
    """The expressions of a statement itself, without those of the statements inside it."""
    yield from (node for node in ast.iter_child_nodes(line) if isinstance(node, ast.expr))


def _exit_codes(trees: Collection[ast.Module]) -> Mapping[str, ExitCode]:
    """Exit code by name of every class of the error tree."""
    classes = [node for tree in trees for node in tree.body if isinstance(node, ast.ClassDef)]
    codes = {"PerfgateError": ExitCode.USAGE}
    for _ in range(LEVELS):  # whatever the order of the files
        for node in classes:
            base = next((ast.unparse(item) for item in node.bases if ast.unparse(item) in codes), None)
            if base is not None:
                own = (getattr(line, "value", None) for line in node.body)
                names = [
                    ast.unparse(item).removeprefix("ExitCode.")
                    for item in own
                    if isinstance(item, ast.Attribute)
                ]
                codes[node.name] = ExitCode[names[0]] if names else codes[base]
    return codes


def _constants(tree: ast.Module) -> dict[str, str]:
    """The texts that a module gives names to."""
    return {
        line.targets[0].id: line.value.value
        for line in tree.body
        if isinstance(line, ast.Assign)
        and isinstance(line.targets[0], ast.Name)
        and isinstance(line.value, ast.Constant)
        and isinstance(line.value.value, str)
    }


def _imported(tree: ast.Module, constants: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    return {
        alias.asname or alias.name: known[alias.name]
        for line in tree.body
        if isinstance(line, ast.ImportFrom) and (known := constants.get(line.module or ""))
        for alias in line.names
        if alias.name in known
    }
