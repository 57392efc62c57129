"""A/A self test: how often this gate, on this host, calls unchanged code slower, and what it can see.

Pure but for `take_runs`, which measures; every call must give new, independent runs.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

import msgspec

from perfgate.core.errors import ExitCode
from perfgate.core.metric import Direction
from perfgate.core.verdict import Verdict
from perfgate.gate.decision import JudgeOptions, RunRequest
from perfgate.gate.stages import decide_in_stages
from perfgate.stats.proportion import ShareInterval, clopper_pearson

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perfgate.core.metric import Metric
    from perfgate.core.record import Record, Run
    from perfgate.gate.decision import Decision
    from perfgate.gate.stages import TakeRuns
    from perfgate.gate.thresholds import SuitePolicy

SCHEMA = "perfgate/selftest/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class SelftestPlan:
    """How much is measured.

    `sets` candidate sets of `first_runs` runs against `runs` baseline runs. `new_baselines`: record the
    baseline anew for every set, so that sets are independent; where runs cost time one baseline serves all.
    `inject` slows one benchmark at a time by this share and counts how often that is found.
    """

    sets: int = 20
    runs: int = 5
    first_runs: int = 1
    new_baselines: bool = False
    inject: float | None = None


class Sensitivity(msgspec.Struct, frozen=True, kw_only=True):
    """What the gate sees of one benchmark's metric.

    `detectable` is the change found nine times in ten; `found` of `planted` injected changes were called
    regressed.
    """

    key: str
    metric: str
    detectable: float
    found: int = 0
    planted: int = 0


class SelftestReport(msgspec.Struct, frozen=True, kw_only=True):
    """Red sets among all, with the exact interval; flags per benchmark; sensitivities, worst first."""

    schema: str = SCHEMA
    sets: int
    red: int
    interval: ShareInterval
    alpha: float
    flags: dict[str, int]
    shifts: int
    fresh_runs: int
    inconclusive: float
    notes: tuple[str, ...]
    sensitivities: tuple[Sensitivity, ...]
    inject: float | None = None

    @property
    def exit_code(self) -> ExitCode:
        """1 when even the interval's lower end exceeds alpha, 11 when nothing could be compared."""
        if not self.sensitivities:
            return ExitCode.NOTHING
        return ExitCode.FAIL if self.interval.low > self.alpha else ExitCode.PASS


def selftest(
    records: Mapping[str, Record], take_runs: TakeRuns, policy: SuitePolicy, plan: SelftestPlan
) -> SelftestReport | None:
    """Decide `plan.sets` unchanged candidate sets; None when there is no benchmark or no set.

    `records` are templates: their runs are replaced by those that `take_runs` gives.
    """
    if not records or plan.sets < 1:
        return None
    baseline = _record(records, take_runs, plan.runs)
    decisions: list[Decision] = []
    found: Counter[str] = Counter()
    for number in range(plan.sets):
        if plan.new_baselines and number:
            baseline = _record(records, take_runs, plan.runs)
        candidate = _record(records, take_runs, plan.first_runs)
        options = JudgeOptions(seed=number)
        decisions.append(decide_in_stages(baseline, candidate, policy, take_runs, options=options))
        if plan.inject is not None:
            found.update(_found_plants(baseline, candidate, policy, take_runs, plan.inject))
    return _report(decisions, found, policy, plan)


def _record(records: Mapping[str, Record], take_runs: TakeRuns, runs: int) -> dict[str, Record]:
    taken = take_runs([RunRequest(key=key, runs=runs, reason="self test") for key in records])
    return {
        key: msgspec.structs.replace(record, runs=tuple(taken.get(key, ())))
        for key, record in records.items()
    }


def _found_plants(
    baseline: Mapping[str, Record],
    candidate: Mapping[str, Record],
    policy: SuitePolicy,
    take_runs: TakeRuns,
    effect: float,
) -> list[str]:
    """The benchmarks that are called regressed when they alone are slowed."""
    found = []
    for key, record in candidate.items():
        sampled = [metric for metric in record.ruler.metrics if metric.is_sampled]
        if not sampled:
            continue
        slowed = {**candidate, key: _slow(record, record.runs, sampled, effect)}

        def take_slowed(
            requests: Sequence[RunRequest],
            key: str = key,
            record: Record = record,
            sampled: list[Metric] = sampled,
        ) -> Mapping[str, tuple[Run, ...]]:
            taken = dict(take_runs(requests))
            if key in taken:
                taken[key] = _slow(record, taken[key], sampled, effect).runs
            return taken

        decision = decide_in_stages(baseline, slowed, policy, take_slowed)
        verdict = next(item for item in decision.benchmarks if item.key == key)
        if verdict.verdict is Verdict.REGRESSED:
            found.append(key)
    return found


def _slow(record: Record, runs: Sequence[Run], metrics: Sequence[Metric], effect: float) -> Record:
    """The record with these runs, made worse by a share in every sampled metric."""
    directions = {metric.name: metric.direction for metric in metrics}

    def worse(name: str, values: tuple[float, ...]) -> tuple[float, ...]:
        factor = 1 + effect
        if directions.get(name) is Direction.HIGHER:
            factor = 1 / factor
        return tuple(value * factor for value in values)

    changed = tuple(
        msgspec.structs.replace(
            run, samples={name: worse(name, values) for name, values in run.samples.items()}
        )
        for run in runs
    )
    return msgspec.structs.replace(record, runs=changed)


def _report(
    decisions: Sequence[Decision], found: Counter[str], policy: SuitePolicy, plan: SelftestPlan
) -> SelftestReport:
    flags: Counter[str] = Counter(
        item.key
        for decision in decisions
        for item in decision.benchmarks
        if item.verdict is Verdict.REGRESSED
    )
    shifts = sum(decision.common_verdict is Verdict.REGRESSED for decision in decisions)
    red = sum(
        decision.common_verdict is Verdict.REGRESSED or decision.count(Verdict.REGRESSED) > 0
        for decision in decisions
    )
    verdicts = [item.verdict for decision in decisions for item in decision.benchmarks]
    notes = Counter(note for decision in decisions for note in decision.notes)
    return SelftestReport(
        sets=len(decisions),
        red=red,
        interval=clopper_pearson(red, len(decisions)),
        alpha=policy.suite.alpha,
        flags=dict(flags.most_common()),
        shifts=shifts,
        fresh_runs=sum(len(runs) for decision in decisions for runs in decision.fresh.values()),
        inconclusive=verdicts.count(Verdict.INCONCLUSIVE) / max(len(verdicts), 1),
        notes=tuple(f"{note} ({count} of {len(decisions)} sets)" for note, count in notes.most_common()),
        sensitivities=_sensitivities(decisions, found, plan),
        inject=plan.inject,
    )


def _sensitivities(
    decisions: Sequence[Decision], found: Counter[str], plan: SelftestPlan
) -> tuple[Sensitivity, ...]:
    """Median detectable effect per benchmark and metric, worst first."""
    effects: dict[tuple[str, str], list[float]] = {}
    for decision in decisions:
        for item in decision.benchmarks:
            for comparison in item.comparisons:
                if comparison.detectable is not None:
                    key = (item.key, comparison.metric.name)
                    effects.setdefault(key, []).append(comparison.detectable)
    planted = 0 if plan.inject is None else plan.sets
    rows = [
        Sensitivity(key=key, metric=metric, detectable=median(values), found=found[key], planted=planted)
        for (key, metric), values in effects.items()
    ]
    return tuple(sorted(rows, key=lambda row: (-row.detectable, row.key, row.metric)))
