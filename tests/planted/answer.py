"""What the diagnosis says of a planted fault, and whether that is right."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.core.diagnosis import Cause, Diagnosis, Focus, MetricDelta
from perfgate.core.verdict import Verdict
from perfgate.diagnose.amounts import ALIASES, METRICS
from perfgate.diagnose.engine import Setting, diagnose
from perfgate.gate.decision import JudgeOptions
from perfgate.gate.stages import decide_in_stages
from perfgate.gate.thresholds import SuitePolicy
from perfgate.workflow.resimulation import Resimulator
from tests.planted.sides import planted

if TYPE_CHECKING:
    from perfgate.core.verdict import BenchmarkVerdict
    from tests.planted.scenario import Expect, NamedScenario
    from tests.planted.sides import MeasuredSide

NONE = "none"
FIRST_THREE = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer to one scenario. `rank` of the right cause from 1, 0: not among the causes.

    `gain_error`: predicted against measured gain of the first fix, relative; None without one. `wrong`: why
    the expectation is not met, "" when it is.
    """

    name: str
    diagnosis: Diagnosis
    rank: int
    is_regressed: bool
    gain_error: float | None
    wrong: str

    @property
    def confidence(self) -> float:
        """Of the first cause; 0 without one."""
        causes = self.diagnosis.causes
        return causes[0].confidence if causes else 0.0


def answer(named: NamedScenario, *, seed: int = 0, has_proof: bool = True) -> Answer:
    """Measure both sides, judge and diagnose as a gate would; without `has_proof` nothing is re-simulated."""
    scenario = named.scenario
    focus = ALIASES.get(scenario.focus) or Focus(scenario.focus)
    with planted(scenario, seed=seed) as (before, after):
        verdict = _judged(before, after)
        found = diagnose(
            before.observation,
            after.observation,
            Setting(
                focus=focus,
                resimulate=Resimulator(before.simulation, after.simulation) if has_proof else None,
                metrics=_deltas(verdict),
            ),
        )
        error = _gain_error(found, before, after) if focus is Focus.LATENCY else None
    expected = scenario.expect
    is_regressed = any(
        row.verdict is Verdict.REGRESSED and row.metric.name == METRICS[focus] for row in verdict.comparisons
    )
    rank = _rank(found, expected)
    return Answer(
        name=named.name,
        diagnosis=found,
        rank=rank,
        is_regressed=is_regressed,
        gain_error=error,
        wrong=_wrong(found, expected, rank=rank, is_regressed=is_regressed),
    )


def _rank(found: Diagnosis, expected: Expect) -> int:
    """The place of the right cause; of several faults the first one's, if all are among the first three."""
    if expected.flags:
        names = [cause.difference.name if cause.difference else "" for cause in found.causes[:FIRST_THREE]]
        places = [names.index(flag) + 1 for flag in expected.flags if flag in names]
        return min(places) if len(places) == len(expected.flags) else 0
    return next((n for n, cause in enumerate(found.causes, 1) if is_right(cause, expected)), 0)


def is_right(cause: Cause, expected: Expect) -> bool:
    """The right rule, and the right operator or flag."""
    rules = expected.rule if isinstance(expected.rule, list) else [expected.rule]
    if cause.rule not in rules:
        return False
    if expected.flags:
        return cause.difference is not None and cause.difference.name in expected.flags
    operators = expected.operator if isinstance(expected.operator, list) else [expected.operator]
    names = "" if cause.operator is None else cause.operator.name
    fits_operator = bool(expected.operator) and names in operators
    fits_flag = (
        bool(expected.flag) and cause.difference is not None and cause.difference.name == expected.flag
    )
    return fits_operator or fits_flag or not (expected.operator or expected.flag)


def _wrong(found: Diagnosis, expected: Expect, *, rank: int, is_regressed: bool) -> str:
    if expected.rule == NONE:
        loud = found.found
        return f"names {loud.rule} ({loud.confidence})" if loud is not None else ""
    if expected.regresses and not is_regressed:
        return "the gate stays green"
    if rank == 0:
        told = ", ".join(_short(cause) for cause in found.causes[:3]) or "no cause"
        return f"not found; says {told}"
    return _incomplete(found, expected, rank)


def _incomplete(found: Diagnosis, expected: Expect, rank: int) -> str:
    """What the right cause lacks."""
    right = found.causes[rank - 1]
    if rank > 1:
        return f"only number {rank}; first {_short(found.causes[0])}"
    text = " ".join(
        [*(f"{piece.label} {piece.text}" for piece in right.evidence), right.sentence, *right.rules]
    )
    missing = [word for word in expected.evidence if word not in text]
    if missing:
        return f"no evidence of {missing[0]}"
    if expected.operator and expected.flag and not _fits_both(right, expected):
        return f"names {_short(right)}"
    return _below(right, expected.recovered)


def _fits_both(cause: Cause, expected: Expect) -> bool:
    operators = expected.operator if isinstance(expected.operator, list) else [expected.operator]
    named = cause.operator is not None and cause.operator.name in operators
    return named and cause.difference is not None and cause.difference.name == expected.flag


def _below(cause: Cause, bound: str) -> str:
    if not bound:
        return ""
    least = float(bound.removeprefix(">="))
    recovered = 0.0 if cause.proof is None else cause.proof.recovered
    return "" if recovered >= least else f"recovers {recovered:.2f}, expected {bound}"


def _short(cause: Cause) -> str:
    where = cause.operator.name if cause.operator is not None else "-"
    flag = f" {cause.difference.name}" if cause.difference is not None else ""
    return f"{cause.rule}{flag} at {where} ({cause.confidence:.2f})"


def _judged(before: MeasuredSide, after: MeasuredSide) -> BenchmarkVerdict:
    key = before.record.key
    decision = decide_in_stages(
        {key: before.record}, {key: after.record}, SuitePolicy(), None, options=JudgeOptions()
    )
    return decision.benchmarks[0]


def _deltas(verdict: BenchmarkVerdict) -> tuple[MetricDelta, ...]:
    return tuple(
        MetricDelta(metric=row.metric, before=row.baseline, after=row.now, relative=row.worse_by)
        for row in verdict.comparisons
        if row.baseline is not None and row.now is not None
    )


def _gain_error(found: Diagnosis, before: MeasuredSide, after: MeasuredSide) -> float | None:
    """The predicted gain of taking the fault back against the gain between the noisy measurements."""
    fix = next((fix for fix in found.fixes if fix.taken and fix.after is not None), None)
    if fix is None or fix.after is None:
        return None
    measured = _median(after) - _median(before)
    predicted = (found.amount - fix.after) * 1e-12
    return abs(predicted - measured) / measured if measured > 0 else None


def _median(side: MeasuredSide) -> float:
    return statistics.median(value for run in side.record.runs for value in run.samples["latency"])
