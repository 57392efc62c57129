"""What the plugin keeps for one session, in `config.stash`; in an xdist worker, what the controller sent."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from perfgate.core.errors import ExitCode, PerfgateError
from perfgate.measure.suite import is_suite_file, load_suite
from perfgate.workflow.check import Selected, judge_run
from perfgate.workflow.checking import closing_of, json_value
from perfgate.workflow.ground import prepare_ground
from perfgate.workflow.guarding import (
    RULE_FILES,
    GuardRun,
    RuleResult,
    blocked_benchmarks,
    check_guardrails,
    rule_results,
)
from perfgate.workflow.measuring import (
    Measured,
    Measurer,
    read_records,
    write_record,
    write_records,
)
from perfgate.workflow.report_files import write_report_files
from perfgate.workflow.worktree import WorkTree

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterable, Mapping

    from perfgate.measure.benchmark import Benchmark
    from perfgate.pytest_plugin.hold import HeldItem
    from perfgate.report.check_text import Closing
    from perfgate.workflow.check import Outcome
    from perfgate.workflow.ground import Ground
    from perfgate.workflow.options import GateOptions

__all__ = ["RECORDS", "RULE_FILES", "STATE", "SessionState"]

RECORDS = "records"  # folder of the run directory


@dataclass(slots=True)
class SessionState:
    """One session. `ground` is None in an xdist worker: only the controller reads baselines and decides.

    `blocked` maps the key of a benchmark that breaks a guardrail to the reason why it is not measured,
    `failures` one that could not be measured to the reason. `expected` maps node ids of selected items to
    benchmarks, `spoken` holds the node ids that failed or were skipped by themselves, `failed_before`
    those of reports that failed before the decision.
    """

    options: GateOptions
    run_folder: Path
    measurer: Measurer
    rules: tuple[RuleResult, ...]
    blocked: Mapping[str, str]
    ground: Ground | None = None
    guard: GuardRun | None = None
    outcome: Outcome | None = None
    remarks: tuple[str, ...] = ()
    failures: dict[str, str] = field(default_factory=dict)
    expected: dict[str, Benchmark] = field(default_factory=dict)
    spoken: set[str] = field(default_factory=set)
    failed_before: set[str] = field(default_factory=set)

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
        blocked = (
            {} if options.measure_in_spite else blocked_benchmarks(ground.tree, ground.benchmarks, guard)
        )
        return cls(
            options=options,
            run_folder=run_folder,
            measurer=Measurer(ground.tree, seed=options.seed, runs=options.runs),
            rules=rule_results(guard),
            guard=guard,
            blocked=blocked,
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
        )

    def for_worker(self) -> dict[str, Any]:
        """What a worker needs, as builtins."""
        return {
            "run_folder": str(self.run_folder),
            "blocked": dict(self.blocked),
            "rules": [[rule.nodeid, rule.line, rule.failure, rule.warning] for rule in self.rules],
        }

    def measure(self, benchmark: Benchmark) -> None:
        """Measure one benchmark into the run directory; what a user can mend is kept as the reason."""
        try:
            write_record(self.run_folder / RECORDS, self.measurer.measure(benchmark))
        except PerfgateError as problem:
            self.failures[benchmark.key] = problem.line

    def expect(self, nodeids: Iterable[str]) -> None:
        """Note which benchmarks are selected; everything else is `not selected`."""
        ground = self._ground()
        known = {f"{item.suite}::{item.key}": item for item in ground.benchmarks}
        for nodeid in nodeids:
            if nodeid in known:
                self.expected[nodeid] = known[nodeid]
            else:
                self._expect_unlisted(nodeid, known)

    @property
    def is_partial(self) -> bool:
        """Some benchmark of the tree is not selected."""
        chosen = {item.key for item in self.expected.values()}
        return any(item.key not in chosen for item in self._ground().benchmarks)

    def decide(self, held: Iterable[HeldItem]) -> Outcome:
        """Judge everything that was measured; a selected benchmark that left nothing behind is `invalid`.

        Raises:
            PerfgateError: a record that a worker wrote cannot be read back.
        """
        failed = {item.key: item.failure for item in held if item.failure}
        records = read_records(self.run_folder / RECORDS)
        skipped = {}
        for nodeid, benchmark in self.expected.items():
            if nodeid in self.spoken and benchmark.key in self.blocked:
                skipped[benchmark.key] = self.blocked[benchmark.key]
            elif nodeid in self.spoken:
                failed[benchmark.key] = "it failed or was skipped before it was measured"
            elif benchmark.key not in records and benchmark.key not in failed:
                failed[benchmark.key] = "its result was lost: the process that measured it ended early"
        self.outcome = judge_run(
            self._ground(),
            Selected(benchmarks=tuple(self.expected.values()), is_partial=self.is_partial),
            Measured(records=records, failed=failed, skipped=skipped),
            self.measurer,
            self._guard().evaluation.rules,
        )
        return self.outcome

    def failed_keys(self) -> set[str]:
        """Benchmarks whose own report failed before the decision."""
        return {item.key for nodeid, item in self.expected.items() if nodeid in self.failed_before}

    def exit_status(self, pytest_status: int) -> int:
        """1 when anything failed before the decision (test, guardrail, worker), else the decision's code.

        A run that selected no benchmark compared nothing, which is never green.
        """
        if self.failed_before:
            return int(ExitCode.FAIL)
        if self.outcome is None:
            return pytest_status
        return int(self.outcome.exit_code)

    def write_reports(self) -> None:
        """The files that the options ask for, before any exit status is set.

        Raises:
            UsageError: a file cannot be written.
        """
        if self.options.keep_records is not None and self.outcome is not None:
            write_records(self.options.keep_records, self.outcome.records.values())
        write_report_files(self.options, self.as_json(), self._guard())

    def closing(self) -> Closing:
        """What the closing lines say; only after the decision."""
        ground, guard, outcome = self._decided()
        return closing_of(ground, guard, outcome, len(self.expected), self.exit_status(0))

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
        known.update({f"{item.suite}::{item.key}": item for item in load_suite(data, path)})
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
