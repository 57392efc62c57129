"""Sizes, names and reasons: the rules of style that a reader would otherwise have to check by eye."""

from __future__ import annotations

import ast
import re
import sys

from tests.architecture.source import PACKAGE, ROOT, python_files

MAX_LINES = 400
MAX_FUNCTION = 50
MAX_PARAMETERS = 5
VAGUE = frozenset({"utils", "util", "helpers", "helper", "common", "misc", "manager", "tools"})


def test_no_file_is_longer_than_400_lines() -> None:
    long = {
        str(path.relative_to(ROOT)): count
        for path in python_files(PACKAGE, ROOT / "tests")
        if (count := len(path.read_text(encoding="utf-8").splitlines())) > MAX_LINES
    }
    assert long == {}


def test_no_function_is_longer_than_50_lines() -> None:
    long = []
    for path in python_files(PACKAGE):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or 0) - node.lineno + 1
                if lines > MAX_FUNCTION:
                    long.append(f"{path.relative_to(ROOT)}:{node.lineno} {node.name} {lines}")
    assert long == []


def test_module_names_are_nouns_that_shadow_no_standard_module() -> None:
    wrong = [
        str(path.relative_to(ROOT))
        for path in python_files(PACKAGE)
        if path.stem in VAGUE or (path.stem in sys.stdlib_module_names and path.stem != "__init__")
    ]
    assert wrong == []


def test_every_ignored_rule_names_its_reason() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    section = text.split("[tool.ruff.lint]")[1].split("[tool.coverage")[0]
    rows = [line for line in section.splitlines() if re.search(r'"[A-Z]+[0-9]+"|"[A-Z]{2,}"', line)]
    assert rows
    assert [line for line in rows if "#" not in line and "select" not in line] == []


def test_every_suppression_names_its_code_and_reason() -> None:
    wrong = []
    for path in python_files(PACKAGE, ROOT / "tests"):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for mark in re.finditer(r"#\s*(noqa|type: ignore)(.*)", line):
                if not re.match(r"(: [A-Z0-9, ]+|\[[a-z-]+(, ?[a-z-]+)*\])\s*(-|#)\s*\S+", mark[2]):
                    wrong.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()}")
    wrong = [row for row in wrong if "test_files.py" not in row]
    assert wrong == []


def test_todos_name_an_issue() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in python_files(PACKAGE)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(r"#.*\b(TODO|FIXME|XXX)\b(?!\(?#?\d)", line)
    ]
    assert wrong == []


def test_only_the_faces_print_or_exit() -> None:
    wrong = []
    for path in python_files(PACKAGE):
        if path.relative_to(PACKAGE).parts[0] in {"cli", "pytest_plugin"}:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in {"print", "exit"}
            ):
                wrong.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert wrong == []


def test_no_file_names_a_machine_path() -> None:
    places = ("/" + "work/", "/" + "farm/", "/" + "root/")
    wrong = [
        str(path.relative_to(ROOT))
        for path in ROOT.rglob("*")
        if path.is_file()
        and not {".git", ".venv", ".mypy_cache", ".ruff_cache", ".pytest_cache"}
        & set(path.relative_to(ROOT).parts)
        and path.suffix in {".py", ".md", ".toml", ".yaml", ".yml", ".sh", ""}
        and any(place in path.read_text(encoding="utf-8", errors="replace") for place in places)
    ]
    assert wrong == []
