from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfgate.bisection.candidates import History as Listed
from perfgate.bisection.candidates import list_history
from perfgate.bisection.gitrun import Git, scrubbed
from tests.repositories import clean_environment
from tests.scripted_history import History

if TYPE_CHECKING:
    from pathlib import Path


def listed(
    folder: Path, history: History, ends: tuple[int, int], **more: tuple[str, ...]
) -> tuple[Listed, dict[str, int]]:
    """The candidates between two marks, and the mark of each commit."""
    repository, marks = history.write(folder / "repository")
    git = Git(folder=repository.folder, environment=scrubbed(clean_environment(), folder / "none"))
    found = list_history(git, marks[ends[0]], marks[ends[1]], **more)
    return found, {commit: mark for mark, commit in marks.items()}


def marks_of(found: Listed, marks: dict[str, int]) -> list[int]:
    return [marks[item.commit] for item in found.candidates]


def test_first_parents_are_listed_in_the_order_of_history(tmp_path: Path) -> None:
    history = History()
    start = history.commit("start", {"a": "0"})
    side = history.commit("side", {"s": "1"}, parents=(start,), branch="side")
    main = history.commit("main", {"a": "1"}, parents=(start,))
    merge = history.commit("merge", {"s": "1"}, parents=(main, side))
    last = history.commit("last", {"a": "2"}, parents=(merge,))
    found, marks = listed(tmp_path, history, (start, last))
    assert marks_of(found, marks) == [start, main, merge, last]
    assert [item.is_merge for item in found.candidates] == [False, False, True, False]


def test_neighbours_with_one_tree_are_one_candidate(tmp_path: Path) -> None:
    history = History()
    start = history.commit("start", {"a": "0"})
    change = history.commit("change", {"a": "1"})
    empty = history.commit("empty")
    revert = history.commit("revert", {"a": "0"})
    found, marks = listed(tmp_path, history, (start, revert))
    assert marks_of(found, marks) == [start, change, revert]
    assert [marks[item] for item in found.candidates[1].same] == [empty]
    assert found.candidates[0].tree == found.candidates[2].tree


def test_with_paths_only_commits_that_touch_them_are_candidates(tmp_path: Path) -> None:
    history = History()
    start = history.commit("start", {"lib/a": "0", "b": "0"})
    history.commit("other", {"b": "1"})
    inside = history.commit("inside", {"lib/a": "1"})
    history.commit("other again", {"b": "2"})
    gone = history.commit("gone", {"lib/a": None})
    found, marks = listed(tmp_path, history, (start, gone), paths=("lib",))
    assert marks_of(found, marks) == [start, inside, gone]


def test_the_bad_end_may_join_an_earlier_candidate(tmp_path: Path) -> None:
    history = History()
    start = history.commit("start", {"a": "0"})
    change = history.commit("change", {"a": "1"})
    last = history.commit("empty")
    found, marks = listed(tmp_path, history, (start, last))
    assert marks_of(found, marks) == [start, change]


@pytest.mark.parametrize(
    ("files", "weight"),
    [
        ({"docs/a.txt": "1", "README.md": "1"}, 0.1),
        ({"src/a.py": "1"}, 1.0),
        ({"src/a.py": "1", "README.md": "1"}, 1.0),
        ({"deploy/convert.sh": "1"}, 3.0),
        ({"models/net.onnx": "1"}, 3.0),  # the benchmark reads it
    ],
)
def test_the_prior_weight_follows_the_files(
    tmp_path: Path, files: dict[str, str | bytes | None], weight: float
) -> None:
    history = History()
    start = history.commit("start", {"a": "0"})
    last = history.commit("change", files)
    found, _ = listed(tmp_path, history, (start, last), watched=("models/net.onnx",))
    assert found.candidates[1].weight == weight


def test_names_with_line_breaks_and_other_bytes_are_told_apart(tmp_path: Path) -> None:
    history = History()
    start = history.commit("start", {"a": "0"})
    odd = history.commit(b"caf\xe9", {"caf\udce9": "1"})
    last = history.commit("", {"b": "1"})
    found, _ = listed(tmp_path, history, (start, last))
    assert found.changed[found.candidates[1].commit] == ("caf\udce9",)
    assert found.candidates[1].subject == "caf�"
    assert found.candidates[2].subject == ""
    assert found.changed[found.candidates[2].commit] == ("b",)
    assert odd


def test_commits_that_change_a_lock_file_are_found_anywhere(tmp_path: Path) -> None:
    history = History()
    start = history.commit("start", {"a": "0"})
    lock = history.commit("lock", {"deep/uv.lock": "1"})
    last = history.commit("last", {"a": "1"})
    found, marks = listed(tmp_path, history, (start, last))
    assert [marks[item.commit] for item in found.touching(("uv.lock",))] == [lock]
