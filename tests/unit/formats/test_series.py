"""What a reader keeps and what it leaves out."""

from __future__ import annotations

import pytest

from perfgate.core.errors import UnusableError
from perfgate.core.metric import KNOWN_METRICS, Metric
from perfgate.formats.series import Collection, Series, Status
from tests.result_files import left_out

LATENCY = KNOWN_METRICS["latency"]
COUNT = Metric(name="allocations", unit="count")


def test_a_benchmark_with_one_failed_metric_is_left_out_whole() -> None:
    found = Collection("f")
    found.add(Series(benchmark="a", metric=COUNT, runs=((1.0,),)))
    found.add(Series(benchmark="a", metric=LATENCY, runs=((1.0, -1.0),)))
    results = found.results("tool")
    assert results.series == ()
    assert left_out(results) == {"failed": ["a"]}


def test_zero_is_a_count_but_no_time() -> None:
    found = Collection("f")
    found.add(Series(benchmark="a", metric=COUNT, runs=((0.0,),)))
    found.add(Series(benchmark="b", metric=LATENCY, runs=((0.0,),)))
    results = found.results("tool")
    assert [item.benchmark for item in results.series] == ["a"]
    assert results.left_out[0].reason == "a latency of 0 s is no measurement"


def test_no_samples_are_a_failure() -> None:
    found = Collection("f")
    found.add(Series(benchmark="a", metric=LATENCY, runs=((),)))
    assert found.results("tool").left_out[0].reason == "no samples of latency"


@pytest.mark.parametrize("name", ["", "  "])
def test_a_benchmark_without_a_name_is_refused(name: str) -> None:
    with pytest.raises(UnusableError, match="a benchmark without a name"):
        Collection("f").add(Series(benchmark=name, metric=LATENCY, runs=((1.0,),)))


def test_a_foreign_reason_is_one_short_line() -> None:
    found = Collection("f")
    found.leave_out("a", Status.FAILED, "one\n" + "x" * 500)
    reason = found.results("tool").left_out[0].reason
    assert "\n" not in reason
    assert len(reason) == 200
