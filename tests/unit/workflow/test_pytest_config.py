"""Where pytest is configured, in pytest's own order, and where it then looks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfgate.workflow.pytest_config import PytestConfig, find_pytest_config
from perfgate.workflow.worktree import WorkTree

if TYPE_CHECKING:
    from pathlib import Path


def found(folder: Path, **files: str) -> PytestConfig:
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)
    return find_pytest_config(WorkTree(folder, None))


@pytest.mark.parametrize(
    ("name", "text", "paths"),
    [
        ("pytest__ini", "", ()),
        ("pytest__ini", "[pytest]\ntestpaths = a b\n", ("a", "b")),
        ("pytest__toml", '[pytest]\ntestpaths = ["a"]\n', ("a",)),
        ("pyproject__toml", '[tool.pytest.ini_options]\ntestpaths = "a b"\n', ("a", "b")),
        ("pyproject__toml", '[tool.pytest]\ntestpaths = ["a"]\n', ("a",)),
        ("tox__ini", "[tox]\n[pytest]\ntestpaths =\n  a\n  b\n", ("a", "b")),
        ("setup__cfg", "[tool:pytest]\naddopts = %q\n", ()),
    ],
)
def test_the_file_with_pytests_section_is_found(
    tmp_path: Path, name: str, text: str, paths: tuple[str, ...]
) -> None:
    assert found(tmp_path, **{name: text}) == PytestConfig(file=name.replace("__", "."), test_paths=paths)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pyproject__toml", "[tool.black]\n"),
        ("tox__ini", "[tox]\n"),
        ("setup__cfg", "[metadata]\n"),
        ("pyproject__toml", "no toml"),
        ("tox__ini", "no section"),
    ],
)
def test_a_file_without_it_configures_nothing(tmp_path: Path, name: str, text: str) -> None:
    assert found(tmp_path, **{name: text}) == PytestConfig()


def test_pytests_own_file_comes_before_the_others(tmp_path: Path) -> None:
    config = found(
        tmp_path, pytest__ini="[pytest]\n", pyproject__toml='[tool.pytest.ini_options]\ntestpaths = ["a"]\n'
    )
    assert config == PytestConfig(file="pytest.ini")
