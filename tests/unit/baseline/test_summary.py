"""Numbers of a record for people, by hand."""

from __future__ import annotations

import msgspec
import pytest

from perfgate.baseline.summary import tracing_overhead
from perfgate.core.machine import TRACED
from perfgate.core.metric import KNOWN_METRICS
from perfgate.core.verdict import Verdict
from perfgate.gate.decide import judge
from perfgate.gate.decision import JudgeOptions
from perfgate.gate.thresholds import SuitePolicy
from perfgate.report.record_table import record_lines
from tests.records import make_record

LATENCIES = ((1.0, 1.01, 0.99, 1.02, 1.0), (1.0, 1.02, 0.98, 1.01, 1.0)) * 3  # median 1.0


def test_overhead_is_the_traced_call_less_the_untraced_one_over_the_untraced_one() -> None:
    record = msgspec.structs.replace(make_record("a", latencies=LATENCIES), context={TRACED: "1.2"})
    assert tracing_overhead(record) == pytest.approx(0.2)
    assert "tracing overhead: a[dev] +20.0 % (the samples are untraced)" in record_lines({"a": record}, {})


@pytest.mark.parametrize("context", [{}, {TRACED: ""}, {TRACED: "soon"}])
def test_what_was_not_traced_on_a_clock_has_no_overhead(context: dict[str, str]) -> None:
    record = msgspec.structs.replace(make_record("a", latencies=LATENCIES), context=context)
    assert tracing_overhead(record) is None
    assert not any("overhead" in line for line in record_lines({"a": record}, {}))


def test_without_samples_there_is_nothing_to_compare_with() -> None:
    record = msgspec.structs.replace(make_record("a", latencies=()), context={TRACED: "1.2"})
    assert KNOWN_METRICS["latency"] in record.ruler.metrics
    assert tracing_overhead(record) is None


def test_a_tracer_that_became_slower_by_a_fifth_changes_no_verdict() -> None:
    before, now = (
        msgspec.structs.replace(make_record("a", latencies=LATENCIES), context={TRACED: text})
        for text in ("1.0", "1.2")
    )
    decision = judge({"a[dev]": before}, {"a[dev]": now}, SuitePolicy(), options=JudgeOptions(seed=0))
    assert [item.verdict for item in decision.benchmarks] == [Verdict.UNCHANGED]
