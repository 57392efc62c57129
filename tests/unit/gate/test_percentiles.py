"""Percentiles, not means: a tail that got worse is caught while the location stays, and the text says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest

from perfgate.core.errors import ExitCode
from perfgate.core.metric import Direction, Kind, Metric
from perfgate.core.verdict import Verdict
from perfgate.gate.decide import judge
from perfgate.gate.thresholds import SuitePolicy
from tests.noisy_records import Workshop

if TYPE_CHECKING:
    from perfgate.core.record import Record

POLICY = SuitePolicy()
SLOW = "b03[d]"
SAMPLES = 400


def suites(runs: int, samples: int = SAMPLES) -> tuple[dict[str, Record], dict[str, Record]]:
    workshop = Workshop(1, samples=samples, metrics=("latency", "p99_latency"))
    return workshop.suite(10, 5), workshop.suite(10, runs)


def with_tail(record: Record, share: float, factor: float) -> Record:
    """Some requests take longer, the others less, so that the mean stays."""
    random = np.random.default_rng(2)
    runs = []
    for run in record.runs:
        values = np.array(run.samples["latency"])
        hit = np.zeros(values.size, bool)
        hit[random.choice(values.size, int(share * values.size), replace=False)] = True
        mean = values.mean()
        values[hit] *= factor
        values[~hit] -= (values.mean() - mean) * values.size / (~hit).sum()
        runs.append(msgspec.structs.replace(run, samples={"latency": tuple(values.tolist())}))
    return msgspec.structs.replace(record, runs=tuple(runs))


def test_p99_five_times_worse_with_the_same_mean_is_regressed() -> None:
    baseline, candidate = suites(3)
    candidate[SLOW] = with_tail(candidate[SLOW], 0.02, 5.0)
    before = np.mean([run.samples["latency"] for run in baseline[SLOW].runs])
    after = np.mean([run.samples["latency"] for run in candidate[SLOW].runs])
    assert after == pytest.approx(before, rel=0.01)
    decision = judge(baseline, candidate, POLICY)
    found = next(item for item in decision.benchmarks if item.key == SLOW)
    assert found.verdict is Verdict.REGRESSED
    assert found.reason.startswith("regressed (P99): p99_latency 1.02 ms -> ")
    assert ", while latency itself is " in found.reason
    assert decision.exit_code is ExitCode.FAIL
    location, tail = found.comparisons
    assert location.verdict is not Verdict.REGRESSED
    assert tail.worse_by is not None
    assert tail.worse_by == pytest.approx(3.7, abs=0.4)  # five times the location, against 1.02 of it


def test_unchanged_tails_are_not_flagged() -> None:
    baseline, candidate = suites(3)
    decision = judge(baseline, candidate, POLICY)
    assert decision.count(Verdict.REGRESSED) == 0


def test_too_few_samples_are_inconclusive_and_name_the_number() -> None:
    baseline, candidate = suites(3, samples=20)
    decision = judge(baseline, candidate, POLICY)
    tail = decision.benchmarks[0].comparisons[1]
    assert tail.verdict is Verdict.INCONCLUSIVE
    assert "P99 needs 550 samples per side" in tail.reason
    assert any("too few samples for the other bound" in note for note in tail.notes)


def test_the_percentile_is_shown_with_its_interval() -> None:
    baseline, candidate = suites(3)
    tail = judge(baseline, candidate, POLICY).benchmarks[0].comparisons[1]
    assert any(note.startswith("P99 now 1.0") and ".." in note for note in tail.notes)
    assert "min effect 5 % (default)" in tail.threshold


def test_p10_of_a_rate_is_the_tail_of_its_cost() -> None:
    metric = Metric(
        name="p10_throughput", unit="1/s", direction=Direction.HIGHER, kind=Kind.SAMPLED, quantile=0.10
    )
    workshop = Workshop(5, samples=200, metrics=("throughput",))
    sides = []
    for runs in (5, 3):
        side = workshop.suite(9, runs)
        for key, record in side.items():
            ruler = msgspec.structs.replace(record.ruler, metrics=(metric,))
            side[key] = msgspec.structs.replace(record, ruler=ruler)
        sides.append(side)
    baseline, candidate = sides
    slowed = []
    for run in candidate[SLOW].runs:
        values = np.array(run.samples["throughput"])
        values[:40] *= 0.7  # a fifth of the requests at 70 % of the rate
        slowed.append(msgspec.structs.replace(run, samples={"throughput": tuple(values.tolist())}))
    candidate[SLOW] = msgspec.structs.replace(candidate[SLOW], runs=tuple(slowed))
    found = next(item for item in judge(baseline, candidate, POLICY).benchmarks if item.key == SLOW)
    assert found.verdict is Verdict.REGRESSED
    assert found.comparisons[0].worse_by == pytest.approx(0.3, abs=0.03)
