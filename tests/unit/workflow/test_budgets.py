from __future__ import annotations

import pytest

from perfgate.core.verdict import BenchmarkVerdict, Verdict
from perfgate.guardrails.budget import Status
from perfgate.guardrails.load import load_rules
from perfgate.guardrails.rule import RuleSource
from perfgate.report.failure_text import failure_text, headline
from perfgate.workflow.budgets import budget_rows, unfitting, with_budgets
from tests.records import make_benchmark, make_record

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


GHOST = "rules: [{id: b, budget: {metric: latency, max: 33ms, benchmark: ghost}}]\n"


@pytest.mark.parametrize(
    ("settings", "is_red"),
    [("", False), ("settings: {unresolved: error}\n", True), ("settings: {fail_on: warn}\n", True)],
)
def test_a_budget_that_fits_no_benchmark_is_said_and_red_where_the_rules_ask_for_it(
    settings: str, *, is_red: bool
) -> None:
    rules = load_rules([RuleSource(path="guardrails.yaml", text=f"{settings}{GHOST}".encode())])
    benchmarks = [make_benchmark("a", "dev"), make_benchmark("b", "dev")]
    (line,), found_red = unfitting(rules, benchmarks)
    assert "no benchmark is a ghost[*], so nobody judges its latency <=33ms" in line
    assert line.startswith("guardrails.yaml:")
    assert found_red is is_red
    (row,) = budget_rows(rules, {"a[dev]": make_record("a")}, benchmarks)
    assert (row.benchmark, row.status) == ("ghost", Status.UNKNOWN)


def test_a_budget_of_a_benchmark_that_was_not_selected_fits() -> None:
    rules = load_rules(
        [
            RuleSource(
                path="guardrails.yaml",
                text=b"rules: [{id: b, budget: {metric: latency, max: 33ms, benchmark: b}}]\n",
            )
        ]
    )
    benchmarks = [make_benchmark("a", "dev"), make_benchmark("b", "dev")]
    assert unfitting(rules, benchmarks) == ((), False)
    assert budget_rows(rules, {"a[dev]": make_record("a")}, benchmarks) == ()
