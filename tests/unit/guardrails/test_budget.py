"""Budgets: the frame budget at its edge, the matrix of five rows, bands, strict signs and missing values."""

from __future__ import annotations

import pytest

from perfgate.core.metric import KNOWN_METRICS
from perfgate.core.record import Hotspot, ProfileSummary, Record, Ruler, Subject
from perfgate.guardrails.budget import BudgetOutcome, Measurement, evaluate_budgets, measurement_of
from perfgate.guardrails.metric_finding import budget_findings
from perfgate.guardrails.rule import Settings
from tests.guard_facts import rules

GB = 1024**3


def measured(**values: float) -> Measurement:
    return Measurement(benchmark="segment", device="orin-like", values=values)


def statuses(text: str, measurement: Measurement) -> list[str]:
    return [str(outcome.status) for outcome in evaluate_budgets(rules(text), [measurement])]


def only(text: str, measurement: Measurement) -> BudgetOutcome:
    (outcome,) = evaluate_budgets(rules(text), [measurement])
    return outcome


@pytest.mark.parametrize(
    ("milliseconds", "status"), [(33, "pass"), (34, "fail"), (33.000001, "fail"), (16, "pass")]
)
def test_frame_budget_of_33_ms(milliseconds: float, status: str) -> None:
    assert statuses("latency: <=33ms", measured(latency=milliseconds / 1000)) == [status]


def test_33_ms_computed_from_picoseconds_meets_the_budget() -> None:
    assert statuses("latency: <=33ms", measured(latency=33_000_000_000 * 1e-12)) == ["pass"]


MATRIX = """\
rules:
  - id: system
    targets_matrix:
      - {metric: latency.p99, max: 50ms, warn_band: BAND}
      - {metric: throughput, min: 30fps, warn_band: BAND}
      - {metric: gpu_utilisation, min: ">80%", warn_band: BAND}
      - {metric: peak_memory, max: "<4GB", warn_band: BAND}
      - {metric: power, max: "<75W", warn_band: BAND}
"""
NOW = measured(p99_latency=0.048, throughput=28, gpu_utilisation=75, peak_memory=3.2 * GB, power=82)


@pytest.mark.parametrize("band", ["8%", "6.67%", "9.3%"])
def test_the_matrix_gives_pass_warn_warn_pass_fail(band: str) -> None:
    assert statuses(MATRIX.replace("BAND", band), NOW) == ["pass", "warn", "warn", "pass", "fail"]


@pytest.mark.parametrize(("band", "third"), [("6.2%", "fail"), ("0%", "fail"), ("6.25%", "warn")])
def test_a_band_counts_to_its_edge(band: str, third: str) -> None:
    # utilisation misses by (80 - 75) / 80 = 6.25 %
    assert statuses(MATRIX.replace("BAND", band), NOW)[2] == third


def test_shares_missed_by_the_matrix() -> None:
    outcomes = evaluate_budgets(rules(MATRIX.replace("BAND", "8%")), [NOW])
    # two of thirty frames, five of eighty percent, seven of 75 watts
    assert [outcome.missed_by for outcome in outcomes] == [
        None,
        pytest.approx(2 / 30),
        pytest.approx(0.0625),
        None,
        pytest.approx(7 / 75),
    ]


@pytest.mark.parametrize(
    ("text", "status"), [("power: <75W", "fail"), ("power: <75W warn 5%", "warn"), ("power: max 75W", "pass")]
)
def test_equality_on_a_strict_sign_is_a_miss_by_nothing(text: str, status: str) -> None:
    outcome = only(text, measured(power=75))
    assert outcome.status == status
    assert outcome.missed_by == (None if status == "pass" else 0.0)


@pytest.mark.parametrize("values", [{}, {"latency": float("nan")}])
def test_metric_that_was_not_measured_is_unknown(values: dict[str, float]) -> None:
    outcome = only("latency: <=33ms", measured(**values))
    assert outcome.status == "unknown"
    (finding,) = budget_findings([outcome], Settings())
    assert (str(finding.answer), str(finding.severity)) == ("unknown", "warn")


def test_globs_choose_benchmark_and_device() -> None:
    row = "rules: [{id: b, budget: {metric: latency, max: 1ms, benchmark: 'seg*', device: 'a100*'}}]"
    assert statuses(row, measured(latency=1)) == []
    chosen = Measurement(benchmark="segment", device="a100-like", values={"latency": 1.0})
    assert statuses(row, chosen) == ["fail"]


def test_operator_budget_judges_each_operator_of_the_profile_and_warns_by_default() -> None:
    text = "rules: [{id: b, budget: {metric: latency, max: 2ms, op: 'Conv*'}}]"
    measurement = Measurement(
        benchmark="b", device="d", values={}, operators={"Conv_1": 0.003, "Conv_2": 0.001, "Gemm_1": 0.9}
    )
    outcomes = evaluate_budgets(rules(text), [measurement])
    assert [(o.operator, str(o.status), str(o.severity)) for o in outcomes] == [
        ("Conv_1", "fail", "warn"),
        ("Conv_2", "pass", "None"),
    ]
    assert [str(o.status) for o in evaluate_budgets(rules(text), [measured(latency=1)])] == ["unknown"]


def test_finding_says_value_target_and_share() -> None:
    outcomes = evaluate_budgets(rules("latency: <=33ms"), [measured(latency=0.034)])
    (finding,) = budget_findings(outcomes, Settings())
    # (34 - 33) / 33 = 3.03 %
    assert finding.message == "segment[orin-like]: latency is 34.0 ms, must be <=33ms, missed by 3.03 %"
    assert (finding.rule, str(finding.severity)) == ("latency/budget/max", "error")


def test_record_gives_exact_values_locations_and_operators() -> None:
    spot = Hotspot(number=1, name="Conv_1", op="Conv", scope="", total_ps=2_000_000_000)
    record = Record(
        benchmark="b",
        device="d",
        backend="simulated",
        ruler=Ruler(inputs={}, metrics=(KNOWN_METRICS["latency"], KNOWN_METRICS["cycles"]), protocol={}),
        subject=Subject(model="m", model_digest=""),
        runs=(),
        exact={"cycles": 7.0},
        profile=ProfileSummary(total_ps=10, operators=(spot,)),
    )
    measurement = measurement_of(record, lambda _record, name: 0.5 if name == "latency" else None)
    assert measurement.values == {"cycles": 7.0, "latency": 0.5}
    assert measurement.operators is not None
    assert measurement.operators["Conv_1"] == pytest.approx(0.002)


def test_bytes_are_shown_in_the_powers_that_limits_are_counted_in() -> None:
    outcomes = evaluate_budgets(rules("peak_memory: <4GB"), [measured(peak_memory=4.5 * GB)])
    (finding,) = budget_findings(outcomes, Settings())
    # half of four is an eighth of it: 12.5 %
    assert finding.message.endswith("peak_memory is 4.50 GiB, must be <4GB, missed by 12.50 %")


def test_operator_budget_that_fits_no_operator_is_unknown() -> None:
    text = "rules: [{id: b, budget: {metric: latency, max: 2ms, op: 'Convv*'}}]"
    measurement = Measurement(benchmark="b", device="d", values={}, operators={"Conv_1": 0.003})
    outcomes = evaluate_budgets(rules(text), [measurement])
    assert [(o.operator, str(o.status)) for o in outcomes] == [("Convv*", "unknown")]
