"""A child process of the gate: tells the parent which test runs, and which fail."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from perfgate.pytest_plugin.children import FAILED, SECONDS_VARIABLE, STARTED
from perfgate.pytest_plugin.entry import CHILD
from perfgate.pytest_plugin.fixture import MODE
from perfgate.pytest_plugin.measurement import ChildMode


def start_child(config: pytest.Config) -> None:
    """Measure for the parent that started this process."""
    folder, seconds = Path(os.environ[CHILD]), float(os.environ[SECONDS_VARIABLE])
    config.stash[MODE] = ChildMode(folder, seconds, config)
    config.pluginmanager.register(ChildHooks(folder), "perfgate-child")


class ChildHooks:
    """Lines for the parent; written before a test runs, since it may end the process."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """The test that runs next."""
        self._append(STARTED, nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Why a test failed or was skipped here, though it passed in the parent."""
        if report.outcome != "passed":
            crash = getattr(report.longrepr, "reprcrash", None)
            text = crash.message if crash is not None else report.longreprtext
            first = text.strip().splitlines()
            reason = first[0] if first else report.outcome
            self._append(FAILED, json.dumps([report.nodeid, f"{report.outcome}, {reason}"]))

    def _append(self, name: str, line: str) -> None:
        with (self._folder / name).open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")
