"""What the decision says: plans, guards and hosts in words."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from perfgate.core.metric import KNOWN_METRICS
from perfgate.core.record import Record, Run
from perfgate.core.verdict import Comparison, Verdict
from perfgate.gate.decide import judge
from perfgate.gate.decision import JudgeOptions
from perfgate.gate.thresholds import PolicyRule, SuitePolicy, Suspicion
from perfgate.gate.wording import change_text, further_text, metric_label, worse_share
from tests.noisy_records import Workshop

POLICY = SuitePolicy()


def with_runs(record: Record, values: np.ndarray) -> Record:
    """Runs from a (runs, samples) table."""
    runs = tuple(
        Run(id=number, seed=0, samples={"latency": tuple(row.tolist())}) for number, row in enumerate(values)
    )
    return msgspec.structs.replace(record, runs=runs)


def suite(table: np.ndarray) -> dict[str, Record]:
    """Benchmarks from a (benchmarks, runs, samples) table."""
    records = [with_runs(Workshop(0).record(f"b{place:02d}", 0), rows) for place, rows in enumerate(table)]
    return {record.key: record for record in records}


def test_a_drifting_host_is_named() -> None:
    random = np.random.default_rng(1)
    walk = np.cumsum(0.01 * random.standard_normal((40, 8, 1)), axis=1)
    samples = np.exp(walk + 0.002 * random.standard_normal((40, 8, 20)))
    decision = judge(suite(samples[:, :5]), suite(samples[:, 5:]), POLICY)
    assert any("this host drifts" in note for note in decision.notes)
    assert "this host drifts: record the baseline again, or compare interleaved" in (
        decision.benchmarks[0].comparisons[0].notes
    )


def test_more_modes_than_runs_allow_are_named() -> None:
    random = np.random.default_rng(2)
    modes = np.where(random.random((40, 6, 1)) < 0.5, 1.04, 1.0)
    samples = modes * (1 + 0.002 * random.standard_normal((40, 6, 20)))
    few = SuitePolicy(rules=(PolicyRule(values={"max_runs": 3, "suspect": Suspicion.EITHER}),))
    decision = judge(
        suite(samples[:, :5]), suite(samples[:, 5:]), few, options=JudgeOptions(fresh_allowed=True)
    )
    assert decision.wanted == ()
    texts = [item.reason for item in decision.benchmarks if "have modes" in item.reason]
    assert texts
    assert all("3 are allowed" in text for text in texts)


def test_a_percentile_below_every_rank_cannot_be_bounded() -> None:
    metric = msgspec.structs.replace(KNOWN_METRICS["p50_latency"], name="p1_latency", quantile=0.01)
    records = []
    for runs in (5, 3):
        record = Workshop(3).record("b", runs)
        ruler = msgspec.structs.replace(record.ruler, metrics=(metric,))
        records.append({record.key: msgspec.structs.replace(record, ruler=ruler)})
    comparison = judge(records[0], records[1], POLICY).benchmarks[0].comparisons[0]
    assert comparison.notes == ("P1 cannot be bounded with so few samples",)


@pytest.mark.parametrize("quantile", [0.0, 1.0, 7.0, -0.5])
def test_a_quantile_outside_its_range_is_invalid(quantile: float) -> None:
    metric = msgspec.structs.replace(KNOWN_METRICS["p99_latency"], quantile=quantile)
    record = Workshop(3).record("b", 3)
    record = msgspec.structs.replace(record, ruler=msgspec.structs.replace(record.ruler, metrics=(metric,)))
    found = judge({record.key: record}, {record.key: record}, POLICY).benchmarks[0]
    assert found.verdict is Verdict.INVALID
    assert "not between 0 and 1" in found.reason


def test_plans_in_words() -> None:
    assert further_text((4, None)) == "about 4 more candidate runs would settle it"
    assert further_text((None, 7)) == "no number of runs up to 20 would settle it; 7 more baseline runs would"
    assert further_text((None, None)).endswith("nor would more baseline runs")


def test_what_has_no_change_shows_none() -> None:
    broken = Comparison(metric=KNOWN_METRICS["latency"], verdict=Verdict.INVALID, reason="NaN")
    assert change_text(broken) == ""


def test_shares_and_labels() -> None:
    # 100 -> 90 fps: a tenth is lost; costs rise by log(100 / 90)
    assert worse_share(np.log(100 / 90), -1) == pytest.approx(0.10)
    assert worse_share(np.log(1.1), 1) == pytest.approx(0.10)
    assert metric_label(KNOWN_METRICS["p99_latency"]) == "P99"
    assert metric_label(KNOWN_METRICS["latency"]) == "latency"


def test_noise_that_hides_everything_names_a_plan() -> None:
    random = np.random.default_rng(4)
    samples = np.exp(0.05 * random.standard_normal((20, 8, 1)) + 0.01 * random.standard_normal((20, 8, 20)))
    decision = judge(suite(samples[:, :5]), suite(samples[:, 5:]), POLICY)
    texts = [item.reason for item in decision.benchmarks if item.verdict is Verdict.INCONCLUSIVE]
    assert texts
    assert all("would settle it" in text or "more baseline runs would" in text for text in texts)
    assert any("sees +" in text for text in texts)
