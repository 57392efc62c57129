"""Exact metrics: every example of STATISTICS section 9."""

from __future__ import annotations

import pytest

from perfgate.core.metric import KNOWN_METRICS, Direction, Metric
from perfgate.core.verdict import Verdict
from perfgate.gate.exact import compare_exact
from perfgate.gate.thresholds import MetricPolicy, PolicyRule, SuitePolicy

CYCLES, MEMORY = KNOWN_METRICS["cycles"], KNOWN_METRICS["peak_memory"]
FRAMES = Metric(name="frames", unit="1/s", direction=Direction.HIGHER)
MIB = 1 << 20


@pytest.mark.parametrize(
    ("metric", "before", "after", "policy", "verdict"),
    [
        (CYCLES, 1000, 1004, {}, Verdict.UNCHANGED),  # +.4 %
        (CYCLES, 1000, 1006, {}, Verdict.REGRESSED),  # +.6 %
        (CYCLES, 1000, 994, {}, Verdict.IMPROVED),
        (CYCLES, 0, 1, {}, Verdict.REGRESSED),
        (CYCLES, 0, 1, {"absolute": 1.0}, Verdict.UNCHANGED),
        (CYCLES, 0, 0, {}, Verdict.UNCHANGED),
        (FRAMES, 90, 80, {}, Verdict.REGRESSED),
        (FRAMES, 80, 90, {}, Verdict.IMPROVED),
        (CYCLES, 80, 90, {"direction": Direction.HIGHER}, Verdict.IMPROVED),
        (MEMORY, MIB, MIB + 4000, {"absolute": 4096.0, "relative": 0.0}, Verdict.UNCHANGED),
        (MEMORY, MIB, MIB + 5000, {"absolute": 4096.0, "relative": 0.0}, Verdict.REGRESSED),
        (CYCLES, -100, -90, {}, Verdict.REGRESSED),
    ],
)
def test_examples_of_the_design(
    metric: Metric, before: float, after: float, policy: dict[str, object], verdict: Verdict
) -> None:
    thresholds = SuitePolicy(rules=(PolicyRule(values=policy),)).for_metric("b", metric.name)
    assert compare_exact(metric, before, after, thresholds).verdict is verdict


def test_a_small_difference_is_shown_though_unchanged() -> None:
    comparison = compare_exact(CYCLES, 1000, 1004, MetricPolicy())
    assert comparison.worse_by == pytest.approx(0.004)
    assert "0.4 % worse" in comparison.reason


def test_from_zero_there_is_no_percentage_and_no_infinity() -> None:
    comparison = compare_exact(KNOWN_METRICS["kernel_count"], 0, 3, MetricPolicy())
    assert comparison.worse_by is None
    assert comparison.reason == "kernel_count 0 -> 3 (new, cannot be put in percent)"
    assert compare_exact(CYCLES, 0, 0, MetricPolicy()).worse_by == 0


def test_worse_for_a_rate_is_the_lost_share() -> None:
    # 90 -> 80 loses 10 of 90
    assert compare_exact(FRAMES, 90, 80, MetricPolicy()).worse_by == pytest.approx(10 / 90)


def test_large_integers_are_compared_as_integers() -> None:
    before = 2**60
    assert compare_exact(CYCLES, before, before + 1, MetricPolicy(relative=0.0)).verdict is Verdict.REGRESSED


def test_huge_ratios_stay_finite() -> None:
    assert compare_exact(CYCLES, 1e-300, 1e300, MetricPolicy()).worse_by is None
