"""What every pytest run pays for: options and their ini twins. Imports nothing but pytest.

Everything else is imported only when `--perfgate` is on; a run without it must not notice the plugin.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from perfgate.pytest_plugin.fixture import PerfgateFixture

CHILD = "PERFGATE_CHILD"  # in the processes that the gate starts for further runs: where they write them
MARKS = (
    "perfgate(name, metrics, min_effect, limit, owner, group): how a test's measurement is named and judged",
    "timed: set by perfgate on benchmarks that need the machine for themselves",
)

# Option, metavar, choices and help; each has an ini twin (`--perfgate-runs` <-> `perfgate_runs`).
OPTIONS: tuple[tuple[str, str | None, tuple[str, ...] | None, str], ...] = (
    ("baselines", "DIR", None, "folder of the baselines inside the repository (default: baselines)"),
    ("base", "REF", None, "commit that baselines and policy are read from (default: found from git and CI)"),
    ("runs", "N", None, "runs per benchmark (default: that of the suite)"),
    ("seed", "N", None, "seed of the simulator's noise and of the bootstrap (default: 0)"),
    ("min-effect", "PCT", None, "smallest change worth a failure, such as 1%% (default: that of the policy)"),
    ("inconclusive", None, ("pass", "warn", "fail"), "what an inconclusive verdict does (default: warn)"),
    ("new", None, ("warn", "fail"), "what a benchmark without a baseline does (default: warn)"),
    ("on-guardrail", None, ("stop", "measure"), "measure in spite of a violation, still red (default: stop)"),
    ("json", "FILE", None, "write the verdict as JSON"),
    ("markdown", "FILE", None, "write the verdict as Markdown"),
    ("sarif", "FILE", None, "write the guardrail findings as SARIF"),
    ("html", "FILE", None, "draw the worst regression as an HTML page (needs perfgate[report])"),
    ("records", "DIR", None, "keep the records there"),
    (
        "profile",
        None,
        ("none", "regressed", "all"),
        "whole profiles beside kept records (default: regressed)",
    ),
    ("timeout", "TIME", None, "longest time for one run of a timed test, such as 90s (default: 10min)"),
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Register `--perfgate` and its options."""
    group = parser.getgroup("perfgate", "performance-regression gate")
    group.addoption("--perfgate", action="store_true", default=False, help="measure and judge the benchmarks")
    group.addoption(
        "--perfgate-device",
        action="append",
        metavar="NAME",
        help="only this device of the suite; repeat for more",
    )
    for name, metavar, choices, text in OPTIONS:
        if choices is None:
            group.addoption(f"--perfgate-{name}", metavar=metavar, help=text)
        else:
            group.addoption(f"--perfgate-{name}", choices=choices, help=text)
        ini_text = text.replace("%%", "%")  # pytest formats the help of options only
        parser.addini(f"perfgate_{name.replace('-', '_')}", ini_text, type="string")
    parser.addini("perfgate_device", "devices to restrict the suite to", type="args")
    parser.addini("perfgate_child_args", "arguments for the pytest processes of further runs", type="args")


def pytest_configure(config: pytest.Config) -> None:
    """Register the marks, and the gate when it is asked for."""
    for line in MARKS:
        config.addinivalue_line("markers", line)
    if CHILD in os.environ:
        from perfgate.pytest_plugin.child_session import start_child  # noqa: PLC0415 - only in our own children

        start_child(config)
    elif config.getoption("perfgate"):
        from perfgate.pytest_plugin.session import (  # noqa: PLC0415 - a run without the flag must not pay for it
            start,
        )

        start(config)


@pytest.fixture
def perfgate(request: pytest.FixtureRequest) -> PerfgateFixture:
    """Measures a function or a model; without `--perfgate` it runs it once, as an ordinary test."""
    from perfgate.pytest_plugin.fixture import open_fixture  # noqa: PLC0415 - only for tests that measure

    return open_fixture(request.node)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Refuse a gate whose own files tell pytest to run nothing."""
    if config.getoption("perfgate"):
        from perfgate.pytest_plugin.asked import refuse_to_run_nothing  # noqa: PLC0415 - as above

        refuse_to_run_nothing(config)
