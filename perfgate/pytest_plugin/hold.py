"""Held reports: a benchmark item measures now and gets its outcome later, when the whole suite is decided.

A held item is one JSON file in the run directory: its three reports as pytest itself serialises them. It
outlives the process that wrote it, so a crashed xdist worker loses nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

# pytest offers no public way to run one item without logging its reports; tests/contract holds this import to
# its promise on every supported version.
from _pytest.runner import runtestprotocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pytest

HELD_SUFFIX = ".held.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldItem:
    """An item that was run and is not yet judged.

    `failures` are the benchmarks by key that left no record, with the reason. A test function measures any
    number of benchmarks; `measured` holds them and their records as builtins. Those of suites lie in files.
    """

    nodeid: str
    keys: tuple[str, ...]
    failures: dict[str, str]
    reports: tuple[dict[str, Any], ...]
    measured: tuple[dict[str, Any], ...] = ()


def run_quietly(item: pytest.Item, nextitem: pytest.Item | None) -> list[pytest.TestReport]:
    """Run setup, call and teardown of one item; nothing is logged."""
    reports: list[pytest.TestReport] = runtestprotocol(item, nextitem=nextitem, log=False)
    return reports


def write_held(folder: Path, held: HeldItem) -> None:
    """Put a held item into the run directory; it appears whole or not at all."""
    name = hashlib.sha256(held.nodeid.encode()).hexdigest()[:16]
    content = {
        "nodeid": held.nodeid,
        "keys": held.keys,
        "failures": held.failures,
        "reports": held.reports,
        "measured": held.measured,
    }
    unfinished = folder / f"{name}.{os.getpid()}.part"
    unfinished.write_text(json.dumps(content, default=str), encoding="utf-8")
    unfinished.replace(folder / f"{name}{HELD_SUFFIX}")


def read_held(folder: Path) -> list[HeldItem]:
    """All held items of the run, by node id."""
    items = []
    for path in folder.glob(f"*{HELD_SUFFIX}"):
        content = json.loads(path.read_text(encoding="utf-8"))
        lists = {name: tuple(content[name]) for name in ("keys", "reports", "measured")}
        items.append(HeldItem(**content | lists))
    return sorted(items, key=lambda item: item.nodeid)


def serialise(config: pytest.Config, reports: Sequence[pytest.TestReport]) -> tuple[dict[str, Any], ...]:
    """Reports as builtins, by pytest's own hook (as xdist does)."""
    return tuple(
        config.hook.pytest_report_to_serializable(config=config, report=report) for report in reports
    )


def restore(config: pytest.Config, held: HeldItem) -> list[pytest.TestReport]:
    """The reports of a held item as pytest's own values again."""
    return [
        config.hook.pytest_report_from_serializable(config=config, data=report) for report in held.reports
    ]
