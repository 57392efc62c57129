"""Sizes, names and reasons: the rules of style that a reader would otherwise have to check by eye."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from functools import cache

import pytest

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
                long += [f"{path.relative_to(ROOT)}:{node.lineno} {node.name} {lines}"] * (
                    lines > MAX_FUNCTION
                )
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
    form = re.compile(r"(: [A-Z0-9, ]+|\[[a-z-]+(, ?[a-z-]+)*\])\s*(-|#)\s*\S+")
    wrong = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in python_files(PACKAGE, ROOT / "tests")
        if path.name != "test_files.py"
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        for mark in re.finditer(r"#\s*(noqa|type: ignore)(.*)", line)
        if not form.match(mark[2])
    ]
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
    wrong = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in python_files(PACKAGE)
        if path.relative_to(PACKAGE).parts[0] not in {"cli", "pytest_plugin"}
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in {"print", "exit"}
    ]
    assert wrong == []


def test_no_tracked_file_names_a_machine_path() -> None:
    places = ("/" + "work/", "/" + "farm/", "/" + "root/")
    done = subprocess.run(
        ["git", "ls-files", "-z"],  # noqa: S607 - the git of the machine
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    wrong = [
        path
        for path in done.stdout.split("\0")
        if path and (ROOT / path).is_file() and not path.startswith("tests/data/")
        if any(place in (ROOT / path).read_text(encoding="utf-8", errors="replace") for place in places)
    ]
    assert wrong == []


@pytest.mark.parametrize(("page", "rows"), [("KNOWN_FAILURES.md", 22), ("THREATS.md", 9)])
def test_the_tables_of_failures_and_threats_name_tests_that_exist_for_every_row(page: str, rows: int) -> None:
    found: dict[int, set[str]] = {}
    for line in (ROOT / "docs" / page).read_text(encoding="utf-8").splitlines():
        if re.match(r"\| \d", line):
            numbers, *_, tests = (cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1])
            named = set(re.findall(r"`(test_\w+)`", tests))
            assert named or "| open: " in line, line
            assert named - defined_tests() == set()
            for number in map(int, numbers.split(", ")):
                found.setdefault(number, set()).update(named)
    assert sorted(found) == list(range(1, rows + 1))


FEATURES = (
    "A10 A11 A20 A24 A30-A33 A50-A57 A60-A66 A69-A76 A82-A85 A100 A101 A104 A111 A131 "
    "B01-B21 B23 B24 C03-C10 C12-C14 C17-C29"
)


def test_the_table_of_features_names_a_test_that_exists_for_every_row() -> None:
    found = []
    for line in (ROOT / "docs" / "FEATURES.md").read_text(encoding="utf-8").splitlines():
        if re.match(r"\| [ABC]\d", line):
            row, *_, tests = (cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1])
            named = set(re.findall(r"`(test_\w+)`", tests))
            assert named or "| open: " in line, line
            assert named - defined_tests() == set(), row
            found.append(row)
    wanted = [row for span in FEATURES.split() for row in _rows(span)]
    assert found == wanted


def _rows(span: str) -> list[str]:
    """The rows of `A30-A33`, or the one of `A10`."""
    first, _, last = span.partition("-")
    return [f"{first[0]}{number:02d}" for number in range(int(first[1:]), int((last or first)[1:]) + 1)]


def test_the_oldest_dependencies_are_the_lowest_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    least = dict(re.split(r">=", line) for line in project["dependencies"])
    lines = (ROOT / ".ci" / "oldest.txt").read_text(encoding="utf-8").splitlines()
    tested = dict(re.split(r"==", line.removesuffix(".*")) for line in lines if not line.startswith("#"))
    assert tested == least


def test_the_formulas_name_code_and_tests_that_exist() -> None:
    text = (ROOT / "docs" / "MATH.md").read_text(encoding="utf-8")
    paths = set(re.findall(r"`([a-z]+/[\w/]+(?:\.py|/))`", text))
    assert len(paths) > 20
    tops = (PACKAGE, ROOT / "tests", ROOT)
    assert [path for path in sorted(paths) if not any((top / path).exists() for top in tops)] == []
    named = set(re.findall(r"`(test_\w+)`", text))
    assert named
    assert named - defined_tests() == set()


def test_every_formula_names_the_test_that_checks_it() -> None:
    text = (ROOT / "docs" / "MATH.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if re.match(r"\| \d+\.\d+ \|", line)]
    assert len(rows) > 70
    form = re.compile(r"`(?:test_\w+|(?:\w+/)+test_\w+\.py)`")
    assert [row for row in rows if not form.search(re.split(r"(?<!\\)\|", row)[-2])] == []


@cache
def defined_tests() -> set[str]:
    """The names of all tests."""
    return {
        name
        for path in python_files(ROOT / "tests")
        for name in re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
