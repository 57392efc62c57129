"""The decision on whole suites of records."""

from __future__ import annotations

import msgspec
import pytest

from perfgate.core.errors import ExitCode
from perfgate.core.metric import KNOWN_METRICS, Direction
from perfgate.core.record import Record, Run
from perfgate.core.verdict import BenchmarkVerdict, Verdict
from perfgate.gate.decide import judge
from perfgate.gate.decision import Decision, JudgeOptions
from perfgate.gate.thresholds import (
    Answer,
    Level,
    Method,
    MetricPolicy,
    PolicyRule,
    SuitePolicy,
    Suspicion,
    Waiver,
)
from tests.noisy_records import Workshop

Suite = dict[str, Record]
POLICY = SuitePolicy()
SLOW = "b03[d]"


def verdict_of(decision: Decision, key: str = SLOW) -> BenchmarkVerdict:
    return next(item for item in decision.benchmarks if item.key == key)


def slowed(factor: float, *, size: int = 12, runs: int = 3, seed: int = 1) -> tuple[Suite, Suite]:
    workshop = Workshop(seed)
    baseline = workshop.suite(size, 5)
    workshop.factors[SLOW] = factor
    return baseline, workshop.suite(size, runs)


def policy(**values: object) -> SuitePolicy:
    return SuitePolicy(rules=(PolicyRule(values=values, origin="perfgate.yaml:3"),))


def test_a_slower_benchmark_is_regressed_and_the_others_are_unchanged() -> None:
    decision = judge(*slowed(1.06), POLICY)
    assert verdict_of(decision).verdict is Verdict.REGRESSED
    assert decision.count(Verdict.UNCHANGED) == 11
    assert decision.exit_code is ExitCode.FAIL
    comparison = verdict_of(decision).comparisons[0]
    assert comparison.worse_by == pytest.approx(0.06, abs=0.015)  # run spread .5 %, 5 v 3 runs: se .4 %
    assert comparison.low is not None
    assert comparison.high is not None
    assert comparison.low < 0.06 < comparison.high


def test_a_faster_benchmark_is_improved() -> None:
    decision = judge(*slowed(1 / 1.06), POLICY)
    assert verdict_of(decision).verdict is Verdict.IMPROVED
    assert decision.exit_code is ExitCode.PASS


def test_unchanged_code_passes() -> None:
    decision = judge(*slowed(1.0), POLICY)
    assert decision.count(Verdict.UNCHANGED) == 12
    assert decision.exit_code is ExitCode.PASS
    assert decision.reasons == ()


def test_one_candidate_run_is_never_a_verdict() -> None:
    baseline, candidate = slowed(1.5, runs=1)
    decision = judge(baseline, candidate, POLICY)
    found = verdict_of(decision)
    assert found.verdict is Verdict.INCONCLUSIVE
    assert "needs 2 more runs" in found.reason
    assert decision.wanted == ()
    asking = judge(baseline, candidate, POLICY, options=JudgeOptions(fresh_allowed=True))
    suspects = [request for request in asking.wanted if not request.is_control]
    assert [(request.key, request.runs) for request in suspects] == [(SLOW, 2)]
    # suite of 12: the 11 others are the controls, fewer than the sixteen of section 5
    assert sum(request.is_control for request in asking.wanted) == 11


def test_runs_that_overlap_are_inconclusive_and_say_so() -> None:
    baseline, candidate = slowed(1.06)
    record = candidate[SLOW]
    unlucky = msgspec.structs.replace(record.runs[0], samples=baseline[SLOW].runs[0].samples)
    candidate[SLOW] = msgspec.structs.replace(record, runs=(unlucky, *record.runs[1:]))
    found = verdict_of(judge(baseline, candidate, policy(suspect=Suspicion.EITHER)))
    assert found.verdict is Verdict.INCONCLUSIVE
    assert "lie among the baseline runs" in found.reason


def test_throughput_is_judged_in_its_own_direction() -> None:
    workshop = Workshop(2, metrics=("throughput",))
    baseline = workshop.suite(12, 5)
    workshop.factors[SLOW] = 1 / 0.9  # latency up, so throughput down to 90 %
    comparison = verdict_of(judge(baseline, workshop.suite(12, 3), POLICY)).comparisons[0]
    assert comparison.verdict is Verdict.REGRESSED
    assert comparison.worse_by == pytest.approx(0.10, abs=0.015)
    assert comparison.baseline is not None
    assert comparison.now is not None
    assert comparison.now < comparison.baseline


def test_the_policy_can_turn_a_direction_around() -> None:
    turned = policy(direction=Direction.HIGHER)
    assert verdict_of(judge(*slowed(1.06), turned)).verdict is Verdict.IMPROVED


def test_one_file_with_two_directions_judges_each_in_its_own() -> None:
    workshop = Workshop(3, metrics=("latency", "throughput"))
    baseline = workshop.suite(12, 5)
    workshop.factors[SLOW] = 1.08
    comparisons = verdict_of(judge(baseline, workshop.suite(12, 3), POLICY)).comparisons
    assert [item.verdict for item in comparisons] == [Verdict.REGRESSED, Verdict.REGRESSED]


def test_identical_values_are_unchanged_without_a_division_by_zero() -> None:
    record = Workshop(4).record("b", 0)
    same = tuple(Run(id=number, seed=0, samples={"latency": (2.0,) * 5}) for number in range(3))
    record = msgspec.structs.replace(record, runs=same)
    decision = judge({record.key: record}, {record.key: record}, POLICY)
    comparison = decision.benchmarks[0].comparisons[0]
    assert comparison.verdict is Verdict.UNCHANGED
    assert (comparison.worse_by, comparison.low, comparison.high) == (0.0, 0.0, 0.0)


def test_constant_but_different_values_are_decided_by_the_floor() -> None:
    # STATISTICS section 1: 78.8 five times against 82.0 five times
    before = Workshop(4).record("b", 0)
    runs = [
        tuple(Run(id=number, seed=0, samples={"latency": (value,) * 5}) for number in range(5))
        for value in (78.8, 82.0)
    ]
    records = [msgspec.structs.replace(before, runs=side) for side in runs]
    decision = judge({before.key: records[0]}, {before.key: records[1]}, POLICY)
    assert decision.benchmarks[0].verdict is Verdict.REGRESSED


def test_one_baseline_run_warns_only() -> None:
    workshop = Workshop(5)
    baseline = workshop.suite(12, 1)
    workshop.factors[SLOW] = 1.5
    decision = judge(baseline, workshop.suite(12, 3), POLICY)
    found = verdict_of(decision)
    assert found.verdict is Verdict.INCONCLUSIVE
    assert "unreplicated baseline" in found.reason
    assert found.is_warning
    assert decision.exit_code is ExitCode.PASS
    assert any("one run only" in note for note in decision.notes)


def test_a_thin_baseline_is_marked() -> None:
    workshop = Workshop(6)
    baseline = workshop.suite(12, 3)
    decision = judge(baseline, workshop.suite(12, 3), POLICY)
    assert all("thin baseline" in item.comparisons[0].notes[0] for item in decision.benchmarks)


def test_uneven_runs_and_samples_are_compared() -> None:
    workshop = Workshop(7)
    baseline = workshop.suite(12, 5)
    candidate = workshop.suite(12, 3)
    workshop.samples = 33
    baseline["b01[d]"] = workshop.record("b01", 7)
    candidate["b02[d]"] = workshop.record("b02", 6)
    decision = judge(baseline, candidate, POLICY)
    assert decision.exit_code is ExitCode.PASS
    assert verdict_of(decision, "b01[d]").comparisons[0].baseline_runs == 7
    assert verdict_of(decision, "b02[d]").comparisons[0].candidate_runs == 6


def test_a_suite_of_one_is_judged() -> None:
    baseline, candidate = slowed(1.5)
    decision = judge({SLOW: baseline[SLOW]}, {SLOW: candidate[SLOW]}, POLICY)
    assert decision.benchmarks[0].verdict is Verdict.REGRESSED


def test_metrics_that_are_shown_only_take_no_part() -> None:
    shown = policy(is_gated=False)
    decision = judge(*slowed(1.5), shown)
    assert verdict_of(decision).comparisons[0].verdict is Verdict.REGRESSED
    assert verdict_of(decision).reason == "no metric is gated"
    assert decision.exit_code is ExitCode.PASS


@pytest.mark.parametrize(("level", "code"), [(Level.WARN, ExitCode.PASS), (Level.BLOCK, ExitCode.FAIL)])
def test_levels_answer_a_regression(level: Level, code: ExitCode) -> None:
    decision = judge(*slowed(1.06), policy(level=level))
    assert verdict_of(decision).verdict is Verdict.REGRESSED
    assert decision.exit_code is code


@pytest.mark.parametrize(
    ("answer", "code"),
    [(Answer.PASS, ExitCode.PASS), (Answer.WARN, ExitCode.PASS), (Answer.FAIL, ExitCode.INCONCLUSIVE)],
)
def test_inconclusive_answers_as_the_policy_says(answer: Answer, code: ExitCode) -> None:
    decision = judge(*slowed(1.5, runs=1), policy(on_inconclusive=answer))
    assert decision.exit_code is code
    assert verdict_of(decision).is_warning == (answer is Answer.WARN)


def waiver(up_to: float) -> Waiver:
    return Waiver(up_to=up_to, owner="@a", reason="safety checker", expires="2027-01-31")


@pytest.mark.parametrize("name", ["b03", SLOW])
def test_a_waiver_turns_a_failure_into_a_warning(name: str) -> None:
    options = JudgeOptions(waivers={(name, "latency"): waiver(0.15)})
    decision = judge(*slowed(1.06), POLICY, options=options)
    found = verdict_of(decision)
    assert found.verdict is Verdict.REGRESSED
    assert (found.is_failure, found.is_warning) == (False, True)
    assert "waived by @a until 2027-01-31: safety checker" in found.reason
    assert decision.exit_code is ExitCode.PASS
    assert decision.used_waivers == ((name, "latency"),)


def test_a_waiver_covers_no_more_than_it_says() -> None:
    options = JudgeOptions(waivers={(SLOW, "latency"): waiver(0.03), ("b01", "latency"): waiver(0.5)})
    decision = judge(*slowed(1.06), POLICY, options=options)
    assert decision.exit_code is ExitCode.FAIL
    assert decision.used_waivers == ()


def test_each_threshold_names_the_rule_that_set_it() -> None:
    comparison = verdict_of(judge(*slowed(1.06), policy(min_effect=0.02))).comparisons[0]
    assert comparison.threshold == "min effect 2 % (perfgate.yaml:3), equivalence 3 % (default)"


def test_a_larger_smallest_effect_silences_a_small_change() -> None:
    found = verdict_of(judge(*slowed(1.04), policy(min_effect=0.10)))
    assert found.verdict is not Verdict.REGRESSED


def test_the_permutation_method_finds_the_same_change() -> None:
    decision = judge(*slowed(1.06), policy(method=Method.PERMUTATION))
    assert verdict_of(decision).verdict is Verdict.REGRESSED
    baseline, candidate = slowed(1.06, runs=2)
    fallen_back = judge(baseline, candidate, policy(method=Method.PERMUTATION))
    assert any("used the t test" in note for note in fallen_back.notes)


def test_order_of_the_suite_does_not_matter() -> None:
    baseline, candidate = slowed(1.06)
    forward = judge(baseline, candidate, POLICY)
    backward = judge(dict(reversed(baseline.items())), dict(reversed(candidate.items())), POLICY)
    assert forward == backward


def test_a_clock_coarser_than_the_smallest_effect_is_inconclusive() -> None:
    baseline, candidate = slowed(1.06)
    for side in (baseline, candidate):
        side[SLOW] = msgspec.structs.replace(side[SLOW], context={"timer_resolution": "2e-5"})
    found = verdict_of(judge(baseline, candidate, POLICY))
    assert found.verdict is Verdict.INCONCLUSIVE
    assert "the clock's step of 20.0 us is coarser" in found.reason  # 2 % of 1 ms, smallest effect 1 %


def test_a_suspicion_by_one_test_is_enough_where_runs_are_free() -> None:
    baseline, candidate = slowed(1.02, runs=1, seed=11)
    counts = {
        free: len(
            judge(
                baseline, candidate, POLICY, options=JudgeOptions(fresh_allowed=True, runs_are_free=free)
            ).wanted
        )
        for free in (False, True)
    }
    assert counts[True] >= counts[False]
    simulated = {
        key: msgspec.structs.replace(record, backend="simulated") for key, record in candidate.items()
    }
    before = {key: msgspec.structs.replace(record, backend="simulated") for key, record in baseline.items()}
    by_default = judge(before, simulated, POLICY, options=JudgeOptions(fresh_allowed=True))
    assert len(by_default.wanted) == counts[True]
    strict = judge(
        before, simulated, policy(suspect=Suspicion.BOTH), options=JudgeOptions(fresh_allowed=True)
    )
    assert len(strict.wanted) == counts[False]


def test_defaults_are_those_of_the_design() -> None:
    # STATISTICS section 10
    defaults = MetricPolicy()
    assert (defaults.alpha, defaults.min_effect, defaults.equivalence) == (0.05, 0.01, 0.03)
    assert (defaults.max_runs, defaults.bootstrap_veto, defaults.relative) == (9, True, 0.005)
    tails = [defaults.effect(KNOWN_METRICS[name]) for name in ("p50_latency", "p95_latency", "p99_latency")]
    assert tails == [0.01, 0.03, 0.05]


def trending(change: float) -> Decision:
    """One benchmark gets 2 % slower from run to run, whatever the code; the candidate changes it besides."""
    workshop = Workshop(21, samples=100)
    sides = [workshop.suite(12, 0), workshop.suite(12, 0)]
    for side, (first, runs) in zip(sides, ((0, 5), (5, 5)), strict=True):
        for key, record in side.items():
            drawn = []
            for number in range(first, first + runs):
                workshop.factors[key] = 1.02**number if key == SLOW else 1.0
                workshop.factors[key] *= change if first and key == SLOW else 1.0
                drawn.append(workshop.run(key, number))
            side[key] = msgspec.structs.replace(record, runs=tuple(drawn))
    return judge(sides[0], sides[1], policy(suspect=Suspicion.EITHER))


def test_a_benchmark_that_trends_by_itself_is_not_called_regressed() -> None:
    found = verdict_of(trending(1.0))
    assert found.verdict is Verdict.INCONCLUSIVE
    assert "its baseline runs already trend this way" in found.reason


def test_a_change_far_beyond_the_trend_is() -> None:
    # the trend foretells 2 % x 5 runs; half as slow again is more than that
    assert verdict_of(trending(1.5)).verdict is Verdict.REGRESSED
