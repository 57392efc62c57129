"""What a run is judged by: base commit, accepted baselines, policy. All of it out of reach of the change."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from perfgate.baseline.revision import Base, find_base, open_repository
from perfgate.baseline.slug import baseline_path
from perfgate.baseline.store import Baselines, decode_record, read_baselines
from perfgate.baseline.trusted import TrustedTree
from perfgate.core.errors import PerfgateError, UnusableError
from perfgate.gate.policy_file import POLICY_PATH, REVIEW, Policy
from perfgate.gate.thresholds import Answer, PolicyRule, SuitePolicy
from perfgate.gate.tighten import Loosening, tighten
from perfgate.measure.suite import is_suite_file, load_suite
from perfgate.workflow.gate_edits import REMOVED, GateEdit, gate_edits
from perfgate.workflow.policies import file_of_tree, policy_of_bytes, rules_of_suites, with_suites
from perfgate.workflow.suites import find_suites
from perfgate.workflow.worktree import WorkTree

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Collection, Iterable, Mapping

    from perfgate.core.record import Record
    from perfgate.measure.benchmark import Benchmark
    from perfgate.workflow.options import GateOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """The trusted side of a run, and what the change itself says about it.

    `benchmarks` are all of the working tree, `policy` is the stricter of base and head, `loosened` what head
    wanted looser, `edits` the files of the gate that the change touches. `asked` are the policies of base and
    head as they are written. `accepts_in_review`: a new baseline of the change can accept a regression.
    """

    tree: WorkTree
    base: Base
    trusted: TrustedTree
    benchmarks: tuple[Benchmark, ...]
    baselines: Baselines
    policy: SuitePolicy
    file: Policy
    is_ci: bool
    loosened: tuple[Loosening, ...]
    edits: tuple[GateEdit, ...]
    asked: tuple[SuitePolicy, SuitePolicy]
    baselines_folder: str
    accepts_in_review: bool

    def with_tests(self, tests: Iterable[Benchmark]) -> Ground:
        """The ground with benchmarks that pytest tests define, and what those ask of the policy.

        The base's tests are code and are not run, so a test can only tighten what base's files say.

        Raises:
            UnusableError: a threshold or limit of a test cannot be read.
        """
        added = tuple(tests)
        base, head = self.asked
        asked = SuitePolicy(rules=(*head.rules, *rules_of_suites(added)), removed=head.removed)
        benchmarks = (*self.benchmarks, *added)
        policy, loosened = tighten(base, asked, _pairs(benchmarks, self.baselines.records))
        deleted = _deleted_in_change(self.edits, _paths(self.baselines_folder, added))
        return replace(
            self,
            benchmarks=benchmarks,
            baselines=Baselines(self.baselines.records, self.baselines.unusable | deleted),
            policy=policy,
            loosened=(*loosened, *self._loosened_acceptance()),
            asked=(base, asked),
        )

    def _loosened_acceptance(self) -> list[Loosening]:
        return [item for item in self.loosened if item is _LOOSER_ACCEPTANCE]

    def with_records(self, records: Mapping[str, Record]) -> Ground:
        """The ground whose policy speaks of given records too, also of benchmarks that no suite has."""
        known = {**self.baselines.records, **records}
        policy, loosened = tighten(*self.asked, _pairs(self.benchmarks, known))
        return replace(self, policy=policy, loosened=(*loosened, *self._loosened_acceptance()))


def prepare_ground(options: GateOptions, environment: Mapping[str, str], today: dt.date) -> Ground:
    """Find the base and read everything that judges from it.

    Raises:
        UsageError: a suite of the working tree cannot be read.
        UnusableError: base commit, policy or the baselines folder as a whole cannot be used.
    """
    repository = open_repository(options.root)
    base = find_base(repository, options.base, environment)
    tree = WorkTree(options.root, repository)
    trusted = TrustedTree(repository, base.commit, tree.prefix)
    suites = find_suites(tree)
    benchmarks = tuple(item for items in suites.values() for item in items)
    files, refused = trusted.read_folder(options.baselines)
    stored = read_baselines(files)
    edits = gate_edits(tree, trusted, options.baselines)
    wanted = _paths(options.baselines, benchmarks)
    broken = _broken_in_change(tree, options.baselines, edits) | _deleted_in_change(edits, wanted)
    baselines = Baselines(stored.records, broken | stored.unusable | refused)
    base_file = policy_of_bytes(trusted.read(POLICY_PATH), f"{POLICY_PATH}@{base.short}", today)
    head_file = file_of_tree(tree, today, options.policy_file)
    head = with_suites(head_file, benchmarks)
    asked = (
        SuitePolicy(rules=(*base_file.rules, *_base_suite_rules(trusted)), removed=base_file.removed),
        SuitePolicy(rules=(*head.rules, *_option_rules(options)), removed=head.removed),
    )
    policy, loosened = tighten(*asked, _pairs(benchmarks, baselines.records))
    if head_file.acceptance == REVIEW != base_file.acceptance:
        loosened = (*loosened, _LOOSER_ACCEPTANCE)
    return Ground(
        tree=tree,
        base=base,
        trusted=trusted,
        benchmarks=benchmarks,
        baselines=baselines,
        policy=policy,
        file=base_file,
        is_ci=bool(environment.get("CI")),
        loosened=loosened,
        edits=edits,
        asked=asked,
        baselines_folder=options.baselines,
        accepts_in_review=base_file.acceptance == head_file.acceptance == REVIEW,
    )


def _pairs(benchmarks: Iterable[Benchmark], records: Mapping[str, Record]) -> list[tuple[str, str]]:
    """Every benchmark and metric that a verdict may speak of; one that is gone has only its baseline."""
    pairs = {(item.key, metric.name) for item in benchmarks for metric in item.metrics}
    pairs |= {(key, metric.name) for key, record in records.items() for metric in record.ruler.metrics}
    return sorted(pairs)


_LOOSER_ACCEPTANCE = Loosening(
    match="*", metric="*", key="acceptance", base="block", head=REVIEW, origin=POLICY_PATH
)


def _broken_in_change(tree: WorkTree, folder: str, edits: Iterable[GateEdit]) -> dict[str, str]:
    """Baselines that the change leaves unusable: merged, they would stop everybody else's gate."""
    broken = {}
    for edit in edits:
        if (
            not edit.path.startswith(f"{folder}/")
            or not edit.path.endswith(".json")
            or edit.effect == REMOVED
        ):
            continue
        try:
            decode_record(tree.read_gate_file(edit.path, what="baseline"), edit.path)
        except PerfgateError as problem:
            broken[edit.path] = problem.line
    return broken


def _paths(folder: str, benchmarks: Iterable[Benchmark]) -> set[str]:
    return {f"{folder}/{baseline_path(item.name, item.device)}" for item in benchmarks}


def _deleted_in_change(edits: Iterable[GateEdit], wanted: Collection[str]) -> dict[str, str]:
    """Baselines that the change deletes while their benchmark stays: merged, it would be new to everybody."""
    remedy = "restore the file; new values are accepted with `perfgate baseline update`"
    return {
        edit.path: str(UnusableError("the change deletes the baseline of a benchmark", edit.path, remedy))
        for edit in edits
        if edit.effect == REMOVED and edit.path in wanted
    }


def _base_suite_rules(trusted: TrustedTree) -> tuple[PolicyRule, ...]:
    """Thresholds of the base's own suites, wherever the change has moved them; a broken one sets none."""
    rules: list[PolicyRule] = []
    for path in trusted.paths:
        data = trusted.read(path) if is_suite_file(PurePosixPath(path).name) else None
        if data is None:
            continue
        try:
            rules += rules_of_suites(load_suite(data, path))
        except PerfgateError:
            continue  # the suite was broken before this change, which is then judged by the defaults
    return tuple(rules)


def _option_rules(options: GateOptions) -> tuple[PolicyRule, ...]:
    """What the user asks on the command line is the last rule; it cannot loosen what base says."""
    values: dict[str, object] = {}
    if options.min_effect is not None:
        values["min_effect"] = options.min_effect
    if options.inconclusive is not None:
        values["on_inconclusive"] = Answer(options.inconclusive)
    if options.new is not None:
        values["on_new"] = Answer(options.new)
    return (PolicyRule(values=values, origin="options"),) if values else ()
