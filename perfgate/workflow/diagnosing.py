"""`perfgate diagnose`: find what regressed, put both sides together, explain each benchmark."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from perfgate.baseline.revision import resolve
from perfgate.core.diagnosis import Diagnosis, Focus
from perfgate.core.errors import ExitCode, NothingMeasuredError, PerfgateError, UsageError
from perfgate.core.verdict import Verdict
from perfgate.diagnose.engine import Setting, diagnose
from perfgate.diagnose.merge import merge_causes
from perfgate.gate.decision import JudgeOptions
from perfgate.gate.stages import decide_in_stages
from perfgate.gate.thresholds import SuitePolicy
from perfgate.workflow.blame import Span, with_commits
from perfgate.workflow.cases import with_cases
from perfgate.workflow.checking import run_check
from perfgate.workflow.diagnosis_side import DiagnosisSide, TreeSides, sides_of_files
from perfgate.workflow.explaining import (
    commit_sides,
    explain_pair,
    explain_verdicts,
    latency_ratios,
    no_diagnosis,
)
from perfgate.workflow.recording import open_tree
from perfgate.workflow.resimulation import Resimulator
from perfgate.workflow.suites import find_suites, select

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from perfgate.core.verdict import BenchmarkVerdict
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
    _check_sides(request)
    if request.before is not None or request.after is not None:
        return _of_files(request)
    if request.is_single:
        return _single(request)
    if request.at is not None:
        return _of_commit(request, request.at)
    return _of_worktree(request, announce)


def _check_sides(request: DiagnoseRequest) -> None:
    """An option that says nothing about the chosen sides would be taken for an answer."""
    has_files = request.before is not None or request.after is not None
    asked = {
        "--baseline and --input": has_files,
        "--single": request.is_single,
        "--at": request.at is not None,
    }
    chosen = [option for option, is_given in asked.items() if is_given]
    if len(chosen) > 1:
        raise UsageError("two ways to choose the sides", ", ".join(chosen), "give one of them")
    if request.is_single and request.bisection is not None:
        raise UsageError("nothing regressed without a baseline", "--single, --bisect", "give one of them")


def _of_worktree(request: DiagnoseRequest, announce: Callable[[int, int, str], None]) -> Diagnosed:
    options = replace(request.options, measure_in_spite=True, explains=False)
    result = run_check(
        options,
        environment=request.environment,
        today=request.today,
        expression=request.expression,
        announce=announce,
    )
    return _explained(result, request)


def _explained(result: CheckResult, request: DiagnoseRequest) -> Diagnosed:
    """The benchmarks that a check found worse; with a selection all of them."""
    verdicts, ground = result.outcome.verdicts, result.ground
    chosen = [
        item.key
        for item in verdicts
        if (request.expression or item.verdict is Verdict.REGRESSED)
        and item.key in result.outcome.records
        and item.key in ground.baselines.records
    ]
    seed = request.options.seed
    diagnoses, notes = explain_verdicts(ground, result.outcome, chosen, seed, request.focus)
    span = Span(tree=ground.tree, base=ground.base.commit)
    diagnoses = with_commits(diagnoses, span, request.bisection)
    diagnoses = with_cases(diagnoses, ground.tree)
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
    seed, runs = request.options.seed, request.options.runs
    with commit_sides(tree, base, seed, runs) as before, commit_sides(tree, commit, seed, runs) as after:
        pairs, notes = {}, []
        for key in _selected(after, request):
            if before.benchmark(key) is None:
                notes.append(f"{key}: {base[:7]} has no such benchmark, so there is nothing to compare with")
                continue
            try:
                pairs[key] = before.measured(key), after.measured(key)
            except PerfgateError as problem:
                notes.append(no_diagnosis(key, problem))
        if not pairs:
            raise NothingMeasuredError(notes[0], f"--at {revision}", "name another commit, or -k")
        found = diagnose_pairs(pairs, request, Span(tree=tree, base=base, tip=commit))
        return replace(found, notes=(*found.notes, *notes))


def _of_files(request: DiagnoseRequest) -> Diagnosed:
    if request.before is None or request.after is None:
        raise UsageError("one side is missing", "--before, --after", "name both, files or folders of records")
    here = _here(request)
    before, after = sides_of_files(request.before, here), sides_of_files(request.after, here)
    wanted = [key for key in {**after, **before} if _is_wanted(key, request)]
    pairs = {key: (before[key], after[key]) for key in wanted if key in before and key in after}
    if not pairs:
        where = f"{request.before} and {request.after}"
        raise NothingMeasuredError("no benchmark stands on both sides", where, "check files, -k and --device")
    notes = [f"{key}: only one side has a record of it" for key in wanted if key not in pairs]
    found = diagnose_pairs(pairs, request, None)
    return replace(found, notes=(*found.notes, *notes))


def _is_wanted(key: str, request: DiagnoseRequest) -> bool:
    devices = request.options.devices
    is_on_device = not devices or key.endswith(tuple(f"[{device}]" for device in devices))
    return is_on_device and request.expression.lower() in key.lower()


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


def diagnose_pairs(
    pairs: Mapping[str, tuple[DiagnosisSide, DiagnosisSide]],
    request: DiagnoseRequest,
    span: Span | None,
) -> Diagnosed:
    """Judge pairs of measured sides and explain each; `span` None: nobody knows their commits."""
    before = {key: sides[0].observation.record for key, sides in pairs.items()}
    after = {key: sides[1].observation.record for key, sides in pairs.items()}
    decision = decide_in_stages(before, after, SuitePolicy(), None, options=JudgeOptions())
    suite = latency_ratios(decision.benchmarks)
    diagnoses, notes = [], []
    for item in decision.benchmarks:
        if item.key not in pairs:
            continue
        if item.verdict in {Verdict.CHANGED, Verdict.INVALID}:
            notes.append(f"{item.key}: {item.verdict}, {item.reason}: the two sides cannot be compared")
            continue
        others = {key: ratio for key, ratio in suite.items() if key != item.key}
        try:
            diagnoses.append(explain_pair(*pairs[item.key], item.comparisons, others, request.focus))
        except ArithmeticError as problem:
            notes.append(no_diagnosis(item.key, problem))
    diagnoses = with_commits(diagnoses, span, request.bisection)
    if span is not None:
        diagnoses = with_cases(diagnoses, span.tree)
    return Diagnosed(
        diagnoses=merge_causes(diagnoses),
        verdicts=decision.benchmarks,
        notes=tuple(notes),
        exit_code=decision.exit_code,
    )


def _nothing_to_explain(chosen: Sequence[object], verdicts: Sequence[BenchmarkVerdict]) -> list[str]:
    if chosen:
        return []
    new = sum(item.verdict in {Verdict.NEW, Verdict.MISSING} for item in verdicts)
    more = f"; {new} have nothing to compare with" if new else ""
    return [f"no benchmark regressed, so there is nothing to explain{more}"]


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
