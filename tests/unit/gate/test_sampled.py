"""The rule on arrays is the rule on records: what the acceptance table measures is what the gate does."""

from __future__ import annotations

import numpy as np
import pytest

from perfgate.core.verdict import Verdict
from perfgate.gate.cases import sampled_cases, suite_rule
from perfgate.gate.decide import judge
from perfgate.gate.decision import JudgeOptions
from perfgate.gate.pairing import pair_records
from perfgate.gate.sampled import SUSPICION_FACTOR, judge_sampled
from perfgate.gate.sampled_case import SuiteRule
from perfgate.gate.thresholds import SuitePolicy
from tests.benchmarks.staged_suite import DESIGNS, decide
from tests.noisy_records import Workshop

POLICY = SuitePolicy()


@pytest.mark.parametrize("seed", range(3))
def test_records_and_arrays_get_the_same_verdicts(seed: int) -> None:
    workshop = Workshop(seed)
    baseline = workshop.suite(20, 5)
    workshop.factors = {"b03[d]": 1.05, "b07[d]": 0.95, "b11[d]": 1.02}
    candidate = workshop.suite(20, 3)
    by_records = [item.verdict for item in judge(baseline, candidate, POLICY).benchmarks]
    arrays = [
        [[np.array(run.samples["latency"]) for run in record.runs] for record in side.values()]
        for side in (baseline, candidate)
    ]
    design = next(item for item in DESIGNS if item.name == "5v3")
    assert list(decide(arrays[0], arrays[1], design).verdicts) == by_records
    assert Verdict.REGRESSED in by_records


def test_outcomes_come_in_the_order_of_the_cases() -> None:
    workshop = Workshop(4, metrics=("throughput", "latency"))
    baseline = workshop.suite(6, 5)
    workshop.factors["b02[d]"] = 1.2
    pairs = pair_records(baseline, workshop.suite(6, 3), POLICY, JudgeOptions())
    cases = sampled_cases(pairs, POLICY)
    decision = judge_sampled(cases, suite_rule(pairs, POLICY, JudgeOptions()))
    red = {
        (case.key, case.metric.name)
        for case, outcome in zip(cases, decision.outcomes, strict=True)
        if outcome.verdict is Verdict.REGRESSED
    }
    assert red == {("b02[d]", "latency"), ("b02[d]", "throughput")}
    named = [decision.grounds[number].cases[row].key for number, row in decision.places]
    assert named == [case.key for case in cases]


def test_no_cases_are_no_decision() -> None:
    assert judge_sampled([], SuiteRule()).outcomes == ()


def test_a_suspicion_is_cheaper_than_a_verdict() -> None:
    # at the limit between both levels a case is suspect, and without fresh runs never more than that
    assert SUSPICION_FACTOR > 1
    workshop = Workshop(5)
    baseline = workshop.suite(12, 5)
    workshop.factors["b03[d]"] = 1.5
    decision = judge(baseline, workshop.suite(12, 2), POLICY)
    assert decision.count(Verdict.REGRESSED) == 0
