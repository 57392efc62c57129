"""Why a gate is red: the diagnosis of what regressed, for every face of the gate.

A diagnosis explains a verdict and never changes it: one that fails is a note.
"""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from perfgate.baseline.slug import baseline_path
from perfgate.baseline.store import trace_id
from perfgate.core.codec import readable_json
from perfgate.core.diagnosis import Diagnosis, Focus, MetricDelta
from perfgate.core.errors import PerfgateError, UsageError
from perfgate.core.verdict import Verdict
from perfgate.diagnose.engine import Observation, Setting, diagnose
from perfgate.diagnose.merge import merge_causes
from perfgate.diagnose.summary_profile import profile_of_summary
from perfgate.workflow.blame import Span, with_commits
from perfgate.workflow.cases import with_cases
from perfgate.workflow.commit_tree import CommitTree
from perfgate.workflow.diagnosis_side import DiagnosisSide, TreeSides
from perfgate.workflow.resimulation import Resimulator
from perfgate.workflow.whole_file import write_text_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from perfgate.core.verdict import BenchmarkVerdict, Comparison
    from perfgate.workflow.check import Outcome
    from perfgate.workflow.ground import Ground
    from perfgate.workflow.worktree import WorkTree

MOST_EXPLAINED = 3  # red benchmarks that a gate explains by itself; `perfgate diagnose` takes all
FOLDER = Path(".perfgate", "diagnoses")


def explained(ground: Ground, outcome: Outcome, seed: int) -> Outcome:
    """The outcome with a diagnosis of its worst regressions, kept as files for the next command.

    One that fails leaves the verdict as it is and says so in a note.
    """
    chosen = [
        item.key
        for item in outcome.verdicts
        if item.verdict is Verdict.REGRESSED
        and item.key in outcome.explanations
        and item.key in outcome.records
    ][:MOST_EXPLAINED]
    if not chosen:
        return outcome
    try:
        found, notes = explain_verdicts(ground, outcome, chosen, seed)
        span = Span(tree=ground.tree, base=ground.base.commit)
        found = with_cases(with_commits(found, span, None), ground.tree)
    except Exception as problem:  # noqa: BLE001 - a diagnosis that fails must not change a verdict
        what = problem.line if isinstance(problem, PerfgateError) else repr(problem)
        return replace(outcome, notes=(*outcome.notes, f"no diagnosis: {what}"))
    explanations = dict(outcome.explanations)
    for item in merge_causes(found):
        file = FOLDER / baseline_path(item.benchmark, item.device)
        notes += _keep(ground.tree.root / file, item)
        explanations[item.key] = msgspec.structs.replace(
            explanations[item.key], diagnosis=item, diagnosis_file=str(file)
        )
    return replace(outcome, explanations=explanations, notes=(*outcome.notes, *notes))


def explain_verdicts(
    ground: Ground, outcome: Outcome, keys: Sequence[str], seed: int, focus: Focus = Focus.LATENCY
) -> tuple[list[Diagnosis], list[str]]:
    """Diagnoses of judged benchmarks that have a baseline, and notes on those without an answer.

    Raises:
        PerfgateError: base or working tree cannot be read.
    """
    suite = latency_ratios(outcome.verdicts)
    comparisons = {item.key: item.comparisons for item in outcome.verdicts}
    diagnoses: list[Diagnosis] = []
    notes: list[str] = []
    with commit_sides(ground.tree, ground.base.commit, seed) as base:
        now = TreeSides(ground.tree, "", seed=seed)
        for key in keys:
            others = {name: ratio for name, ratio in suite.items() if name != key}
            try:
                before = base.of_baseline(ground.baselines.records[key])
                after = now.of_record(outcome.records[key])
                diagnoses.append(explain_pair(before, after, comparisons[key], others, focus))
            except (PerfgateError, ArithmeticError) as problem:
                notes.append(no_diagnosis(key, problem))
    return diagnoses, notes


def no_diagnosis(key: str, problem: Exception) -> str:
    """A note on a benchmark that cannot be explained; the others still are."""
    return f"{key}: no diagnosis: {problem.line if isinstance(problem, PerfgateError) else problem}"


def _keep(path: Path, found: Diagnosis) -> list[str]:
    try:
        write_text_file(path, readable_json(found))
    except UsageError as problem:
        return [f"the diagnosis is not kept: {problem.line}"]
    return []


def explain_pair(
    before: DiagnosisSide,
    after: DiagnosisSide,
    comparisons: Sequence[Comparison],
    suite: Mapping[str, float],
    focus: Focus = Focus.LATENCY,
) -> Diagnosis:
    """The diagnosis of one benchmark; `suite` are the ratios of the others, which tell a common shift."""
    resimulate = (
        Resimulator(before.simulation, after.simulation)
        if before.simulation is not None and after.simulation is not None
        else None
    )
    sides = _alike(before.observation, after.observation)
    setting = Setting(focus=focus, resimulate=resimulate, metrics=_deltas(comparisons), suite=suite or None)
    found = diagnose(*sides, setting)
    notes = dict.fromkeys((*found.notes, *before.notes, *after.notes))
    traces = (trace_id(before.observation.record), trace_id(after.observation.record))
    return msgspec.structs.replace(found, notes=tuple(notes), traces=traces)


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


def latency_ratios(verdicts: Sequence[BenchmarkVerdict]) -> dict[str, float]:
    """Latency now over the baseline's, by benchmark."""
    return {
        item.key: row.now / row.baseline
        for item in verdicts
        for row in item.comparisons
        if row.metric.name == "latency" and row.now and row.baseline
    }


@contextmanager
def commit_sides(tree: WorkTree, commit: str, seed: int, runs: int | None = None) -> Iterator[TreeSides]:
    """Sides out of the files of a commit; the working tree is not touched.

    Raises:
        UsageError: there is no repository, or a suite of the commit cannot be read.
    """
    if tree.repository is None:
        raise UsageError(
            "no git repository", str(tree.root), "run it inside one, or name --before and --after"
        )
    with tempfile.TemporaryDirectory(prefix="perfgate-at-") as folder:
        at = CommitTree(tree.repository, commit, tree.prefix, Path(folder))
        yield TreeSides(at, commit[:7], seed=seed, runs=runs)
