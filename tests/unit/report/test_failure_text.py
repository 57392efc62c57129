"""A broken budget is said once: in the headline, or in a line of its own below a change that got worse."""

from __future__ import annotations

from perfgate.core.metric import KNOWN_METRICS
from perfgate.core.verdict import BenchmarkVerdict, Comparison, Verdict
from perfgate.report.failure_text import failure_text

BUDGET = "over budget: latency 51.0 ms > 40.0 ms (perfgate.yaml:3:5)"


def red(reason: str, worse_by: float) -> BenchmarkVerdict:
    row = Comparison(
        metric=KNOWN_METRICS["latency"],
        verdict=Verdict.REGRESSED,
        reason=reason,
        baseline=0.050,
        now=0.051,
        worse_by=worse_by,
        is_over_budget=True,
    )
    return BenchmarkVerdict(
        benchmark="b",
        device="dev",
        verdict=Verdict.REGRESSED,
        reason=reason,
        is_failure=True,
        comparisons=(row,),
    )


def test_a_budget_broken_by_a_slow_down_has_a_line_of_its_own() -> None:
    text = failure_text(red(f"latency 50.0 ms -> 51.0 ms, +2.0 %; {BUDGET}", 0.02), None)
    assert text.startswith("regressed: latency +2.0 %")
    assert text.count("over budget") == 1
    assert BUDGET in text


def test_a_budget_broken_without_a_change_is_the_headline_and_not_repeated() -> None:
    text = failure_text(red(BUDGET, 0.0), None)
    assert text.startswith("over budget: latency 51.0 ms > 40.0 ms on dev")
    assert text.count("over budget") == 1
