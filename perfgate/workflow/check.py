"""The gate itself: measured records against the ground, one decision, and the reasons for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import msgspec

from perfgate.backends.registry import TIMED, timed_device
from perfgate.baseline.slug import baseline_path
from perfgate.core.errors import ExitCode
from perfgate.core.machine import TEST
from perfgate.core.verdict import PRECEDENCE, BenchmarkVerdict, Verdict
from perfgate.diagnose.explanation import explain
from perfgate.gate.decision import JudgeOptions
from perfgate.workflow.acceptance import decide_with_acceptance
from perfgate.workflow.budgets import unfitting, with_budgets
from perfgate.workflow.imported_record import is_imported
from perfgate.workflow.measuring import next_runs
from perfgate.workflow.suites import no_benchmark

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from perfgate.core.record import Record, Run
    from perfgate.diagnose.explanation import Explanation
    from perfgate.gate.decision import Decision, RunRequest
    from perfgate.gate.stages import TakeRuns
    from perfgate.guardrails.rule import RuleSet
    from perfgate.measure.benchmark import Benchmark
    from perfgate.workflow.ground import Ground
    from perfgate.workflow.measuring import Measured

    TakeNumbers = Callable[[Mapping[str, range]], Mapping[str, tuple[Run, ...]]]

_SHOWN_NOTES = 3
TOO_GOOD = -0.8  # five times faster without a change of the benchmark is rarely an optimisation


@dataclass(frozen=True, slots=True, kw_only=True)
class Selected:
    """The benchmarks of this run; `is_partial`: the tree has more.

    `absent` are keys of baselines that a pytest test of this run owes and did not measure, with the reason.
    Other baselines of tests belong to another run.
    `outside` are the keys of given records whose benchmark no suite has.
    """

    benchmarks: Sequence[Benchmark]
    is_partial: bool
    absent: Mapping[str, str] = field(default_factory=dict)
    outside: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The decision with the evidence that a report shows.

    `verdicts` hold one entry per benchmark, worst first. `notes` are about the run as a whole.
    """

    verdicts: tuple[BenchmarkVerdict, ...]
    decision: Decision
    explanations: Mapping[str, Explanation]
    records: Mapping[str, Record]
    skipped: Mapping[str, str]
    exit_code: ExitCode
    notes: tuple[str, ...] = ()


def judge_run(
    ground: Ground, selection: Selected, measured: Measured, take: TakeNumbers | None, rules: RuleSet
) -> Outcome:
    """Decide the suite once. Suspects get the fresh runs that `take` can take; nothing is decided twice.

    A baseline whose benchmark is gone is `missing`, but never in a partial run, and never when its benchmark
    was skipped or failed: those have their own words.
    """
    by_key = {item.key: item for item in (*ground.benchmarks, *selection.benchmarks)}
    options = JudgeOptions(
        is_interleaved=measured.is_paired,
        not_selected=_left_out(ground, selection, measured),
        waivers=ground.file.waivers,
    )
    take_runs = None if take is None else _runs_on_request(measured.records, take)
    decision, judged, refused = decide_with_acceptance(ground, measured.records, take_runs, options)
    verdicts = [
        *(_with_unusable(_with_absence(item, selection), ground) for item in judged),
        *(_failed(by_key[key], reason) for key, reason in measured.failed.items()),
    ]
    explanations = {
        item.key: explain(ground.baselines.records[item.key], measured.records[item.key])
        for item in verdicts
        if needs_explanation(item) and item.key in measured.records and item.key in ground.baselines.records
    }
    records = with_fresh_runs(measured.records, decision)
    verdicts, is_over_budget = with_budgets(verdicts, rules, records)
    unfit, is_unfit_red = unfitting(rules, ground.benchmarks)
    verdicts = [_with_owner(item, by_key.get(item.key), ground) for item in verdicts]
    verdicts = [_with_record_notes(item, records.get(item.key)) for item in verdicts]
    primary = {item.key for item in by_key.values() if item.priority == "primary"}
    code = _exit_code(decision, ground, selection, measured)
    return Outcome(
        verdicts=tuple(sorted(verdicts, key=lambda item: worst_first(item, is_primary=item.key in primary))),
        decision=decision,
        explanations=explanations,
        records=records,
        skipped=measured.skipped,
        exit_code=ExitCode.FAIL if is_over_budget or is_unfit_red else _of_partial(code, ground, selection),
        notes=(*_ground_notes(ground, measured), *refused, *unfit, *decision.notes),
    )


def _runs_on_request(records: Mapping[str, Record], take: TakeNumbers) -> TakeRuns:
    """Fresh runs that a decision asks for; a second decision on the same records gets the same ones."""
    taken: dict[tuple[str, int], tuple[Run, ...]] = {}

    def take_runs(requests: Sequence[RunRequest]) -> dict[str, tuple[Run, ...]]:
        known = [request for request in requests if request.key in records]
        wanted = {
            item.key: next_runs(records[item.key], item.runs)
            for item in known
            if (item.key, item.runs) not in taken
        }
        found = take(wanted) if wanted else {}
        taken.update({(key, len(wanted[key])): runs for key, runs in found.items()})
        return {item.key: taken[item.key, item.runs] for item in known if (item.key, item.runs) in taken}

    return take_runs


def _ground_notes(ground: Ground, measured: Measured) -> list[str]:
    """What makes this run say little: a base that is HEAD itself, no benchmark at all."""
    notes = [ground.base.warning] if ground.base.warning else []
    return notes if ground.benchmarks or measured.records else [*notes, str(no_benchmark())]


def _left_out(ground: Ground, selection: Selected, measured: Measured) -> frozenset[str]:
    """Baselines that are not missing: not selected, or their benchmark says itself why it has no record.

    An imported one is missing only where records of its tool and device are given.
    """
    chosen = {item.key for item in selection.benchmarks} | selection.outside
    given = {(record.backend, record.device) for record in measured.records.values()}
    known = {item.key for item in ground.benchmarks}
    without_record = {*measured.failed, *measured.skipped}
    return frozenset(
        key
        for key, record in ground.baselines.records.items()
        if _belongs_elsewhere(record, key in selection.absent)
        or key in without_record
        or (TEST not in record.context and key not in chosen and (selection.is_partial or key in known))
        or (is_imported(record) and (record.backend, record.device) not in given)
    )


def _belongs_elsewhere(record: Record, is_absent: bool) -> bool:  # noqa: FBT001 - the one fact besides it
    """A baseline of a test that this run does not have, or of another environment than this one."""
    if TEST in record.context:
        return not is_absent
    return is_of_other_environment(record)


def is_of_other_environment(record: Record) -> bool:
    """A timed baseline under the label of an environment (system, Python) that is not this one."""
    return (
        record.backend in TIMED
        and record.device.startswith(f"{record.backend}-")
        and record.device != timed_device(record.backend)
    )


def _with_absence(item: BenchmarkVerdict, selection: Selected) -> BenchmarkVerdict:
    """A missing benchmark of a test says what became of the test."""
    reason = selection.absent.get(item.key, "")
    if item.verdict is not Verdict.MISSING or not reason:
        return item
    return msgspec.structs.replace(item, notes=(*item.notes, reason))


def _of_partial(code: ExitCode, ground: Ground, selection: Selected) -> ExitCode:
    """A policy that asks for the full suite takes no green of a part of it."""
    wanted = ground.file.full_suite == "always" or (ground.file.full_suite == "ci" and ground.is_ci)
    return ExitCode.NOTHING if code is ExitCode.PASS and selection.is_partial and wanted else code


def _with_owner(item: BenchmarkVerdict, benchmark: Benchmark | None, ground: Ground) -> BenchmarkVerdict:
    """Who to ask about a red benchmark: the policy's last matching owner, else the suite's."""
    owner = benchmark.owner if benchmark is not None else ""
    for glob, name in ground.file.owners.items():
        if fnmatchcase(item.benchmark, glob) or fnmatchcase(item.key, glob):
            owner = name
    if not owner or not item.is_failure:
        return item
    return msgspec.structs.replace(item, notes=(*item.notes, f"owner: {owner}"))


def _with_record_notes(item: BenchmarkVerdict, record: Record | None) -> BenchmarkVerdict:
    """A timed benchmark that is not green says what its runs went through: rounds without a processor."""
    if record is None or record.backend not in TIMED or not needs_explanation(item):
        return item
    more = len(record.notes) - _SHOWN_NOTES
    shown = (*record.notes[:_SHOWN_NOTES], *([f"and {more} more such notes"] if more > 0 else ()))
    return msgspec.structs.replace(item, notes=(*item.notes, *shown))


def _with_unusable(item: BenchmarkVerdict, ground: Ground) -> BenchmarkVerdict:
    """A benchmark whose baseline file is broken is not new: nothing may pass because of that."""
    if item.verdict is not Verdict.NEW:
        return item
    suffix = str(baseline_path(item.benchmark, item.device))
    for path, reason in ground.baselines.unusable.items():
        if path.endswith(f"/{suffix}"):
            return msgspec.structs.replace(
                item, verdict=Verdict.INVALID, reason=f"baseline: {reason}", is_failure=True, is_warning=False
            )
    return item


def with_fresh_runs(records: Mapping[str, Record], decision: Decision) -> dict[str, Record]:
    """The records as they were judged: fresh runs that suspects asked for stand behind the first ones."""
    return {
        key: msgspec.structs.replace(record, runs=(*record.runs, *decision.fresh.get(key, ())))
        for key, record in records.items()
    }


def _failed(benchmark: Benchmark, reason: str) -> BenchmarkVerdict:
    return BenchmarkVerdict(
        benchmark=benchmark.name,
        device=benchmark.device,
        verdict=Verdict.INVALID,
        reason=reason,
        is_failure=True,
        test=benchmark.test,
    )


def _exit_code(decision: Decision, ground: Ground, selection: Selected, measured: Measured) -> ExitCode:
    """The first that applies of 1, 12, 11, 10, 0 (docs/adr/0004); 11 when nothing was there to measure."""
    if not (measured.records or measured.failed or measured.skipped or selection.absent):
        return ExitCode.NOTHING
    codes = {code for code, _ in decision.reasons}
    if ground.baselines.unusable:
        codes.add(ExitCode.UNUSABLE)
    if measured.failed or not measured.records:
        codes.add(ExitCode.NOTHING)
    order = (ExitCode.FAIL, ExitCode.UNUSABLE, ExitCode.NOTHING, ExitCode.INCONCLUSIVE)
    return next((code for code in order if code in codes), ExitCode.PASS)


def needs_explanation(item: BenchmarkVerdict) -> bool:
    """Something may have got worse."""
    return item.verdict in {Verdict.REGRESSED, Verdict.INCONCLUSIVE}


def remarks(
    verdicts: Iterable[BenchmarkVerdict], ground: Ground | None, decision: Decision
) -> tuple[str, ...]:
    """What a reader should ask: improvements too good to be true, what nobody judged, unused waivers."""
    verdicts = tuple(verdicts)
    lines = [
        f"{item.key}: {row.metric.name} is {1 / (1 + row.worse_by):.0f} times better: "
        "did it still do the work?"
        for item in verdicts
        for row in item.comparisons
        if row.verdict is Verdict.IMPROVED and row.worse_by is not None and -1 < row.worse_by <= TOO_GOOD
    ]
    if ground is not None:
        spoken = {item.key for item in verdicts}
        left = [record for key, record in ground.baselines.records.items() if key not in spoken]
        imported = sum(is_imported(record) for record in left)
        tests = sum(TEST in record.context for record in left)
        if imported:
            lines.append(f"{imported} imported baselines are not judged here: use `perfgate check --records`")
        if tests:
            remedy = "`pytest --perfgate` without a selection judges all"
            lines.append(f"{tests} baselines of pytest tests are not judged in this run: {remedy}")
        lines += [
            f"unused waiver: {benchmark} {metric} at {waiver.origin}"
            for (benchmark, metric), waiver in ground.file.waivers.items()
            if (benchmark, metric) not in decision.used_waivers
        ]
    return tuple(lines)


def worst_first(
    item: BenchmarkVerdict, *, is_primary: bool = False
) -> tuple[bool, bool, int, bool, float, str]:
    """Sorting key: failures, warnings, then by verdict, priority and size of the change."""
    change = max((abs(comparison.worse_by or 0.0) for comparison in item.comparisons), default=0.0)
    rank = PRECEDENCE[item.verdict]
    return (not item.is_failure, not item.is_warning, rank, not is_primary, -change, item.key)
