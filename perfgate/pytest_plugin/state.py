"""What the plugin keeps for one session, in `config.stash`; in an xdist worker, what the controller sent."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from perfgate.backends.registry import PYTHON, TIMED
from perfgate.core.errors import ExitCode, PerfgateError, UsageError
from perfgate.core.verdict import Verdict
from perfgate.measure.suite import is_suite_file, load_suite
from perfgate.pytest_plugin.decision import RunTaker, absent_tests, measured_tests
from perfgate.pytest_plugin.measured_result import BLOCKED
from perfgate.pytest_plugin.scope import read_scope
from perfgate.report.inert import inert
from perfgate.workflow.check import Selected, judge_run
from perfgate.workflow.checking import closing_of, json_value
from perfgate.workflow.explaining import explained
from perfgate.workflow.ground import prepare_ground
from perfgate.workflow.guarding import (
    RULE_FILES,
    GuardRun,
    RuleResult,
    blocked_benchmarks,
    broken_places,
    check_guardrails,
    rule_results,
)
from perfgate.workflow.measuring import (
    Measured,
    Measurer,
    read_records,
    write_profile,
    write_record,
    write_records,
)
from perfgate.workflow.page_files import with_pages
from perfgate.workflow.report_files import write_report_files
from perfgate.workflow.worktree import WorkTree

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from perfgate.core.record import Record
    from perfgate.measure.benchmark import Benchmark
    from perfgate.pytest_plugin.children import Children
    from perfgate.pytest_plugin.hold import HeldItem
    from perfgate.report.check_text import Closing
    from perfgate.workflow.check import Outcome
    from perfgate.workflow.ground import Ground
    from perfgate.workflow.options import GateOptions

__all__ = ["RECORDS", "RULE_FILES", "STATE", "SessionState"]

RECORDS = "records"  # folder of the run directory
SHARED_MACHINE = "timed benchmarks cannot share the machine"
SHARED_MACHINE_REMEDY = "drop -n, or add -m 'not timed'"


@dataclass(slots=True)
class SessionState:
    """One session. `ground` is None in an xdist worker: only the controller reads baselines and decides.

    `broken` are the places that break a guardrail, `blocked` maps the key of a suite's benchmark that is
    compiled at one to the reason why it is not measured,
    `failures` one that could not be measured to the reason. `expected` maps node ids of selected items to
    benchmarks, `spoken` node ids that failed or were skipped by themselves to the reason of the skip,
    `failed_before` holds those of reports that failed before the decision.
    """

    options: GateOptions
    run_folder: Path
    measurer: Measurer
    rules: tuple[RuleResult, ...]
    blocked: Mapping[str, str]
    broken: Mapping[tuple[str | int, ...], str]
    ground: Ground | None = None
    guard: GuardRun | None = None
    outcome: Outcome | None = None
    remarks: tuple[str, ...] = ()
    failures: dict[str, str] = field(default_factory=dict)
    expected: dict[str, Benchmark] = field(default_factory=dict)
    spoken: dict[str, str] = field(default_factory=dict)
    failed_before: set[str] = field(default_factory=set)
    is_partial: bool = False
    selected: int = 0

    @classmethod
    def in_controller(
        cls, options: GateOptions, run_folder: Path, environment: Mapping[str, str], today: dt.date
    ) -> SessionState:
        """Read the trusted side and evaluate the guardrails, before anything is measured.

        Raises:
            PerfgateError: base, policy, suites or guardrails cannot be used.
        """
        ground = prepare_ground(options, environment, today)
        guard = check_guardrails(ground.tree, ground.trusted, today)
        broken = {} if options.measure_in_spite else broken_places(guard)
        return cls(
            options=options,
            run_folder=run_folder,
            measurer=Measurer(ground.tree, seed=options.seed, runs=options.runs),
            rules=rule_results(guard),
            guard=guard,
            blocked=blocked_benchmarks(ground.tree, ground.benchmarks, broken),
            broken=broken,
            ground=ground,
        )

    @classmethod
    def in_worker(cls, options: GateOptions, sent: Mapping[str, Any]) -> SessionState:
        """A worker measures and nothing else."""
        tree = WorkTree(options.root, None)
        return cls(
            options=options,
            run_folder=Path(sent["run_folder"]),
            measurer=Measurer(tree, seed=options.seed, runs=options.runs),
            rules=tuple(RuleResult(*rule) for rule in sent["rules"]),
            blocked=sent["blocked"],
            broken={tuple(place): reason for place, reason in sent["broken"]},
        )

    def for_worker(self) -> dict[str, Any]:
        """What a worker needs, as builtins."""
        return {
            "run_folder": str(self.run_folder),
            "blocked": dict(self.blocked),
            "broken": [[list(place), reason] for place, reason in self.broken.items()],
            "rules": [[rule.nodeid, rule.line, rule.failure, rule.warning] for rule in self.rules],
        }

    def measure(self, benchmark: Benchmark) -> None:
        """Measure one benchmark into the run directory; what a user can mend is kept as the reason."""
        try:
            is_timed = benchmark.backend in TIMED
            record = self.measurer.measure_first(benchmark) if is_timed else self.measurer.measure(benchmark)
            write_record(self.run_folder / RECORDS, record)
        except PerfgateError as problem:
            self.failures[benchmark.key] = problem.line

    def expect(self, nodeids: Iterable[str]) -> None:
        """Note which benchmarks are selected; everything else is `not selected`."""
        ground = self._ground()
        known = {f"{item.suite}::{inert(item.key)}": item for item in ground.benchmarks}
        for nodeid in nodeids:
            if nodeid in known:
                self.expected[nodeid] = known[nodeid]
            else:
                self._expect_unlisted(nodeid, known)

    def decide(
        self,
        held: Sequence[HeldItem],
        children: Children,
        told: Callable[[int, int], None],
        *,
        hidden: Mapping[str, str],
    ) -> Outcome:
        """Take the runs that timed benchmarks lack, and judge everything that was measured.

        A selected benchmark that left nothing behind is `invalid`.

        So is a `hidden` one, which the change keeps from being selected, with the reason.

        Raises:
            PerfgateError: a record that a worker wrote cannot be read back, or one name stands for two tests.
        """
        ground = self._ground()
        suites = {item.key: item for item in (*ground.benchmarks, *self.expected.values())}
        tests = measured_tests(held, suites)
        taker = RunTaker(children, self.measurer, tests, suites)
        failed = {key: reason for item in held for key, reason in item.failures.items()}
        records, broken = taker.complete(
            read_records(self.run_folder / RECORDS), runs=self.options.runs, told=told
        )
        failed |= broken | {key: reason for key, reason in hidden.items() if key in suites}
        skipped = self._without_result(records, failed)
        absent, leaves_out = absent_tests(
            ground.baselines.records,
            {*records, *failed},
            read_scope(self.run_folder),
            silent=self._silent(),
            devices=self.options.devices,
        )
        absent = {key: why for key, why in hidden.items() if key not in {*suites, *records, *failed}} | absent
        selected = (*self.expected.values(), *tests.benchmarks.values())
        chosen = {item.key for item in selected}
        self.is_partial = leaves_out or any(item.key not in chosen for item in ground.benchmarks)
        self.ground = ground.with_tests(tests.benchmarks.values())
        self.selected = len(selected)
        judged = judge_run(
            self.ground,
            Selected(benchmarks=selected, is_partial=self.is_partial, absent=absent),
            Measured(records=records, failed=failed, skipped=skipped),
            taker.fresh,
            self._guard().evaluation.rules,
        )
        judged = explained(self.ground, judged, self.options.seed)
        self.outcome = with_pages(self.ground, judged, self.options)
        return self.outcome

    def _without_result(self, records: Mapping[str, Record], failed: dict[str, str]) -> dict[str, str]:
        """Suite benchmarks without a record: those that a guardrail stops, and, in `failed`, the others."""
        skipped = {}
        for nodeid, benchmark in self.expected.items():
            if nodeid in self.spoken and benchmark.key in self.blocked:
                skipped[benchmark.key] = self.blocked[benchmark.key]
            elif nodeid in self.spoken:
                failed[benchmark.key] = "it failed or was skipped before it was measured"
            elif benchmark.key not in records and benchmark.key not in failed:
                failed[benchmark.key] = "its result was lost: the process that measured it ended early"
        return skipped

    def _silent(self) -> dict[str, str]:
        """Tests that failed or were skipped by themselves; "" where another red report says why."""
        stopped = self._guard().is_broken
        return {
            nodeid: ""
            if nodeid in self.failed_before or (stopped and reason.startswith(BLOCKED))
            else f"its test was skipped: {reason}"
            for nodeid, reason in self.spoken.items()
        }

    def failed_keys(self) -> set[str]:
        """Benchmarks whose own report failed before the decision."""
        return {item.key for nodeid, item in self.expected.items() if nodeid in self.failed_before}

    def exit_status(self, pytest_status: int) -> int:
        """1 when anything failed before the decision (test, guardrail, worker), else the decision's code.

        A run that selected no benchmark compared nothing, which is never green, and no green decision
        hides a failure that pytest counted.
        """
        if self.failed_before:
            return int(ExitCode.FAIL)
        if self.outcome is None:
            return pytest_status
        return int(self.outcome.exit_code) or pytest_status

    def write_reports(self) -> None:
        """The files that the options ask for, before any exit status is set.

        Raises:
            UsageError: a file cannot be written.
        """
        if self.options.keep_records is not None and self.outcome is not None:
            write_records(self.options.keep_records, self.outcome.records.values())
            self._write_profiles(self.options.keep_records, self.outcome)
        write_report_files(self.options, self.as_json(), self._guard())

    def _write_profiles(self, folder: Path, outcome: Outcome) -> None:
        """The whole profiles that the options ask for, beside the records."""
        red = {item.key for item in outcome.verdicts if item.verdict is Verdict.REGRESSED}
        wanted = {"none": set[str](), "regressed": red, "all": set(outcome.records)}[self.options.profile]
        for item in self._ground().benchmarks:
            if item.key in wanted and item.key in outcome.records:
                profile = self.measurer.profile(item) if not (item.test and item.backend == PYTHON) else None
                if profile is not None:
                    write_profile(folder, outcome.records[item.key], profile)

    def refuse_shared_machine(self, where: str) -> None:
        """Timed code in an xdist worker would be timed together with other tests.

        Raises:
            UsageError: this is a worker.
        """
        if self.ground is None:
            raise UsageError(SHARED_MACHINE, where, SHARED_MACHINE_REMEDY)

    def blocked_now(self, benchmark: Benchmark) -> str:
        """Why a guardrail stops a benchmark that a test defines, or ""."""
        return blocked_benchmarks(self.measurer.tree, [benchmark], self.broken).get(benchmark.key, "")

    def closing(self) -> Closing:
        """What the closing lines say; only after the decision."""
        ground, guard, outcome = self._decided()
        return closing_of(ground, guard, outcome, self.selected, self.exit_status(0))

    def as_json(self) -> dict[str, Any]:
        """The whole result as builtins; only after the decision."""
        ground, guard, outcome = self._decided()
        return json_value(ground, guard, outcome, self.exit_status(0))

    def _decided(self) -> tuple[Ground, GuardRun, Outcome]:
        if self.ground is None or self.guard is None or self.outcome is None:
            raise RuntimeError("nothing is decided yet")
        return self.ground, self.guard, self.outcome

    def _expect_unlisted(self, nodeid: str, known: dict[str, Benchmark]) -> None:
        """A suite that git ignores is still a suite when the user names it."""
        path, separator, _ = nodeid.partition("::")
        if not separator or not is_suite_file(Path(path).name):
            return
        data = self._ground().tree.read(path, what="suite")
        known.update({f"{item.suite}::{inert(item.key)}": item for item in load_suite(data, path)})
        if nodeid in known:
            self.expected[nodeid] = known[nodeid]

    def _guard(self) -> GuardRun:
        if self.guard is None:
            raise RuntimeError("a worker judges nothing")
        return self.guard

    def _ground(self) -> Ground:
        if self.ground is None:
            raise RuntimeError("a worker has no ground and decides nothing")
        return self.ground


STATE = pytest.StashKey[SessionState]()
