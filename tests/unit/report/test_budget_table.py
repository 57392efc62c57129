"""The matrix of five rows as one table."""

from __future__ import annotations

from perfgate.guardrails.budget import Measurement, evaluate_budgets
from perfgate.report.budget_table import budget_table
from tests.guard_facts import rules

MATRIX = """\
rules:
  - id: system
    targets_matrix:
      - {metric: latency.p99, max: 50ms, warn_band: 8%}
      - {metric: throughput, min: 30fps, warn_band: 8%}
      - {metric: gpu_utilisation, min: ">80%", warn_band: 8%}
      - {metric: peak_memory, max: "<4GB", warn_band: 8%}
      - {metric: power, max: "<75W", warn_band: 8%}
      - {metric: cycles, max: 5}
"""
NOW = {
    "p99_latency": 0.048,
    "throughput": 28.0,
    "gpu_utilisation": 75.0,
    "peak_memory": 3.2 * 1024**3,
    "power": 82.0,
}


def test_table_shows_target_value_share_and_status() -> None:
    outcomes = evaluate_budgets(rules(MATRIX), [Measurement(benchmark="b", device="d", values=NOW)])
    lines = [line.split() for line in budget_table(outcomes).splitlines()[2:]]
    assert lines == [
        ["b[d]", "p99_latency", "<=50ms", "48.0", "ms", "-", "pass"],
        ["b[d]", "throughput", ">=30fps", "28.0", "1/s", "6.67", "%", "warn"],
        ["b[d]", "gpu_utilisation", ">80%", "75.0", "%", "6.25", "%", "warn"],
        ["b[d]", "peak_memory", "<4GB", "3.20", "GiB", "-", "pass"],
        ["b[d]", "power", "<75W", "82.0", "W", "9.33", "%", "fail"],
        ["b[d]", "cycles", "<=5", "-", "-", "unknown"],
    ]


def test_no_budgets_give_no_table() -> None:
    assert budget_table(()) == ""
