"""What may be compared at all: each case of STATISTICS section 1 with its verdict, words and exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from perfgate.core.errors import ExitCode
from perfgate.core.metric import KNOWN_METRICS
from perfgate.core.record import Record, Run
from perfgate.core.verdict import Verdict
from perfgate.gate.decide import judge
from perfgate.gate.decision import JudgeOptions
from perfgate.gate.thresholds import Answer, PolicyRule, SuitePolicy
from tests.noisy_records import Workshop

if TYPE_CHECKING:
    from perfgate.gate.decision import Decision

POLICY = SuitePolicy()


def pair(seed: int = 1, metrics: tuple[str, ...] = ("latency",)) -> tuple[Record, Record]:
    workshop = Workshop(seed, metrics=metrics)
    return workshop.record("b", 5), workshop.record("b", 3)


def decide(baseline: Record | None, candidate: Record | None, policy: SuitePolicy = POLICY) -> Decision:
    sides = [{} if record is None else {record.key: record} for record in (baseline, candidate)]
    return judge(sides[0], sides[1], policy)


def with_sample(record: Record, run: int, index: int, value: float) -> Record:
    samples = list(record.runs[run].samples["latency"])
    samples[index] = value
    changed = msgspec.structs.replace(record.runs[run], samples={"latency": tuple(samples)})
    return msgspec.structs.replace(record, runs=(*record.runs[:run], changed, *record.runs[run + 1 :]))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 0.0, -1.0, 1e-300, 1e300])
def test_values_that_no_clock_gives_are_invalid_and_located(value: float) -> None:
    baseline, candidate = pair()
    decision = decide(baseline, with_sample(candidate, 2, 7, value))
    found = decision.benchmarks[0]
    assert found.verdict is Verdict.INVALID
    assert found.reason.startswith("candidate run 2, sample 7: latency is")
    assert decision.exit_code is ExitCode.NOTHING
    broken = decide(with_sample(baseline, 2, 7, value), candidate)
    assert broken.benchmarks[0].reason.startswith("baseline run 2, sample 7")
    assert broken.exit_code is ExitCode.UNUSABLE


def test_fewer_than_five_samples_are_invalid_and_say_how_many_are_needed() -> None:
    baseline, candidate = pair()
    few = msgspec.structs.replace(candidate.runs[1], samples={"latency": (1.0, 1.0, 1.0, 1.0)})
    runs = (candidate.runs[0], few, candidate.runs[2])
    found = decide(baseline, msgspec.structs.replace(candidate, runs=runs)).benchmarks[0]
    assert found.verdict is Verdict.INVALID
    assert found.reason == "candidate run 1: 4 samples of latency; needs 5"


def test_no_runs_and_absent_metrics_are_invalid() -> None:
    baseline, candidate = pair()
    assert decide(baseline, msgspec.structs.replace(candidate, runs=())).benchmarks[0].reason == (
        "candidate: no runs"
    )
    crashed = Run(id=3, seed=0, samples={})
    found = decide(baseline, msgspec.structs.replace(candidate, runs=(*candidate.runs, crashed)))
    assert found.benchmarks[0].reason == "candidate run 3: 0 samples of latency; needs 5"


def ruler(record: Record, **changes: object) -> Record:
    return msgspec.structs.replace(record, ruler=msgspec.structs.replace(record.ruler, **changes))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"inputs": {"x": "float32[4]"}}, "input x float32[1] -> float32[4]"),
        ({"inputs": {}}, "input x is gone (was float32[1])"),
        ({"protocol": {"samples": "20", "gc": "off"}}, "protocol gc is new (off)"),
        ({"protocol": {"samples": "5"}}, "protocol samples 20 -> 5"),
        (
            {"metrics": (KNOWN_METRICS["latency"], KNOWN_METRICS["cycles"])},
            "metric cycles is new (exact cycles lower is better)",
        ),
    ],
)
def test_another_ruler_is_changed_and_names_the_part(changes: dict[str, object], words: str) -> None:
    baseline, candidate = pair()
    decision = decide(baseline, ruler(candidate, **changes))
    found = decision.benchmarks[0]
    assert found.verdict is Verdict.CHANGED
    assert found.reason == f"{words}; the ruler moved, so no verdict: accept a new baseline"
    assert decision.reasons[0][0] is ExitCode.FAIL
    tolerant = SuitePolicy(rules=(PolicyRule(values={"on_changed": Answer.WARN}),))
    softer = decide(baseline, ruler(candidate, **changes), tolerant)
    assert softer.benchmarks[0].is_warning
    assert softer.exit_code is ExitCode.NOTHING  # nothing else was compared


def test_another_backend_is_another_ruler() -> None:
    baseline, candidate = pair()
    moved = msgspec.structs.replace(candidate, backend="command")
    assert "backend python -> command" in decide(baseline, moved).benchmarks[0].reason


def test_another_device_description_is_one_sentence_for_the_suite() -> None:
    workshop = Workshop(2)
    baseline = {key: ruler(record, device_digest="aa") for key, record in workshop.suite(9, 5).items()}
    candidate = {key: ruler(record, device_digest="bb") for key, record in workshop.suite(9, 3).items()}
    decision = judge(baseline, candidate, POLICY)
    assert decision.count(Verdict.INVALID) == 9
    assert decision.exit_code is ExitCode.UNUSABLE
    unusable = [text for code, text in decision.reasons if code is ExitCode.UNUSABLE]
    assert len(unusable) == 1
    assert "9 of 9 benchmarks cannot be compared" in unusable[0]
    assert decision.notes[0] == unusable[0]


def test_another_cost_model_is_unusable_too() -> None:
    baseline, candidate = pair()
    decision = decide(ruler(baseline, cost_model="1.3"), ruler(candidate, cost_model="1.4"))
    assert decision.exit_code is ExitCode.UNUSABLE
    assert "cost model '1.3' -> '1.4'" in decision.benchmarks[0].reason


def context(record: Record, **fields: str) -> Record:
    return msgspec.structs.replace(record, context=fields)


def test_another_machine_is_unusable_and_names_the_fields() -> None:
    baseline, candidate = pair()
    decision = decide(context(baseline, cpu_model="A", load="1"), context(candidate, cpu_model="B", load="9"))
    found = decision.benchmarks[0]
    assert found.verdict is Verdict.INVALID
    assert found.reason == "other machine: cpu_model 'A' -> 'B'; compare interleaved on one machine"
    assert decision.exit_code is ExitCode.UNUSABLE


def test_notes_about_the_machine_break_nothing() -> None:
    baseline, candidate = pair()
    decision = decide(
        context(baseline, cpu_model="A", clock_mhz="3000"),
        context(candidate, cpu_model="A", clock_mhz="3003"),
    )
    assert decision.benchmarks[0].verdict is not Verdict.INVALID


def test_simulated_times_do_not_depend_on_the_machine() -> None:
    records = [
        context(msgspec.structs.replace(record, backend="simulated"), cpu_model=name)
        for record, name in zip(pair(), "AB", strict=True)
    ]
    baseline, candidate = records
    assert decide(baseline, candidate).benchmarks[0].verdict is not Verdict.INVALID


def test_a_benchmark_on_one_side_is_new_or_missing() -> None:
    baseline, candidate = pair()
    new = decide(None, candidate)
    assert (new.benchmarks[0].verdict, new.benchmarks[0].is_warning) == (Verdict.NEW, True)
    assert "perfgate baseline update -k b" in new.benchmarks[0].reason
    assert new.exit_code is ExitCode.NOTHING
    missing = decide(baseline, None)
    assert (missing.benchmarks[0].verdict, missing.benchmarks[0].is_failure) == (Verdict.MISSING, True)
    assert [code for code, _ in missing.reasons] == [ExitCode.FAIL, ExitCode.NOTHING]


def test_a_renamed_benchmark_is_missing_and_new() -> None:
    baseline, candidate = pair()
    renamed = msgspec.structs.replace(candidate, benchmark="c")
    decision = judge({baseline.key: baseline}, {renamed.key: renamed}, POLICY)
    assert [item.verdict for item in decision.benchmarks] == [Verdict.MISSING, Verdict.NEW]
    assert decision.exit_code is ExitCode.FAIL


def test_removed_and_unselected_benchmarks_do_not_fail() -> None:
    workshop = Workshop(3)
    baseline = workshop.suite(9, 5)
    candidate = workshop.suite(8, 3)
    removed = judge(baseline, candidate, SuitePolicy(removed=("b08",)))
    assert removed.exit_code is ExitCode.PASS
    assert "removed" in removed.benchmarks[-1].reason
    partial = judge(baseline, candidate, POLICY, options=JudgeOptions(not_selected=frozenset({"b08[d]"})))
    assert len(partial.benchmarks) == 8


def test_an_empty_suite_compares_nothing() -> None:
    assert judge({}, {}, POLICY).exit_code is ExitCode.NOTHING


def exact_pair(before: dict[str, float], after: dict[str, float]) -> tuple[Record, Record]:
    records = pair(4, ("latency", "cycles"))
    return (
        msgspec.structs.replace(records[0], exact=before),
        msgspec.structs.replace(records[1], exact=after),
    )


def test_an_exact_metric_that_was_not_measured_is_invalid() -> None:
    found = decide(*exact_pair({"cycles": 5.0}, {})).benchmarks[0]
    assert found.reason == "candidate: cycles was not measured"
    assert found.verdict is Verdict.INVALID


def test_an_exact_metric_that_varies_should_be_sampled() -> None:
    baseline, candidate = exact_pair({"cycles": 5.0}, {"cycles": 5.0})
    runs = [
        msgspec.structs.replace(run, samples={**run.samples, "cycles": (5.0 + number,)})
        for number, run in enumerate(candidate.runs)
    ]
    found = decide(baseline, msgspec.structs.replace(candidate, runs=tuple(runs))).benchmarks[0]
    assert found.verdict is Verdict.INVALID
    assert "declare it sampled" in found.reason


def test_exact_infinity_is_invalid() -> None:
    found = decide(*exact_pair({"cycles": 5.0}, {"cycles": float("inf")})).benchmarks[0]
    assert found.reason == "candidate: cycles is not a finite number"


def test_a_ruler_without_metrics_is_invalid() -> None:
    baseline, candidate = (ruler(record, metrics=()) for record in pair())
    assert decide(baseline, candidate).benchmarks[0].verdict is Verdict.INVALID


def test_too_few_samples_for_the_level_say_how_many_could() -> None:
    workshop = Workshop(5, samples=5)
    decision = judge(workshop.suite(60, 2), workshop.suite(60, 1), POLICY)
    assert decision.count(Verdict.UNCHANGED) > 0  # 10 v 5: 1 / comb(15, 5) = 3.3e-4
    more = judge(workshop.suite(200, 2), workshop.suite(200, 1), POLICY)
    assert more.count(Verdict.INCONCLUSIVE) == 200  # .05 / 200 = 2.5e-4 is out of reach
    assert "needs 8 samples per side" in more.benchmarks[0].reason  # 7 v 7 reaches 2.9e-4, 8 v 8 7.8e-5
