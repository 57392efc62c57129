"""`perfgate diagnose`: find what regressed, put both sides together, explain each benchmark."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from perfgate.baseline.revision import resolve
from perfgate.core.diagnosis import Diagnosis, Focus, MetricDelta
from perfgate.core.errors import ExitCode, NothingMeasuredError, PerfgateError, UsageError
from perfgate.core.verdict import Verdict
from perfgate.diagnose.engine import Observation, Setting, diagnose
from perfgate.diagnose.merge import merge_causes
from perfgate.diagnose.summary_profile import profile_of_summary
from perfgate.gate.decision import JudgeOptions
from perfgate.gate.stages import decide_in_stages
from perfgate.gate.thresholds import SuitePolicy
from perfgate.workflow.blame import with_commits
from perfgate.workflow.checking import run_check
from perfgate.workflow.commit_tree import CommitTree
from perfgate.workflow.diagnosis_side import DiagnosisSide, TreeSides, sides_of_files
from perfgate.workflow.recording import open_tree
from perfgate.workflow.resimulation import Resimulator
from perfgate.workflow.suites import find_suites, select

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from perfgate.core.verdict import BenchmarkVerdict, Comparison
    from perfgate.workflow.checking import CheckResult
    from perfgate.workflow.options import GateOptions
    from perfgate.workflow.worktree import WorkTree


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagnoseRequest:
    """What a user asks.

    `before` and `after` are record files or folders; without them the working tree (or `at`) is measured and
    compared with the base commit. `is_single`: no baseline, absolute limits. `bisection`: the JSON of
    `perfgate bisect`, whose culprit then stands in the diagnosis.
    """

    options: GateOptions
    environment: Mapping[str, str]
    today: dt.date
    expression: str = ""
    focus: Focus = Focus.LATENCY
    at: str | None = None
    before: Path | None = None
    after: Path | None = None
    is_single: bool = False
    bisection: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosed:
    """One diagnosis for each benchmark that got worse, worst first; `notes` are about the run as a whole."""

    diagnoses: tuple[Diagnosis, ...]
    verdicts: tuple[BenchmarkVerdict, ...]
    notes: tuple[str, ...]
    exit_code: ExitCode


def run_diagnosis(request: DiagnoseRequest, announce: Callable[[int, int, str], None]) -> Diagnosed:
    """Diagnose what regressed, or with a selection everything selected.

    Raises:
        PerfgateError: something the whole run depends on cannot be used, or there is nothing to diagnose.
    """
    if request.before is not None or request.after is not None:
        return _of_files(request)
    if request.is_single:
        return _single(request)
    if request.at is not None:
        return _of_commit(request, request.at)
    return _of_worktree(request, announce)


def _of_worktree(request: DiagnoseRequest, announce: Callable[[int, int, str], None]) -> Diagnosed:
    options = replace(request.options, measure_in_spite=True)
    result = run_check(
        options,
        environment=request.environment,
        today=request.today,
        expression=request.expression,
        announce=announce,
    )
    return diagnose_check(result, request)


def diagnose_check(result: CheckResult, request: DiagnoseRequest) -> Diagnosed:
    """Explain the benchmarks that a check found worse; with a selection all of them.

    Raises:
        PerfgateError: base or working tree cannot be read.
    """
    verdicts = result.outcome.verdicts
    baselines, records = result.ground.baselines.records, result.outcome.records
    chosen = [
        item
        for item in verdicts
        if (request.expression or item.verdict is Verdict.REGRESSED)
        and item.key in records
        and item.key in baselines
    ]
    suite = _ratios(verdicts)
    diagnoses, notes = [], []
    tree = result.ground.tree
    with _commit_sides(tree, result.ground.base.commit, request) as base:
        now = TreeSides(tree, "", seed=request.options.seed)
        for item in chosen:
            try:
                before = base.of_baseline(baselines[item.key])
                after = now.of_record(records[item.key])
            except PerfgateError as problem:
                notes.append(f"{item.key}: {problem.line}")
                continue
            others = {key: ratio for key, ratio in suite.items() if key != item.key}
            diagnoses.append(_diagnose(before, after, item.comparisons, request, others))
    diagnoses = with_commits(diagnoses, tree, result.ground.base.commit, request.bisection)
    return Diagnosed(
        diagnoses=merge_causes(diagnoses),
        verdicts=verdicts,
        notes=(*notes, *_nothing_to_explain(chosen, verdicts)),
        exit_code=result.exit_code,
    )


def _of_commit(request: DiagnoseRequest, revision: str) -> Diagnosed:
    """A commit against the base, or against its parent when it is the base itself."""
    tree = open_tree(request.options.root)
    if tree.repository is None:
        raise UsageError("no git repository", str(request.options.root), "run it inside one")
    commit = _commit(tree, revision, "--at")
    base = _commit(tree, request.options.base or f"{commit}^", "--base")
    with _commit_sides(tree, base, request) as before, _commit_sides(tree, commit, request) as after:
        wanted = _selected(after, request)
        pairs = {
            key: (before.measured(key), after.measured(key))
            for key in wanted
            if before.benchmark(key) is not None
        }
        return _diagnose_pairs(pairs, request, (tree, base))


def _of_files(request: DiagnoseRequest) -> Diagnosed:
    if request.before is None or request.after is None:
        raise UsageError("one side is missing", "--before, --after", "name both, files or folders of records")
    here = _here(request)
    before, after = sides_of_files(request.before, here), sides_of_files(request.after, here)
    common = [key for key in after if key in before and request.expression.lower() in key.lower()]
    if not common:
        where = f"{request.before} and {request.after}"
        raise NothingMeasuredError("no benchmark stands on both sides", where, "check files and -k")
    return _diagnose_pairs({key: (before[key], after[key]) for key in common}, request, None)


def _single(request: DiagnoseRequest) -> Diagnosed:
    """What holds a benchmark back, without anything to compare with."""
    tree = open_tree(request.options.root)
    sides = TreeSides(tree, "", seed=request.options.seed, runs=1)
    benchmarks = [item for items in find_suites(tree).values() for item in items]
    chosen = select(benchmarks, expression=request.expression, devices=request.options.devices)
    diagnoses = []
    for benchmark in chosen:
        side = sides.measured(benchmark.key)
        simulation = side.simulation
        resimulate = None if simulation is None else Resimulator(simulation, simulation)
        diagnoses.append(
            diagnose(None, side.observation, Setting(focus=request.focus, resimulate=resimulate))
        )
    return Diagnosed(diagnoses=tuple(diagnoses), verdicts=(), notes=(), exit_code=ExitCode.PASS)


def _diagnose_pairs(
    pairs: Mapping[str, tuple[DiagnosisSide, DiagnosisSide]],
    request: DiagnoseRequest,
    place: tuple[WorkTree, str] | None,
) -> Diagnosed:
    before = {key: sides[0].observation.record for key, sides in pairs.items()}
    after = {key: sides[1].observation.record for key, sides in pairs.items()}
    decision = decide_in_stages(before, after, SuitePolicy(), None, options=JudgeOptions())
    suite = _ratios(decision.benchmarks)
    diagnoses, notes = [], []
    for item in decision.benchmarks:
        if item.key not in pairs:
            continue
        if item.verdict in {Verdict.CHANGED, Verdict.INVALID}:
            notes.append(f"{item.key}: {item.verdict}, {item.reason}: the two sides cannot be compared")
            continue
        others = {key: ratio for key, ratio in suite.items() if key != item.key}
        diagnoses.append(_diagnose(*pairs[item.key], item.comparisons, request, others))
    if place is not None:
        diagnoses = with_commits(diagnoses, *place, request.bisection)
    return Diagnosed(
        diagnoses=merge_causes(diagnoses),
        verdicts=decision.benchmarks,
        notes=tuple(notes),
        exit_code=decision.exit_code,
    )


def _diagnose(
    before: DiagnosisSide,
    after: DiagnosisSide,
    comparisons: Sequence[Comparison],
    request: DiagnoseRequest,
    suite: Mapping[str, float],
) -> Diagnosis:
    resimulate = (
        Resimulator(before.simulation, after.simulation)
        if before.simulation is not None and after.simulation is not None
        else None
    )
    sides = _alike(before.observation, after.observation)
    setting = Setting(
        focus=request.focus, resimulate=resimulate, metrics=_deltas(comparisons), suite=suite or None
    )
    found = diagnose(*sides, setting)
    notes = dict.fromkeys((*found.notes, *before.notes, *after.notes))
    return msgspec.structs.replace(found, notes=tuple(notes))


def _alike(before: Observation, after: Observation) -> tuple[Observation, Observation]:
    """Where one side only has a summary, both are read from theirs: a summary hides small operators."""
    if before.profile is not None and not before.profile.kernels:
        summary = profile_of_summary(after.record)
        return before, replace(after, profile=summary or after.profile)
    return before, after


def _deltas(comparisons: Sequence[Comparison]) -> tuple[MetricDelta, ...]:
    return tuple(
        MetricDelta(
            metric=item.metric,
            before=item.baseline,
            after=item.now,
            relative=item.worse_by,
            low=item.low if item.metric.is_sampled else None,
            high=item.high if item.metric.is_sampled else None,
            runs_before=item.baseline_runs,
            runs_after=item.candidate_runs,
        )
        for item in comparisons
        if item.baseline is not None and item.now is not None
    )


def _ratios(verdicts: Sequence[BenchmarkVerdict]) -> dict[str, float]:
    """Latency now over the baseline's, by benchmark."""
    return {
        item.key: row.now / row.baseline
        for item in verdicts
        for row in item.comparisons
        if row.metric.name == "latency" and row.now and row.baseline
    }


def _nothing_to_explain(chosen: Sequence[object], verdicts: Sequence[BenchmarkVerdict]) -> list[str]:
    if chosen:
        return []
    new = sum(item.verdict in {Verdict.NEW, Verdict.MISSING} for item in verdicts)
    more = f"; {new} have nothing to compare with" if new else ""
    return [f"no benchmark regressed, so there is nothing to explain{more}"]


@contextmanager
def _commit_sides(tree: WorkTree, commit: str, request: DiagnoseRequest) -> Iterator[TreeSides]:
    if tree.repository is None:
        raise UsageError(
            "no git repository", str(tree.root), "run it inside one, or name --before and --after"
        )
    with tempfile.TemporaryDirectory(prefix="perfgate-at-") as folder:
        at = CommitTree(tree.repository, commit, tree.prefix, Path(folder))
        yield TreeSides(at, commit[:7], seed=request.options.seed)


def _selected(after: TreeSides, request: DiagnoseRequest) -> list[str]:
    chosen = select(after.benchmarks, expression=request.expression, devices=request.options.devices)
    return [item.key for item in chosen]


def _commit(tree: WorkTree, revision: str, option: str) -> str:
    found = None if tree.repository is None else resolve(tree.repository, revision)
    if found is None:
        raise UsageError(f"no commit named {revision!r}", option, "name a commit, tag or branch")
    return found


def _here(request: DiagnoseRequest) -> TreeSides | None:
    """What the working tree can simulate again; None outside of a project."""
    try:
        return TreeSides(open_tree(request.options.root), "", seed=request.options.seed)
    except PerfgateError:
        return None
