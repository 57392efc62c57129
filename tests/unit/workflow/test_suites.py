from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfgate.core.errors import NothingMeasuredError, UsageError
from perfgate.workflow.suites import find_suites, select
from perfgate.workflow.worktree import WorkTree

if TYPE_CHECKING:
    from pathlib import Path

ENTRY = "version: 1\nbenchmarks:\n  - {{name: {name}, model: m.onnx, devices: [x-like, y-like]}}\n"


def tree(folder: Path, **names: str) -> WorkTree:
    for place, name in names.items():
        (folder / place).mkdir()
        (folder / place / "perf_a.yaml").write_text(ENTRY.format(name=name))
    return WorkTree(folder, None)


def test_every_suite_file_of_the_tree_is_found(tmp_path: Path) -> None:
    found = find_suites(tree(tmp_path, one="a", two="b"))
    assert {path: [item.key for item in items] for path, items in found.items()} == {
        "one/perf_a.yaml": ["a[x-like]", "a[y-like]"],
        "two/perf_a.yaml": ["b[x-like]", "b[y-like]"],
    }


def test_one_name_in_two_files_is_refused_with_both_places(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"one/perf_a\.yaml:3:5 and two/perf_a\.yaml:3:5"):
        find_suites(tree(tmp_path, one="a", two="a"))


def test_selection_is_by_text_in_the_key_and_by_device(tmp_path: Path) -> None:
    items = [
        item for found in find_suites(tree(tmp_path, one="alpha", two="beta")).values() for item in found
    ]
    assert [item.key for item in select(items, expression="ALPHA", devices=("y-like",))] == ["alpha[y-like]"]
    with pytest.raises(NothingMeasuredError, match="no benchmark matches '-k gamma'"):
        select(items, expression="gamma")
    with pytest.raises(NothingMeasuredError, match="no benchmark is defined"):
        select([])
