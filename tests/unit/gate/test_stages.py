"""The loop of the stages: fresh runs, controls, and what a later judge can see of them."""

from __future__ import annotations

import msgspec
import numpy as np

from perfgate.core.errors import ExitCode
from perfgate.core.verdict import Verdict
from perfgate.gate.decide import judge
from perfgate.gate.decision import JudgeOptions
from perfgate.gate.stages import decide_in_stages
from perfgate.gate.thresholds import SuitePolicy
from tests.noisy_records import Workshop

POLICY = SuitePolicy()
SLOW = "b03[d]"


def test_a_suspect_is_confirmed_by_fresh_runs_with_sixteen_controls() -> None:
    workshop = Workshop(1)
    baseline = workshop.suite(30, 5)
    workshop.factors[SLOW] = 1.08
    decision = decide_in_stages(baseline, workshop.suite(30, 1), POLICY, workshop.take)
    found = next(item for item in decision.benchmarks if item.key == SLOW)
    assert found.verdict is Verdict.REGRESSED
    assert found.comparisons[0].candidate_runs == 3
    assert decision.wanted == ()
    assert [request.key for request in workshop.asked if not request.is_control] == [SLOW]
    assert sum(request.is_control for request in workshop.asked) == 16
    assert all(request.runs == 2 for request in workshop.asked)
    assert {len(runs) for runs in decision.fresh.values()} == {2}
    assert all(run.is_fresh for runs in decision.fresh.values() for run in runs)


def test_an_unlucky_run_is_cleared_by_fresh_runs() -> None:
    workshop = Workshop(2)
    baseline = workshop.suite(30, 5)
    workshop.factors[SLOW] = 1.3
    candidate = workshop.suite(30, 1)
    workshop.factors.clear()  # the spike was the run's, not the code's
    decision = decide_in_stages(baseline, candidate, POLICY, workshop.take)
    assert decision.exit_code is ExitCode.PASS
    assert decision.count(Verdict.REGRESSED) == 0


def test_a_later_judge_of_the_merged_records_says_the_same() -> None:
    workshop = Workshop(3)
    baseline = workshop.suite(30, 5)
    workshop.factors[SLOW] = 1.08
    candidate = workshop.suite(30, 1)
    decision = decide_in_stages(baseline, candidate, POLICY, workshop.take)
    merged = {
        key: msgspec.structs.replace(record, runs=record.runs + decision.fresh.get(key, ()))
        for key, record in candidate.items()
    }
    again = judge(baseline, merged, POLICY)
    assert again.benchmarks == decision.benchmarks
    assert again.evidence == decision.evidence


def test_the_fresh_runs_common_mode_comes_from_the_controls() -> None:
    workshop = Workshop(4)
    baseline = workshop.suite(30, 5)
    # more suspects than controls, all slower by the same factor: a median over everybody would hide them
    slow = [f"b{number:02d}[d]" for number in range(13)]
    workshop.factors.update(dict.fromkeys(slow, 1.08))
    decision = decide_in_stages(baseline, workshop.suite(30, 1), POLICY, workshop.take)
    assert {item.key for item in decision.benchmarks if item.verdict is Verdict.REGRESSED} == set(slow)


def test_a_slower_host_during_the_fresh_runs_is_taken_off() -> None:
    workshop = Workshop(5)
    baseline = workshop.suite(30, 5)
    workshop.factors[SLOW] = 1.3
    candidate = workshop.suite(30, 1)
    workshop.factors = {f"b{number:02d}[d]": 1.2 for number in range(30)}  # the host, not the code
    decision = decide_in_stages(baseline, candidate, POLICY, workshop.take)
    assert decision.count(Verdict.REGRESSED) == 0


def test_without_a_way_to_take_runs_the_suspect_stays_inconclusive() -> None:
    workshop = Workshop(6)
    baseline = workshop.suite(30, 5)
    workshop.factors[SLOW] = 1.08
    decision = decide_in_stages(baseline, workshop.suite(30, 1), POLICY, None)
    found = next(item for item in decision.benchmarks if item.key == SLOW)
    assert found.verdict is Verdict.INCONCLUSIVE
    assert found.reason.startswith("latency looks ")
    assert decision.wanted == ()


def test_runs_that_could_not_be_taken_leave_the_question_open() -> None:
    workshop = Workshop(7)
    baseline = workshop.suite(30, 5)
    workshop.factors[SLOW] = 1.08
    decision = decide_in_stages(baseline, workshop.suite(30, 1), POLICY, lambda _: {})
    found = next(item for item in decision.benchmarks if item.key == SLOW)
    assert found.verdict is Verdict.INCONCLUSIVE
    assert decision.fresh == {}


def test_improvements_ask_for_runs_only_where_runs_are_free_or_wished_for() -> None:
    workshop = Workshop(18)
    baseline = workshop.suite(30, 5)
    workshop.factors[SLOW] = 0.9
    candidate = workshop.suite(30, 1)
    asked = {
        name: judge(baseline, candidate, POLICY, options=options).wanted
        for name, options in {
            "plain": JudgeOptions(fresh_allowed=True),
            "wished": JudgeOptions(fresh_allowed=True, confirm_improvements=True),
            "free": JudgeOptions(fresh_allowed=True, runs_are_free=True),
        }.items()
    }
    assert asked["plain"] == ()
    assert asked["wished"][0].key == SLOW
    assert SLOW in {request.key for request in asked["free"] if not request.is_control}
    decision = decide_in_stages(
        baseline, candidate, POLICY, workshop.take, options=JudgeOptions(confirm_improvements=True)
    )
    assert next(item for item in decision.benchmarks if item.key == SLOW).verdict is Verdict.IMPROVED


def test_modes_raise_the_number_of_runs_that_a_suspect_needs() -> None:
    workshop = Workshop(9)
    quiet = np.random.default_rng(9)
    baseline = workshop.suite(40, 0)
    candidate = workshop.suite(40, 0)
    for side, runs in ((baseline, 5), (candidate, 1)):
        for key, record in side.items():
            drawn = []
            for number in range(runs):
                mode = 1.04 if quiet.random() < 0.3 else 1.0
                values = 1e-3 * mode * (1 + 0.002 * quiet.standard_normal(20))
                run = workshop.run(key, number)
                drawn.append(msgspec.structs.replace(run, samples={"latency": tuple(values.tolist())}))
            side[key] = msgspec.structs.replace(record, runs=tuple(drawn))
    decision = judge(baseline, candidate, POLICY, options=JudgeOptions(fresh_allowed=True))
    assert any("have runs in two modes" in note for note in decision.notes)
    suspects = [request for request in decision.wanted if not request.is_control]
    assert suspects
    # m pi (1-q)^5 q^C <= .05 needs more than three runs for pi near .8, q near .3, m = 40
    assert all(request.runs + 1 > 3 for request in suspects)
