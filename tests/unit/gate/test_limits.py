"""Budgets: a value over its limit fails whatever the baseline was, and only when it is over for sure."""

from __future__ import annotations

import math

import msgspec
import pytest

from perfgate.core.errors import ExitCode
from perfgate.core.metric import KNOWN_METRICS
from perfgate.core.verdict import Verdict
from perfgate.gate.decide import judge
from perfgate.gate.decision import JudgeOptions
from perfgate.gate.limits import near_budget, over_budget
from perfgate.gate.thresholds import Limit, PolicyRule, SuitePolicy, Waiver
from tests.noisy_records import Workshop


def limited(value: float, metric: str = "latency") -> SuitePolicy:
    return SuitePolicy(
        rules=(PolicyRule(metric=metric, values={"limit": Limit(value=value)}, origin="perfgate.yaml:9"),)
    )


@pytest.mark.parametrize(
    ("metric", "limit", "value", "answer"),
    [
        ("latency", 0.050, 0.048, "near"),  # the efficiency matrix: P99 50 / 48 ms, warn from 90 %
        ("latency", 0.050, 0.044, "fine"),
        ("latency", 0.050, 0.051, "over"),
        ("throughput", 30.0, 28.0, "over"),
        ("throughput", 30.0, 31.0, "near"),
        ("throughput", 30.0, 40.0, "fine"),
    ],
)
def test_a_limit_is_a_ceiling_or_a_floor(metric: str, limit: float, value: float, answer: str) -> None:
    budget, direction = Limit(value=limit), KNOWN_METRICS[metric].direction
    assert over_budget(budget, direction, value) is (answer == "over")
    assert near_budget(budget, direction, value) is (answer != "fine")


def test_unchanged_but_over_budget_is_red() -> None:
    workshop = Workshop(1)
    baseline = workshop.suite(9, 5)
    decision = judge(baseline, workshop.suite(9, 3), limited(0.9e-3))
    assert decision.exit_code is ExitCode.FAIL
    found = decision.benchmarks[0]
    assert found.verdict is Verdict.REGRESSED
    assert found.reason.startswith("over budget: latency ")
    assert "> 900 us (perfgate.yaml:9)" in found.reason
    assert found.comparisons[0].is_over_budget


def test_within_noise_of_the_budget_is_a_warning() -> None:
    workshop = Workshop(1)
    baseline = workshop.suite(9, 5)
    # p25 of N(1, .01) ms lies at .9933 ms, its run-level interval is about +-.8 %
    decision = judge(baseline, workshop.suite(9, 3), limited(0.992e-3))
    assert decision.exit_code is ExitCode.PASS
    warned = [item for item in decision.benchmarks if item.is_warning]
    assert warned
    assert any("may be over its budget" in note for item in warned for note in item.comparisons[0].notes)


def test_a_floor_for_a_rate() -> None:
    workshop = Workshop(2, metrics=("throughput",))
    baseline = workshop.suite(9, 5)
    assert judge(baseline, workshop.suite(9, 3), limited(1200.0, "throughput")).exit_code is ExitCode.FAIL
    assert judge(baseline, workshop.suite(9, 3), limited(500.0, "throughput")).exit_code is ExitCode.PASS


def test_a_new_benchmark_has_to_keep_its_budget_too() -> None:
    workshop = Workshop(3)
    candidate = workshop.suite(2, 3)
    decision = judge({}, candidate, limited(0.9e-3))
    assert [item.verdict for item in decision.benchmarks] == [Verdict.NEW, Verdict.NEW]
    assert decision.exit_code is ExitCode.FAIL
    assert "over budget" in decision.benchmarks[0].reason
    assert judge({}, candidate, limited(1.2e-3)).exit_code is ExitCode.NOTHING


def test_one_new_run_cannot_be_over_budget_for_sure() -> None:
    decision = judge({}, Workshop(3).suite(1, 1), limited(0.5e-3))
    assert decision.benchmarks[0].is_warning


@pytest.mark.parametrize("values", [(math.nan,) * 6, (1e-3,), ()])
def test_a_new_benchmark_whose_budget_cannot_be_judged_is_invalid(values: tuple[float, ...]) -> None:
    record = Workshop(3).record("b", 1)
    run = msgspec.structs.replace(record.runs[0], samples={"latency": values})
    record = msgspec.structs.replace(record, runs=(run,))
    judged = judge({}, {record.key: record}, limited(1.0)).benchmarks[0]
    assert (judged.verdict, judged.is_failure) == (Verdict.INVALID, True)
    assert judge({}, {record.key: record}, SuitePolicy()).benchmarks[0].verdict is Verdict.NEW


def test_exact_budgets_need_no_interval() -> None:
    workshop = Workshop(4)
    record = workshop.record("b", 5)
    ruler = msgspec.structs.replace(record.ruler, metrics=(KNOWN_METRICS["peak_memory"],))
    record = msgspec.structs.replace(record, ruler=ruler, exact={"peak_memory": 300.0})
    decision = judge({record.key: record}, {record.key: record}, limited(256.0, "peak_memory"))
    assert decision.benchmarks[0].verdict is Verdict.REGRESSED
    assert judge({}, {record.key: record}, limited(256.0, "peak_memory")).exit_code is ExitCode.FAIL
    near = judge({record.key: record}, {record.key: record}, limited(310.0, "peak_memory"))
    assert near.benchmarks[0].is_warning


def test_regressed_and_over_budget_says_both() -> None:
    workshop = Workshop(5)
    baseline = workshop.suite(9, 5)
    workshop.factors["b00[d]"] = 1.2
    found = judge(baseline, workshop.suite(9, 3), limited(1.1e-3)).benchmarks[0]
    change, budget = found.reason.split("; ")
    assert change.startswith("latency 9")
    assert " -> 1.2" in change
    assert budget.startswith("over budget: latency 1.2")


def test_one_run_against_one_cannot_be_over_budget_for_sure() -> None:
    workshop = Workshop(6)
    decision = judge(workshop.suite(9, 1), workshop.suite(9, 1), limited(0.5e-3))
    assert decision.exit_code is ExitCode.PASS
    assert all("may be over its budget" in item.comparisons[0].notes[-1] for item in decision.benchmarks)


def test_broken_or_unlimited_metrics_of_a_new_benchmark_are_no_finding() -> None:
    workshop = Workshop(7, metrics=("latency", "throughput"))
    record = workshop.record("b", 3)
    few = tuple(msgspec.structs.replace(run, samples={"latency": (1.0,)}) for run in record.runs)
    broken = msgspec.structs.replace(record, runs=few)
    decision = judge({}, {record.key: broken}, limited(1e-9))
    assert decision.exit_code is ExitCode.NOTHING
    assert "over budget" not in decision.benchmarks[0].reason


def test_a_waiver_never_covers_a_broken_budget() -> None:
    workshop = Workshop(1)
    baseline = workshop.suite(9, 5)
    waiver = Waiver(up_to=9.0, owner="@a", reason="r", expires="2027-01-01")
    options = JudgeOptions(waivers={("b00", "latency"): waiver})
    decision = judge(baseline, workshop.suite(9, 3), limited(0.9e-3), options=options)
    assert decision.benchmarks[0].is_failure
