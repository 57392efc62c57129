"""Names of a Python file: what imports call the functions of other modules, and what variables hold."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfgate.config.python_values import PythonValue

ENVIRON = "os.environ"
_STAR_NAMES = {
    "subprocess": ("run", "call", "check_call", "check_output", "Popen", "getoutput", "getstatusoutput"),
    "os": ("system", "popen", "environ", "getenv", "putenv"),
    "shlex": ("split", "join", "quote"),
}


class Imports:
    """The full names behind the names that `import` binds, anywhere in the file."""

    __slots__ = ("_names",)

    def __init__(self, tree: ast.Module) -> None:
        self._names: dict[str, str] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    name = alias.name if alias.asname else alias.name.partition(".")[0]
                    self._names[alias.asname or name] = name
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                self._import_from(node, node.module)

    def _import_from(self, node: ast.ImportFrom, module: str) -> None:
        for alias in node.names:
            if alias.name == "*":
                self._names |= {name: f"{module}.{name}" for name in _STAR_NAMES.get(module, ())}
            else:
                self._names[alias.asname or alias.name] = f"{module}.{alias.name}"

    def full_name(self, node: ast.expr) -> str:
        """`sp.run` as `subprocess.run`; a name that no import binds as it is; empty for other expressions."""
        name = dotted(node)
        first, dot, rest = name.partition(".")
        return self._names.get(first, first) + dot + rest


def dotted(node: ast.AST) -> str:
    """A name or a chain of attributes as text, else empty."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join([node.id, *reversed(parts)])


class Names:
    """The variables of a module or function; attributes (`self.cmd`) are kept under their dotted name."""

    __slots__ = ("outer", "own")

    def __init__(self, outer: Names | None = None, own: dict[str, PythonValue] | None = None) -> None:
        self.outer = outer
        self.own: dict[str, PythonValue] = own or {}

    def get(self, name: str) -> PythonValue | None:
        """What the name holds here or, if not set here, in the scope around."""
        scope: Names | None = self
        while scope is not None:
            if name in scope.own:
                return scope.own[name]
            scope = scope.outer
        return None

    def fork(self) -> Names:
        """A copy for one way of a decision."""
        return Names(self.outer, dict(self.own))
