from __future__ import annotations

import os
from typing import TYPE_CHECKING

from filelock import FileLock

from perfgate.bisection.mirror import used_mark
from perfgate.bisection.owner import this_process
from perfgate.workflow.cache_pruning import Limit, Pruned, prune_cache

if TYPE_CHECKING:
    from pathlib import Path

NOW = 1_000_000.0
DAY = 86_400.0


def mirror(cache: Path, name: str, *, age: float, size: int = 1000) -> Path:
    """A mirror's folder that was used `age` days ago and holds one old and one new sample file."""
    folder = cache / "bisect" / name
    (folder / "probes").mkdir(parents=True)
    for number, days in enumerate((age, age + 50)):
        path = folder / "probes" / f"{number}.json"
        path.write_bytes(b"x" * size)
        os.utime(path, (NOW - days * DAY, NOW - days * DAY))
    used_mark(folder).touch()
    os.utime(used_mark(folder), (NOW - age * DAY, NOW - age * DAY))
    return folder


def prune(cache: Path, *, days: float, size: int | None = None) -> Pruned:
    return prune_cache({"PERFGATE_CACHE": str(cache)}, Limit(seconds=days * DAY, size=size), NOW)


def test_old_mirrors_go_whole_and_old_files_of_young_ones(tmp_path: Path) -> None:
    old, young = mirror(tmp_path, "old", age=40), mirror(tmp_path, "young", age=1)
    done = prune(tmp_path, days=30)
    assert not old.exists()
    assert [path.name for path in (young / "probes").iterdir()] == ["0.json"]
    assert done == Pruned(files=1, mirrors=1, freed=3000, left=1000, busy=0)


def test_beyond_the_size_the_one_unused_for_longest_goes_first(tmp_path: Path) -> None:
    older, newer = mirror(tmp_path, "a", age=5), mirror(tmp_path, "b", age=1)
    done = prune(tmp_path, days=365, size=2500)
    assert (older.exists(), newer.exists()) == (False, True)
    assert (done.mirrors, done.left) == (1, 2000)


def test_what_a_process_uses_stays(tmp_path: Path) -> None:
    locked, owned = mirror(tmp_path, "locked", age=99), mirror(tmp_path, "owned", age=99)
    (owned / "trees").mkdir()
    (owned / "trees" / "t.owner").write_text(str(this_process()))
    with FileLock(locked.with_suffix(".lock")):
        done = prune(tmp_path, days=0)
    assert locked.exists()
    assert owned.exists()
    assert done.busy == 2


def test_an_empty_cache_is_fine(tmp_path: Path) -> None:
    assert prune(tmp_path, days=0) == Pruned(files=0, mirrors=0, freed=0, left=0, busy=0)
