"""Known failures of performance gates, and the right answer to each.

The numbers are those of docs/KNOWN_FAILURES.md, which names for every row the tests that hold it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest

from perfgate.core.errors import ExitCode
from perfgate.core.metric import KNOWN_METRICS
from perfgate.core.verdict import Verdict
from perfgate.gate.decide import judge
from perfgate.gate.decision import Decision, JudgeOptions
from perfgate.gate.thresholds import PolicyRule, SuitePolicy
from perfgate.workflow.check import remarks
from tests.records import make_record

if TYPE_CHECKING:
    from perfgate.core.record import Record

GATE = JudgeOptions(seed=0)


def drawn(name: str, location: float, seed: int, *, runs: int = 5, samples: int = 20) -> Record:
    """A record of quiet runs around a location; 1 % inside a run, 0.5 % between runs."""
    rng = np.random.default_rng(seed)
    rows = [
        (
            location * np.exp(0.005 * rng.standard_normal()) * (1 + 0.01 * rng.standard_normal(samples))
        ).tolist()
        for _ in range(runs)
    ]
    return make_record(name, latencies=rows, exact={})


def suite(factors: dict[str, float], seed: int) -> dict[str, Record]:
    """Ten benchmarks at 10 ms, some of them slower by a factor."""
    names = [f"b{number}" for number in range(10)]
    records = [drawn(name, 0.01 * factors.get(name, 1.0), seed + number) for number, name in enumerate(names)]
    return {record.key: record for record in records}


def verdicts(decision: Decision) -> dict[str, Verdict]:
    return {item.benchmark: item.verdict for item in decision.benchmarks}


def timed(record: Record, **context: str) -> Record:
    return msgspec.structs.replace(record, backend="python", context=context)


BAD_VALUES = [float("nan"), 0.0, -1.0, float("inf")]


@pytest.mark.parametrize("value", BAD_VALUES)
@pytest.mark.parametrize("side", ["baseline", "candidate"])
def test_row_1_a_value_that_is_no_time_is_invalid(value: float, side: str) -> None:
    good = make_record("a", exact={})
    bad = make_record("a", latencies=[[value] * 5] * 5, exact={})
    pair = (bad, good) if side == "baseline" else (good, bad)
    decision = judge({"a[dev]": pair[0]}, {"a[dev]": pair[1]}, SuitePolicy(), options=GATE)
    assert verdicts(decision) == {"a": Verdict.INVALID}
    assert decision.exit_code in {ExitCode.NOTHING, ExitCode.UNUSABLE}
    assert side in decision.benchmarks[0].reason


@pytest.mark.parametrize(
    ("before", "now", "verdict"),
    [(0.0, 0.0, Verdict.UNCHANGED), (0.0, 3.0, Verdict.REGRESSED), (3.0, 0.0, Verdict.IMPROVED)],
)
def test_row_1_a_zero_of_an_exact_metric_gives_no_percentage(
    before: float, now: float, verdict: Verdict
) -> None:
    old, new = (make_record("a", exact={"copied_bytes": value}) for value in (before, now))
    decision = judge({"a[dev]": old}, {"a[dev]": new}, SuitePolicy(), options=GATE)
    row = next(item for item in decision.benchmarks[0].comparisons if item.metric.name == "copied_bytes")
    assert row.verdict is verdict
    if before == 0.0 and now:
        assert row.worse_by is None


def test_row_2_no_stored_name_matches() -> None:
    decision = judge(suite({}, 1), {"z[dev]": drawn("z", 0.01, 99)}, SuitePolicy(), options=GATE)
    found = verdicts(decision)
    assert found.pop("z") is Verdict.NEW
    assert set(found.values()) == {Verdict.MISSING}
    assert decision.exit_code is ExitCode.FAIL


def test_row_2_a_new_first_benchmark_does_not_stop_the_others() -> None:
    now = {"a[dev]": drawn("a", 0.01, 50)} | suite({"b3": 1.5}, 100)
    found = verdicts(judge(suite({}, 1), now, SuitePolicy(), options=GATE))
    assert found["a"] is Verdict.NEW
    assert found["b3"] is Verdict.REGRESSED
    assert found["b4"] is Verdict.UNCHANGED


def test_row_8_a_clock_that_jitters_is_no_other_machine() -> None:
    before = {key: timed(record, cpu_model="x", clock_mhz="3000") for key, record in suite({}, 1).items()}
    now = {key: timed(record, cpu_model="x", clock_mhz="3003") for key, record in suite({}, 100).items()}
    decision = judge(before, now, SuitePolicy(), options=GATE)
    assert set(verdicts(decision).values()) == {Verdict.UNCHANGED}


def test_row_8_another_processor_is_invalid_and_names_it() -> None:
    before = {key: timed(record, cpu_model="x") for key, record in suite({}, 1).items()}
    slower = suite({f"b{number}": 2.0 for number in range(10)}, 100)
    now = {key: timed(record, cpu_model="y") for key, record in slower.items()}
    decision = judge(before, now, SuitePolicy(), options=GATE)
    assert set(verdicts(decision).values()) == {Verdict.INVALID}
    assert decision.exit_code is ExitCode.UNUSABLE
    assert "cpu_model 'x' -> 'y'" in decision.benchmarks[0].reason


def test_row_8_a_suite_that_moved_as_a_whole_is_one_finding() -> None:
    slower = suite({f"b{number}": 1.2 for number in range(10)}, 100)
    decision = judge(suite({}, 1), slower, SuitePolicy(), options=GATE)
    assert "whole suite +" in decision.common_mode
    assert decision.exit_code is ExitCode.FAIL
    assert Verdict.REGRESSED not in verdicts(decision).values()


def test_row_10_a_twenty_times_faster_benchmark_is_asked_about() -> None:
    decision = judge(suite({}, 1), suite({"b3": 0.05}, 100), SuitePolicy(), options=GATE)
    assert verdicts(decision)["b3"] is Verdict.IMPROVED
    (line,) = remarks(decision.benchmarks, None, decision)
    assert "b3[dev]: latency is 20 times better: did it still do the work?" in line


def test_row_11_each_metric_is_judged_in_its_own_direction_with_its_own_threshold() -> None:
    def both(latency: float, rate: float, seed: int) -> Record:
        record = drawn("a", latency, seed)
        rates = drawn("a", rate, seed + 1000)
        runs = tuple(
            msgspec.structs.replace(run, samples=run.samples | {"throughput": other.samples["latency"]})
            for run, other in zip(record.runs, rates.runs, strict=True)
        )
        metrics = (KNOWN_METRICS["latency"], KNOWN_METRICS["throughput"])
        ruler = msgspec.structs.replace(record.ruler, metrics=metrics)
        return msgspec.structs.replace(record, runs=runs, ruler=ruler)

    policy = SuitePolicy(rules=(PolicyRule(metric="throughput", values={"min_effect": 0.5}),))
    before = {"a[dev]": both(0.01, 100.0, 1)}
    worse = judge(before, {"a[dev]": both(0.01, 50.0, 9)}, SuitePolicy(), options=GATE)
    rows = {row.metric.name: row.verdict for row in worse.benchmarks[0].comparisons}
    assert rows == {"latency": Verdict.UNCHANGED, "throughput": Verdict.REGRESSED}
    better = judge(before, {"a[dev]": both(0.01, 150.0, 9)}, SuitePolicy(), options=GATE)
    assert {row.metric.name: row.verdict for row in better.benchmarks[0].comparisons}[
        "throughput"
    ] is Verdict.IMPROVED
    tolerant = judge(before, {"a[dev]": both(0.01, 80.0, 9)}, policy, options=GATE)
    assert {row.metric.name: row.verdict for row in tolerant.benchmarks[0].comparisons}["throughput"] is not (
        Verdict.REGRESSED
    )


def test_row_13_one_sample_is_invalid_and_says_how_many_are_needed() -> None:
    one = make_record("a", latencies=[[0.01]] * 5, exact={})
    decision = judge({"a[dev]": one}, {"a[dev]": one}, SuitePolicy(), options=GATE)
    assert verdicts(decision) == {"a": Verdict.INVALID}
    assert "1 samples of latency; needs 5" in decision.benchmarks[0].reason


def test_row_13_a_thousand_equal_samples_are_unchanged_and_p_is_kept() -> None:
    same = make_record("a", latencies=[[0.01] * 1000] * 3, exact={})
    decision = judge({"a[dev]": same}, {"a[dev]": same}, SuitePolicy(), options=GATE)
    (row,) = decision.benchmarks[0].comparisons
    assert row.verdict is Verdict.UNCHANGED
    assert row.p_samples == 1.0


@pytest.mark.parametrize("key", ["samples", "warmup", "noise", "iterations"])
def test_row_19_another_protocol_is_changed_and_says_which(key: str) -> None:
    old = make_record("a")
    other = msgspec.structs.replace(old.ruler, protocol=old.ruler.protocol | {key: "7"})
    now = msgspec.structs.replace(old, ruler=other)
    decision = judge({"a[dev]": old}, {"a[dev]": now}, SuitePolicy(), options=GATE)
    assert verdicts(decision) == {"a": Verdict.CHANGED}
    assert f"protocol {key}" in decision.benchmarks[0].reason


def test_row_19_head_room_in_a_limit_does_not_hide_a_slow_down() -> None:
    from perfgate.gate.thresholds import Limit  # noqa: PLC0415 - only this row has a limit

    policy = SuitePolicy(rules=(PolicyRule(values={"limit": Limit(value=0.03)}),))  # three times the baseline
    decision = judge(suite({}, 1), suite({"b3": 2.3}, 100), policy, options=GATE)
    assert verdicts(decision)["b3"] is Verdict.REGRESSED
