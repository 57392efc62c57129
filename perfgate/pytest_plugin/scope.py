"""Which tests this run has: a baseline of a test that should have been measured and was not is missing."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.measure.child import write_whole
from perfgate.pytest_plugin.functions import is_marked_timed, uses_fixture

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import pytest

_FILE = "scope-*.json"
_NARROWING = (
    "lf",
    "ignore",
    "ignore_glob",
    "pyargs",
)  # options that leave tests out without a word to plugins


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Node ids of the tests with the fixture: those that run, and those that a selection took out.

    `paths` are what pytest was asked to collect, relative to its root, with node ids where it was asked for
    those. `is_narrowed`: an option keeps tests from being collected at all. `timed` are those that run and
    need the clock, suites included.
    """

    selected: frozenset[str]
    deselected: frozenset[str]
    timed: tuple[str, ...]
    paths: tuple[str, ...]
    is_narrowed: bool

    def covers(self, nodeid: str) -> bool:
        """The run would have collected the test if it were there."""
        return not self.is_narrowed and any(_is_below(nodeid, path) for path in self.paths)


def note_scope(
    config: pytest.Config,
    folder: Path,
    items: Iterable[pytest.Item],
    deselected: Iterable[pytest.Item],
    worker: str,
) -> None:
    """Write down what this process collected; the controller of xdist collects nothing itself."""
    running = list(items)
    content = {
        "selected": [item.nodeid for item in running if uses_fixture(item)],
        "deselected": [item.nodeid for item in deselected if uses_fixture(item)],
        "timed": [item.nodeid for item in running if is_marked_timed(item)],
        "paths": [_relative(config, argument) for argument in config.args],
        "is_narrowed": any(config.getoption(name, default=None) for name in _NARROWING),
    }
    write_whole(folder / _FILE.replace("*", worker), content)


def read_scope(folder: Path) -> Scope:
    """What was collected; nothing when no process came so far."""
    for path in sorted(folder.glob(_FILE)):
        found = json.loads(path.read_text(encoding="utf-8"))
        return Scope(
            selected=frozenset(found["selected"]),
            deselected=frozenset(found["deselected"]),
            timed=tuple(found["timed"]),
            paths=tuple(found["paths"]),
            is_narrowed=found["is_narrowed"],
        )
    return Scope(selected=frozenset(), deselected=frozenset(), timed=(), paths=(), is_narrowed=False)


def _relative(config: pytest.Config, argument: str) -> str:
    path, separator, rest = argument.partition("::")
    full = (config.invocation_params.dir / path).resolve()
    try:
        inside = full.relative_to(config.rootpath.resolve()).as_posix()
    except ValueError:
        inside = str(full)
    return f"{inside}{separator}{rest}"


def _is_below(nodeid: str, path: str) -> bool:
    if path == ".":
        return True
    return nodeid == path or nodeid.startswith((f"{path}/", f"{path}::", f"{path}["))
