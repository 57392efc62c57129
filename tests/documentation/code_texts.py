"""Every text that stands in perfgate's code, with an ellipsis for what is filled in when it runs."""

from __future__ import annotations

import ast
from functools import cache

from tests.documentation.messages import syntax_trees
from tests.documentation.text_forms import OPEN


@cache
def code_texts() -> frozenset[str]:
    """The string literals of all modules, docstrings apart."""
    found: set[str] = set()
    for tree in syntax_trees().values():
        inside = {
            id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values
        }
        prose = {
            id(node.value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        }
        for node in ast.walk(tree):
            if id(node) not in inside | prose and isinstance(node, ast.Constant | ast.JoinedStr):
                found.add(_text(node))
    return frozenset(found)


def _text(node: ast.Constant | ast.JoinedStr) -> str:
    parts = [node] if isinstance(node, ast.Constant) else node.values
    return "".join(map(_part, parts))


def _part(node: ast.expr) -> str:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    is_quoted = isinstance(node, ast.FormattedValue) and node.conversion == ord("r")
    return f"'{OPEN}'" if is_quoted else OPEN
