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

from perfgate.core.codec import plain
from perfgate.core.errors import PerfgateError
from perfgate.core.machine import TEST
from perfgate.measure.suite import is_suite_file
from perfgate.pytest_plugin import hold
from perfgate.pytest_plugin.asked import left_out, overruled_base
from perfgate.pytest_plugin.children import Children
from perfgate.pytest_plugin.fixture import MODE
from perfgate.pytest_plugin.functions import mark_timed, uses_fixture
from perfgate.pytest_plugin.items import BenchmarkItem, RuleFile, RuleItem, SuiteFile
from perfgate.pytest_plugin.marker import read_marker
from perfgate.pytest_plugin.measurement import MEASURED, GateMode
from perfgate.pytest_plugin.publish import log_reports, publish_decision, publish_unjudged
from perfgate.pytest_plugin.scope import note_scope, read_scope
from perfgate.pytest_plugin.settings import read_options, unknown_ini_keys
from perfgate.pytest_plugin.state import (
    RECORDS,
    RULE_FILES,
    SHARED_MACHINE,
    SHARED_MACHINE_REMEDY,
    STATE,
    SessionState,
)
from perfgate.pytest_plugin.summary import header_lines, write_summary
from perfgate.report.inert import inert
from perfgate.workflow.check import is_of_other_environment
from perfgate.workflow.selection_edits import selection_edits

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

WORKER_KEY = "perfgate"


def start(config: pytest.Config) -> None:
    """Prepare the session and register its hooks; the first mistake ends the run with one line."""
    options = read_options(config)
    worker_input = getattr(config, "workerinput", None)
    if worker_input is not None:
        config.stash[STATE] = SessionState.in_worker(options, worker_input[WORKER_KEY])
        config.stash[MODE] = GateMode(config.stash[STATE])
        config.pluginmanager.register(ItemHooks(), "perfgate-items")
        return
    run_folder = Path(tempfile.mkdtemp(prefix="perfgate-"))
    (run_folder / RECORDS).mkdir()
    config.add_cleanup(lambda: shutil.rmtree(run_folder, ignore_errors=True))
    today = dt.datetime.now(dt.UTC).date()
    try:
        state = SessionState.in_controller(options, run_folder, dict(os.environ), today)
    except PerfgateError as problem:
        pytest.exit(f"perfgate: {inert(str(problem))}", returncode=int(problem.exit_code))
    place = overruled_base(config)
    overruled = f"perfgate: {place} is not followed in CI: name the base on the command line"
    state.remarks = (*unknown_ini_keys(config.inipath), *([overruled] if place else []))
    config.stash[STATE] = state
    config.stash[MODE] = GateMode(state)
    config.pluginmanager.register(ItemHooks(), "perfgate-items")
    config.pluginmanager.register(DecisionHooks(config), "perfgate-decision")


_OURS = frozenset({pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED})  # where our exit codes stand


class ItemHooks:
    """Collection and running of items, in the only process or in an xdist worker."""

    def __init__(self) -> None:
        self.deselected: list[pytest.Item] = []

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> pytest.File | None:
        """Suite files anywhere in the collected paths, and the guardrail files."""
        if is_suite_file(file_path.name) and _is_of_the_tree(file_path, parent.config.rootpath):
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
        self._leave_out_devices(session.config, items)
        mark_timed(items)
        try:
            for item in items:
                if uses_fixture(item):
                    group = read_marker(item).group
                    item.extra_keyword_matches.update({group} - {""})
        except PerfgateError as problem:
            raise pytest.UsageError(f"perfgate: {problem}") from None

    def _leave_out_devices(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Tests that are parametrised over devices follow the option as suites do."""
        wanted = config.stash[STATE].options.devices
        others = [
            item
            for item in items
            if wanted and uses_fixture(item) and _device_of(item) not in {None, *wanted}
        ]
        if others:
            items[:] = [item for item in items if item not in others]
            config.hook.pytest_deselected(items=others)

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        """Tests that a selection takes out are not missing."""
        self.deselected += items

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """What this process will run, for the decision."""
        worker = getattr(session.config, "workerinput", {}).get("workerid", "main")
        folder = session.config.stash[STATE].run_folder
        note_scope(session.config, folder, session.items, self.deselected, worker)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
        """Run a benchmark item without logging; its reports wait for the decision."""
        is_ours = isinstance(item, BenchmarkItem) or uses_fixture(item)
        if not is_ours or item.config.getoption("setuponly", default=False):
            return None
        reports = hold.run_quietly(item, nextitem)
        held = _held(item, reports) if all(report.passed for report in reports) else None
        if held is not None:
            hold.write_held(item.config.stash[STATE].run_folder, held)
        else:
            log_reports(item.config, reports)
        return True


def _held(item: pytest.Item, reports: list[pytest.TestReport]) -> hold.HeldItem | None:
    """What waits for the decision; None for a test that passed and measured nothing."""
    serialised = hold.serialise(item.config, reports)
    if isinstance(item, BenchmarkItem):
        key = item.benchmark.key
        reason = item.config.stash[STATE].failures.get(key)
        failures = {} if reason is None else {key: reason}
        return hold.HeldItem(nodeid=item.nodeid, keys=(key,), failures=failures, reports=serialised)
    measured = item.stash.get(MEASURED, [])
    if not measured:
        return None
    return hold.HeldItem(
        nodeid=item.nodeid,
        keys=tuple(found.benchmark.key for found in measured),
        failures={},
        reports=serialised,
        measured=tuple(plain(found) for found in measured),
    )


def _device_of(item: pytest.Item) -> str | None:
    """The device that a test is parametrised with; None when it names its devices itself."""
    callspec = getattr(item, "callspec", None)
    return None if callspec is None else callspec.params.get("device")


def _is_of_the_tree(path: Path, root: Path) -> bool:
    """Whether no linked folder leads to the file: pytest enters those, and the gate judges its own tree."""
    folder = path.parent
    return folder.is_relative_to(root) and folder.resolve() == root.resolve() / folder.relative_to(root)


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
        """The items that the workers will run; timed ones need the machine for themselves."""
        self.state.expect(ids)
        if read_scope(self.state.run_folder).timed:
            pytest.exit(
                f"perfgate: {SHARED_MACHINE}: {SHARED_MACHINE_REMEDY}", returncode=pytest.ExitCode.USAGE_ERROR
            )

    def pytest_report_header(self) -> list[str]:
        """What is judged against what."""
        return header_lines(self.state)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """The items that this process will run."""
        self.state.expect(item.nodeid for item in session.items)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember who has spoken already, and whether anything failed that the decision did not decide."""
        if report.outcome != "passed":
            skip = report.longrepr[2].removeprefix("Skipped: ") if isinstance(report.longrepr, tuple) else ""
            self.state.spoken.setdefault(report.nodeid, skip or report.longreprtext.partition("\n")[0])
        if report.failed and self.state.outcome is None:
            self.state.failed_before.add(report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A file that could not be collected: workers go on without it, and so must not end green."""
        if report.failed:
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
            children = Children(self.config, self.state.run_folder, self.state.options.seed)
            outcome = self.state.decide(held, children, self._tell, hidden=self._hidden())
            self.state.write_reports()
        except PerfgateError as problem:
            pytest.exit(f"perfgate: {inert(str(problem))}", returncode=int(problem.exit_code))
        except KeyboardInterrupt:  # while further runs were taken
            publish_unjudged(self.config, held)
            raise
        publish_decision(self.config, held, outcome, spoken=self.state.failed_keys())
        return result

    def _tell(self, benchmarks: int, runs: int) -> None:
        """What the terminal says before the further runs, which take their time."""
        reporter = self.config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None and reporter.verbosity >= 0:
            reporter.ensure_newline()
            reporter.write_line(
                f"perfgate: {runs} further runs of {benchmarks} timed benchmarks in fresh processes"
            )

    def _hidden(self) -> dict[str, str]:
        """Benchmarks that the change's own edits of pytest's settings keep from being measured."""
        ground = self.state.ground
        edits = () if ground is None else selection_edits(ground)
        if ground is None or not edits:
            return {}
        running = read_scope(self.state.run_folder).selected
        files = {
            item.key: item.suite
            for item in ground.benchmarks
            if item.key not in {chosen.key for chosen in self.state.expected.values()}
        }
        files |= {
            key: test.partition("::")[0]
            for key, record in ground.baselines.records.items()
            if (test := record.context.get(TEST, ""))
            and test not in running
            and not is_of_other_environment(record)
        }
        reason = f"left out by this change of {', '.join(edits)}: name the selection on the command line"
        return dict.fromkeys(left_out(self.config, files), reason)

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
