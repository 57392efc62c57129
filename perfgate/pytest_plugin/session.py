"""The gate as a pytest session: guardrails first, items that measure, one decision at the end.

In an xdist run the controller does this and the workers measure; they are told what they need in
`workerinput`.
"""

from __future__ import annotations

import datetime as dt
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from perfgate.core.errors import PerfgateError
from perfgate.measure.suite import is_suite_file
from perfgate.pytest_plugin import hold
from perfgate.pytest_plugin.items import BenchmarkItem, RuleFile, RuleItem, SuiteFile
from perfgate.pytest_plugin.publish import log_reports, publish_decision, publish_unjudged
from perfgate.pytest_plugin.settings import read_options, unknown_ini_keys
from perfgate.pytest_plugin.state import RECORDS, RULE_FILES, STATE, SessionState
from perfgate.pytest_plugin.summary import header_lines, write_summary

if TYPE_CHECKING:
    from collections.abc import Generator

WORKER_KEY = "perfgate"


def start(config: pytest.Config) -> None:
    """Prepare the session and register its hooks; the first mistake ends the run with one line."""
    options = read_options(config)
    worker_input = getattr(config, "workerinput", None)
    if worker_input is not None:
        config.stash[STATE] = SessionState.in_worker(options, worker_input[WORKER_KEY])
        config.pluginmanager.register(ItemHooks(), "perfgate-items")
        return
    run_folder = Path(tempfile.mkdtemp(prefix="perfgate-"))
    (run_folder / RECORDS).mkdir()
    config.add_cleanup(lambda: shutil.rmtree(run_folder, ignore_errors=True))
    today = dt.datetime.now(dt.UTC).date()
    try:
        state = SessionState.in_controller(options, run_folder, dict(os.environ), today)
    except PerfgateError as problem:
        pytest.exit(f"perfgate: {problem}", returncode=int(problem.exit_code))
    state.remarks = unknown_ini_keys(config.inipath)
    config.stash[STATE] = state
    config.pluginmanager.register(ItemHooks(), "perfgate-items")
    config.pluginmanager.register(DecisionHooks(config), "perfgate-decision")


_OURS = frozenset({pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED})  # where our exit codes stand


class ItemHooks:
    """Collection and running of items, in the only process or in an xdist worker."""

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> pytest.File | None:
        """Suite files anywhere in the collected paths, and the guardrail files."""
        if is_suite_file(file_path.name):
            return SuiteFile.from_parent(parent, path=file_path)
        if file_path.name in RULE_FILES and file_path.parent == parent.config.rootpath:
            return RuleFile.from_parent(parent, path=file_path)
        return None

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, session: pytest.Session, items: list[pytest.Item]) -> None:
        """Guardrails come first, whatever paths were asked for: they cost nothing and stop the rest."""
        rules = [item for item in items if isinstance(item, RuleItem)]
        known = {item.nodeid for item in rules}
        for path in sorted({rule.nodeid.partition("::")[0] for rule in session.config.stash[STATE].rules}):
            file = RuleFile.from_parent(session, path=session.config.rootpath / path)
            rules += [item for item in file.collect() if item.nodeid not in known]
        items[:] = [*rules, *(item for item in items if not isinstance(item, RuleItem))]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
        """Run a benchmark item without logging; its reports wait for the decision."""
        if not isinstance(item, BenchmarkItem) or item.config.getoption("setuponly", default=False):
            return None
        reports = hold.run_quietly(item, nextitem)
        state = item.config.stash[STATE]
        if all(report.passed for report in reports):
            hold.write_held(
                state.run_folder,
                hold.HeldItem(
                    nodeid=item.nodeid,
                    key=item.benchmark.key,
                    failure=state.failures.get(item.benchmark.key, ""),
                    reports=hold.serialise(item.config, reports),
                ),
            )
        else:
            log_reports(item.config, reports)
        return True


class DecisionHooks:
    """What only the controller does: header, the one decision, the exit status, the summary."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.state = config.stash[STATE]

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:  # noqa: ANN401 - xdist's worker controller
        """Tell an xdist worker what it needs."""
        node.workerinput[WORKER_KEY] = self.state.for_worker()

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """The items that the workers will run."""
        self.state.expect(ids)

    def pytest_report_header(self) -> list[str]:
        """What is judged against what."""
        return header_lines(self.state)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """The items that this process will run."""
        self.state.expect(item.nodeid for item in session.items)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember who has spoken already, and whether anything failed that the decision did not decide."""
        if report.outcome != "passed":
            self.state.spoken.add(report.nodeid)
        if report.failed and self.state.outcome is None:
            self.state.failed_before.add(report.nodeid)

    # Inside the terminal's own wrapper, which ends the progress line.
    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """After the loop judge what is held and publish it; a loop cut short leaves it not judged."""
        try:
            result = yield
        except BaseException:
            publish_unjudged(self.config, hold.read_held(self.state.run_folder))
            raise
        if session.config.option.collectonly or session.config.getoption("setuponly", default=False):
            return result
        held = hold.read_held(self.state.run_folder)
        if session.shouldstop or session.shouldfail:
            publish_unjudged(self.config, held)
            return result
        try:
            outcome = self.state.decide(held)
            self.state.write_reports()
        except PerfgateError as problem:
            pytest.exit(f"perfgate: {problem}", returncode=int(problem.exit_code))
        publish_decision(self.config, held, outcome, spoken=self.state.failed_keys())
        return result

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Our exit codes stand only where pytest would say 0 or 1."""
        if session.exitstatus in _OURS:
            session.exitstatus = self.state.exit_status(int(session.exitstatus))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter, exitstatus: int) -> None:
        """The section at the end; it never judges and never raises."""
        write_summary(terminalreporter, self.state)
        if self.state.outcome is not None and exitstatus not in _OURS:
            terminalreporter.write_line(f"pytest ends with its own exit code {int(exitstatus)}")
