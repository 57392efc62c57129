"""The texts that an expression of the source code can be, as far as the syntax tree says.

Names are followed to what they are set to before; what is chosen by one condition stays together. Parts that
are known only when the code runs become an ellipsis.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

OPEN = "…"
DEEPEST = 4  # names and conditions inside one another
MOST_FORMS = 12


@dataclass(frozen=True, slots=True)
class Form:
    """One text, and the conditions under which it is this one."""

    text: str
    holds: Mapping[str, bool] = field(default_factory=dict)

    def joined(self, other: Form) -> Form | None:
        """Both one after the other; None where their conditions exclude each other."""
        if any(other.holds.get(test, answer) is not answer for test, answer in self.holds.items()):
            return None
        return Form(self.text + other.text, {**self.holds, **other.holds})


@dataclass(frozen=True, slots=True)
class Scope:
    """What a name can be at one statement: the blocks before it, innermost first, and constants."""

    blocks: Sequence[Sequence[ast.stmt]]
    constants: Mapping[str, str]

    def values(self, name: str) -> list[tuple[ast.expr, dict[str, bool]]]:
        """The expressions that the name was set to last, each with the conditions that led there."""
        found: list[tuple[ast.expr, dict[str, bool]]] = []
        for block in self.blocks:
            for line in reversed(block):
                inner = list(_settings(line, name))
                found += inner
                if inner and (isinstance(line, ast.Assign) or getattr(line, "orelse", None)):
                    return found
        return found


def forms(node: ast.expr, scope: Scope, depth: int = 0) -> list[Form]:
    """All forms of a text expression."""
    found = [Form(OPEN)]
    if depth > DEEPEST:
        return found
    match node:
        case ast.Constant(value=str(text)):
            found = [Form(text)]
        case ast.JoinedStr():
            found = _joined(node.values, scope, depth)
        case ast.FormattedValue(value=ast.Name() | ast.IfExp() as value, conversion=-1):
            found = forms(value, scope, depth + 1)
        case ast.FormattedValue(conversion=114):  # ord("r")
            found = [Form(f"'{OPEN}'")]
        case ast.Name(id=name) if name in scope.constants and not scope.values(name):
            found = [Form(scope.constants[name])]
        case ast.Name(id=name):
            found = [
                whole
                for value, holds in scope.values(name)
                for form in forms(value, scope, depth + 1)
                if (whole := Form("", holds).joined(form))
            ] or found
        case ast.IfExp():
            test = ast.unparse(node.test)
            found = [
                whole
                for branch, answer in ((node.body, True), (node.orelse, False))
                for form in forms(branch, scope, depth + 1)
                if (whole := Form("", {test: answer}).joined(form))
            ]
        case ast.BinOp(op=ast.Add()):
            found = _joined([node.left, node.right], scope, depth)
    return found[:MOST_FORMS]


def _joined(parts: Sequence[ast.expr], scope: Scope, depth: int) -> list[Form]:
    whole = [Form("")]
    for part in parts:
        pairs = product(whole, forms(part, scope, depth + 1))
        whole = [form for head, tail in pairs if (form := head.joined(tail))][:MOST_FORMS]
    return whole


def _settings(line: ast.stmt, name: str) -> Iterator[tuple[ast.expr, dict[str, bool]]]:
    """Where a statement, or one inside it, sets the name."""
    match line:
        case ast.Assign(targets=[ast.Name(id=target)]) if target == name:
            yield line.value, {}
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
            yield from (
                (value, {}) for key, value in zip(names, values, strict=True) if ast.unparse(key) == name
            )
        case ast.If():
            for branch, answer in ((line.body, True), (line.orelse, False)):
                for inner in branch:
                    for value, holds in _settings(inner, name):
                        yield value, {ast.unparse(line.test): answer, **holds}
        case ast.For() | ast.While() | ast.With() | ast.Try():
            for inner in line.body:
                yield from _settings(inner, name)
        case _:
            pass
