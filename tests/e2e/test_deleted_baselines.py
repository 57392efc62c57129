"""Baselines that a change deletes, of benchmarks that pytest tests define."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.e2e.fixture_project import build_test_project

if TYPE_CHECKING:
    from pathlib import Path


def test_a_deleted_baseline_of_a_test_is_red(tmp_path: Path) -> None:
    project = build_test_project(tmp_path)
    stored = sorted((project.folder / "baselines/ascend-310p-like").glob("*.json"))
    assert len(stored) == 1
    stored[0].unlink()
    done = project.pytest("tests/test_models.py")
    assert done.code == 12, done.text
    assert "the change deletes the baseline of a benchmark: baselines/ascend-310p-like/" in done.out
