from __future__ import annotations

import pytest

from perfgate.core.verdict import BenchmarkVerdict, Verdict
from perfgate.guardrails.load import load_rules
from perfgate.guardrails.rule import RuleSource
from perfgate.report.failure_text import failure_text, headline
from perfgate.workflow.budgets import with_budgets
from tests.records import make_record

UNCHANGED = BenchmarkVerdict(
    benchmark="a", device="dev", verdict=Verdict.UNCHANGED, reason="within 3 %", is_failure=False
)


@pytest.mark.parametrize(("latency", "is_red"), [(0.033, False), (0.034, True)])
def test_the_frame_budget_fails_at_34_ms_and_passes_at_33_ms(latency: float, *, is_red: bool) -> None:
    rules = load_rules([RuleSource(path="guardrails.yaml", text=b"latency: <=33ms\n")])
    record = make_record("a", latencies=[[latency] * 5] * 3)
    (judged,), is_broken = with_budgets([UNCHANGED], rules, {"a[dev]": record})
    assert (judged.is_failure, is_broken) == (is_red, is_red)
    assert judged.verdict is Verdict.UNCHANGED
    if is_red:
        assert headline(judged).startswith("over budget: a[dev]: latency is 34.0 ms, must be <=33ms")
        assert "over budget" in failure_text(judged, None)


def test_a_budget_that_warns_makes_nothing_red() -> None:
    rules = load_rules([RuleSource(path="guardrails.yaml", text=b"latency: <=33ms warn 10%\n")])
    record = make_record("a", latencies=[[0.034] * 5] * 3)
    (judged,), is_broken = with_budgets([UNCHANGED], rules, {"a[dev]": record})
    assert (judged.is_failure, judged.is_warning, is_broken) == (False, True, False)


def test_a_metric_that_was_not_measured_is_said_and_never_met() -> None:
    rules = load_rules([RuleSource(path="guardrails.yaml", text=b"energy_j: <=1J\n")])
    (judged,), _ = with_budgets([UNCHANGED], rules, {"a[dev]": make_record("a")})
    assert judged.is_warning
    assert "energy_j was not measured" in judged.notes[0]
