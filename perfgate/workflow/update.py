"""`perfgate baseline update`: new accepted records, reviewable, never by accident."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from filelock import FileLock

from perfgate import __version__
from perfgate.baseline.revision import open_repository
from perfgate.baseline.slug import baseline_path
from perfgate.baseline.store import decode_record, encode_record
from perfgate.baseline.summary import typical_value
from perfgate.core.errors import (
    ExitCode,
    NothingMeasuredError,
    PerfgateError,
    UnusableError,
    UsageError,
)
from perfgate.core.record import Provenance, Record
from perfgate.core.verdict import BenchmarkVerdict, Verdict
from perfgate.gate.decision import JudgeOptions
from perfgate.gate.stages import decide_in_stages
from perfgate.report.baseline_reports import BaselineUpdate, UpdatedFile, metric_changes
from perfgate.workflow.check import with_fresh_runs
from perfgate.workflow.given import outside_suites, refuse_unusable, select_beside
from perfgate.workflow.measuring import Measurer, measure_all, next_runs, read_records
from perfgate.workflow.policies import file_of_tree, with_suites
from perfgate.workflow.suites import find_suites, select
from perfgate.workflow.whole_file import write_text_file
from perfgate.workflow.worktree import WorkTree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from git import Repo

    from perfgate.core.record import Run
    from perfgate.gate.decision import Decision, RunRequest
    from perfgate.gate.thresholds import SuitePolicy
    from perfgate.measure.benchmark import Benchmark
    from perfgate.workflow.options import GateOptions

BASELINE_SEED = 1  # another noise than the gate's default seed: equal noise on both sides would hide it
LOCK = "perfgate-baselines.lock"  # in the git folder, which every clone has of its own
_PULL_REQUEST_EVENTS = frozenset({"pull_request", "pull_request_target"})


class RegressionError(PerfgateError):
    """The new values are worse than the accepted ones and nobody accepted that."""

    exit_code = ExitCode.FAIL


class UnsettledError(PerfgateError):
    """The runs do not show whether the new values are worse."""

    exit_code = ExitCode.INCONCLUSIVE


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """One baseline that an update would write, or leaves as it is. `previous` is None for a new one."""

    path: str
    record: Record
    previous: Record | None
    is_kept: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateRequest:
    """What the user asks: why, for which benchmarks, from which records, and what may get worse."""

    reason: str
    expression: str = ""
    given: Path | None = None
    accepted_regression: str = ""
    is_refreshed: bool = False


def update_baselines(
    options: GateOptions,
    request: UpdateRequest,
    environment: Mapping[str, str],
    announce: Callable[[int, int, str], None],
) -> list[Update]:
    """Measure, compare with the accepted records, write what differs; nothing is committed.

    Raises:
        UsageError: no reason, a dirty tree, a pull-request job.
        UnusableError: the policy cannot be used.
        RegressionError: something got worse and no reason accepts it.
        PerfgateError: a benchmark could not be measured, or its change is not settled.
    """
    repository = open_repository(options.root)
    tree = WorkTree(options.root, repository)
    _refuse_unsafe(repository, tree, options, request, environment)
    benchmarks = [item for items in find_suites(tree).values() for item in items]
    measurer = Measurer(tree, seed=options.seed, runs=options.runs, cache=options.cache)
    if request.given is None:
        selected = select(benchmarks, expression=request.expression, devices=options.devices)
        records = _measured(measurer, selected, announce)
    else:
        selected, records = _given(request.given, benchmarks, request.expression, options)
    previous = _previous(tree, options.baselines, records.values())
    policy = _policy(tree, options, benchmarks)
    decision = _decision(records, previous, selected, measurer, policy)
    verdicts = {item.key: item for item in decision.benchmarks if item.key in records}
    _refuse_verdicts(verdicts.values(), request)
    provenance = Provenance(
        commit=str(repository.git.rev_parse("HEAD")).strip(),
        author=_author(repository),
        date=dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        reason=request.reason,
        version=__version__,
    )
    updates = []
    for key, record in with_fresh_runs(records, decision).items():
        verdict = verdicts[key]
        old = previous.get(key)
        updates.append(
            Update(
                path=f"{options.baselines}/{baseline_path(record.benchmark, record.device)}",
                record=_accepted(record, old, verdict, provenance, request),
                previous=old,
                is_kept=verdict.verdict is Verdict.UNCHANGED and not request.is_refreshed,
            )
        )
    _write(tree.root, [item for item in updates if not item.is_kept], Path(repository.git_dir) / LOCK)
    return updates


def _policy(tree: WorkTree, options: GateOptions, benchmarks: Iterable[Benchmark]) -> SuitePolicy:
    today = dt.datetime.now(dt.UTC).date()
    return with_suites(file_of_tree(tree, today, options.policy_file), benchmarks)


def update_report(updates: Iterable[Update]) -> BaselineUpdate:
    """The update for machines."""
    return BaselineUpdate(
        files=tuple(
            UpdatedFile(
                key=item.record.key,
                path=item.path,
                is_kept=item.is_kept,
                is_new=item.previous is None,
                changes=() if item.is_kept else metric_changes(item.previous, item.record),
            )
            for item in updates
        )
    )


def _refuse_unsafe(
    repository: Repo,
    tree: WorkTree,
    options: GateOptions,
    request: UpdateRequest,
    environment: Mapping[str, str],
) -> None:
    if not request.reason.strip():
        raise UsageError("a baseline needs a reason", "--reason", "say why, such as --reason 'release 1.3'")
    if environment.get("GITHUB_EVENT_NAME", "") in _PULL_REQUEST_EVENTS:
        what = "a pull request may not accept its own numbers"
        raise UsageError(
            what, "baseline update", "run it on the default branch, or locally and have it reviewed"
        )
    prefix = f"{tree.prefix}/" if tree.prefix else ""
    listed = str(repository.git.status("--porcelain", "-z", "--untracked-files=all", "--no-renames"))
    dirty = [entry[3:] for entry in listed.split("\0") if entry]
    dirty = [path for path in dirty if not path.startswith(f"{prefix}{options.baselines}/")]
    if dirty:
        more = f" and {len(dirty) - 1} more" if len(dirty) > 1 else ""
        what = "the working tree has uncommitted changes"
        remedy = "commit or remove them: a baseline names the commit it was measured at"
        raise UsageError(what, f"{dirty[0]}{more}", remedy)


def _given(
    folder: Path, benchmarks: Sequence[Benchmark], expression: str, options: GateOptions
) -> tuple[tuple[Benchmark, ...], dict[str, Record]]:
    """The selected benchmarks, and the records of them and of those that no suite has."""
    given = read_records(folder)
    outside = outside_suites(given, benchmarks, expression, options)
    selected = select_beside(benchmarks, outside, expression, options)
    chosen = {item.key for item in selected} | outside.keys()
    records = {key: record for key, record in given.items() if key in chosen}
    refuse_unusable(records, folder)
    return selected, records


def _measured(
    measurer: Measurer, selected: Sequence[Benchmark], announce: Callable[[int, int, str], None]
) -> dict[str, Record]:
    measured = measure_all(measurer, selected, {}, announce)
    if measured.failed:
        key, reason = next(iter(sorted(measured.failed.items())))
        raise NothingMeasuredError(
            f"{key} could not be measured, {reason}", "baseline update", "mend it first"
        )
    return dict(measured.records)


def _previous(tree: WorkTree, folder: str, records: Iterable[Record]) -> dict[str, Record]:
    """The accepted records of these benchmarks; a file that cannot be read is one to be replaced."""
    found = {}
    for record in records:
        path = f"{folder}/{baseline_path(record.benchmark, record.device)}"
        if not (tree.root / path).exists():
            continue
        try:
            found[record.key] = decode_record(tree.read(path, what="baseline"), path)
        except UnusableError:
            continue
    return found


def _decision(
    records: dict[str, Record],
    previous: Mapping[str, Record],
    selected: Sequence[Benchmark],
    measurer: Measurer,
    policy: SuitePolicy,
) -> Decision:
    """The gate's own decision by the policy of the tree."""
    by_key = {item.key: item for item in selected}

    def take_runs(requests: Sequence[RunRequest]) -> dict[str, tuple[Run, ...]]:
        known = [item for item in requests if item.key in records]
        return measurer.further_runs(
            by_key, {item.key: next_runs(records[item.key], item.runs) for item in known}
        )

    return decide_in_stages(previous, records, policy, take_runs, options=JudgeOptions())


def _refuse_verdicts(verdicts: Iterable[BenchmarkVerdict], request: UpdateRequest) -> None:
    for item in verdicts:
        if item.verdict is Verdict.REGRESSED and not request.accepted_regression:
            remedy = "if it is meant, give --accept-regression with the reason"
            raise RegressionError(f"{item.key} got worse, {item.reason}", "baseline update", remedy)
        if item.verdict is Verdict.INCONCLUSIVE and not request.accepted_regression:
            remedy = "measure more runs with --runs, or give --accept-regression with the reason"
            raise UnsettledError(f"{item.key} is not settled, {item.reason}", "baseline update", remedy)


def _accepted(
    record: Record,
    old: Record | None,
    verdict: BenchmarkVerdict,
    provenance: Provenance,
    request: UpdateRequest,
) -> Record:
    is_worse = verdict.verdict in {Verdict.REGRESSED, Verdict.INCONCLUSIVE}
    before: dict[str, float] = {}
    if old is not None:
        values = {metric.name: typical_value(old, metric) for metric in old.ruler.metrics}
        before = {name: value for name, value in values.items() if value is not None}
    stamp = msgspec.structs.replace(
        provenance, previous=before, accepted_regression=request.accepted_regression if is_worse else ""
    )
    return msgspec.structs.replace(record, provenance=stamp)


def _author(repository: Repo) -> str:
    """Who git would name as the author of a commit made now; "" where git does not know."""
    import git  # noqa: PLC0415 - loaded already by open_repository

    try:
        identity = str(repository.git.var("GIT_AUTHOR_IDENT"))
    except git.exc.GitCommandError:
        return ""
    return identity.rpartition(">")[0] + ">"


def _write(root: Path, updates: Sequence[Update], lock: Path) -> None:
    """All files under one lock, each replaced whole."""
    with FileLock(lock):
        for item in updates:
            write_text_file(root / item.path, encode_record(item.record))
