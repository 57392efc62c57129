"""The source tree as the architecture tests see it: files, packages, imports; plain `ast`."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "perfgate"


def python_files(*folders: Path) -> list[Path]:
    """All Python files below the folders, in order."""
    return sorted(path for folder in folders for path in folder.rglob("*.py") if "data" not in path.parts)


def package_of(path: Path) -> str:
    """The first folder below `perfgate`, or "" for its own `__init__`."""
    parts = path.relative_to(PACKAGE).parts
    return parts[0] if len(parts) > 1 else ""


def imported_modules(path: Path) -> set[str]:
    """Every module that the file imports anywhere, also inside functions and type-checking blocks."""
    modules: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules.add(node.module)
    return modules
