"""Imports point downwards only, and each package uses only the third-party code that the design allows it."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.source import PACKAGE, imported_modules, python_files

# Lowest first; a package may import those of lower rows, and those of its own row only where listed below.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("core",),
    ("config", "formats"),
    ("graph",),
    ("compiler", "zoo"),
    ("npu",),
    ("backends",),
    ("measure",),
    ("stats", "baseline", "guardrails"),
    ("gate",),
    ("diagnose",),
    ("bisection",),
    ("report",),
    ("plan",),  # above report, for its inert code spans
    ("workflow",),
    ("cli", "pytest_plugin"),
)
RANK = {package: rank for rank, row in enumerate(LAYERS) for package in row}
EVERYWHERE = frozenset({"msgspec"})  # the codec of the frozen values
ALLOWED: dict[str, frozenset[str]] = {
    "core": frozenset(),
    "config": frozenset({"yaml"}),
    "formats": frozenset(),
    "graph": frozenset({"onnx", "numpy", "google"}),
    "compiler": frozenset({"numpy"}),
    "npu": frozenset({"numpy", "yaml"}),
    "zoo": frozenset({"onnx", "numpy"}),
    "backends": frozenset({"google", "numpy", "onnx"}),
    "measure": frozenset({"google", "onnx", "numpy", "onnxruntime"}),
    "stats": frozenset({"numpy", "scipy"}),
    "baseline": frozenset({"git", "codeowners"}),
    "guardrails": frozenset({"yaml"}),
    "gate": frozenset({"numpy"}),
    "diagnose": frozenset({"numpy"}),
    "bisection": frozenset({"git", "filelock", "numpy"}),
    "plan": frozenset({"google", "numpy", "onnx", "yaml"}),
    "report": frozenset({"tabulate", "rich", "bokeh", "numpy"}),  # the last two in report/html/ only
    "workflow": frozenset({"filelock", "git"}),
    "cli": frozenset({"click", "rich"}),
    "pytest_plugin": frozenset({"pytest", "_pytest"}),
}


def test_every_package_has_a_place_in_the_layers() -> None:
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert folders == set(RANK)


@pytest.mark.parametrize("package", sorted(RANK))
def test_imports_point_downwards_only(package: str) -> None:
    wrong = []
    for path in python_files(PACKAGE / package):
        for module in imported_modules(path):
            parts = module.split(".")
            if parts[0] != "perfgate" or len(parts) == 1 or parts[1] == package:
                continue
            if RANK[parts[1]] >= RANK[package]:
                wrong.append(f"{path.relative_to(PACKAGE)} imports {module}")
    assert wrong == []


@pytest.mark.parametrize("package", sorted(RANK))
def test_third_party_imports_are_those_of_the_design(package: str) -> None:
    known = sys.stdlib_module_names | EVERYWHERE | ALLOWED[package] | {"perfgate"}
    wrong = [
        f"{path.relative_to(PACKAGE)} imports {module}"
        for path in python_files(PACKAGE / package)
        for module in imported_modules(path)
        if module.split(".")[0] not in known
    ]
    assert wrong == []


def test_bokeh_is_imported_by_the_html_page_only_and_never_at_import_time() -> None:
    users = {
        path.relative_to(PACKAGE).as_posix()
        for path in python_files(PACKAGE)
        if any(module.split(".")[0] == "bokeh" for module in imported_modules(path))
    }
    assert all(name.startswith("report/html/") for name in users)
    modules = ", ".join(f"perfgate.report.html.{Path(name).stem}" for name in users)
    code = f"import sys, {modules}; sys.exit('bokeh' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0  # noqa: S603 - our own


def test_package_inits_hold_no_logic() -> None:
    """A docstring, imports and `__all__`; the top-level one also says the version."""
    allowed = (ast.Import, ast.ImportFrom, ast.Assign)
    for path in PACKAGE.rglob("__init__.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            assert is_text or isinstance(node, allowed), path
            if isinstance(node, ast.Assign):
                names = {target.id for target in node.targets if isinstance(target, ast.Name)}
                assert names <= {"__all__", "__version__"}, path


def test_the_entry_imports_nothing_but_pytest() -> None:
    code = (
        "import sys, pytest; before = set(sys.modules); import perfgate.pytest_plugin.entry;"
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["perfgate", "perfgate.pytest_plugin", "perfgate.pytest_plugin.entry"]


@pytest.mark.parametrize(
    ("module", "heavy"),
    [
        ("perfgate.stats", "scipy.stats"),
        ("perfgate.cli.main", "numpy"),
        ("perfgate.cli.main", "onnx"),
        ("perfgate.cli.main", "git"),
    ],
)
def test_heavy_modules_are_imported_only_where_they_are_used(module: str, heavy: str) -> None:
    code = f"import sys, {module}; sys.exit({heavy!r} in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=False)  # noqa: S603 - our own interpreter
    assert done.returncode == 0


def loaded_by(module: str) -> set[str]:
    code = f"import sys; before = set(sys.modules); import {module}; print(*set(sys.modules) - before)"
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_a_measured_process_loads_one_module_of_perfgate_and_the_standard_library() -> None:
    """What the child loads is part of what it measures."""
    loaded = loaded_by("perfgate.measure.child")
    assert {name for name in loaded if name.startswith("perfgate")} == {
        "perfgate",
        "perfgate.measure",
        "perfgate.measure.child",
    }
    assert {name.partition(".")[0] for name in loaded} - {"perfgate"} <= sys.stdlib_module_names


def test_the_process_of_a_model_adds_one_module_and_loads_the_runtime_when_it_runs() -> None:
    added = loaded_by("perfgate.measure.onnx_child") - loaded_by("perfgate.measure.child")
    assert {name for name in added if name.partition(".")[0] not in sys.stdlib_module_names} == {
        "perfgate.measure.onnx_child"
    }
