"""Records that are given: those of no suite, selection, and what may not become a baseline."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from perfgate.core.errors import NothingMeasuredError
from perfgate.measure.suite import load_suite
from perfgate.workflow.given import outside_suites, refuse_unusable, select_beside
from perfgate.workflow.options import GateOptions
from tests.records import make_record

SUITE = b"version: 1\nbenchmarks:\n  - {name: a, model: m.onnx, devices: [dev]}\n"
BENCHMARKS = load_suite(SUITE, "perf_a.yaml")
RECORDS = {
    record.key: record for record in (make_record("a"), make_record("b"), make_record("b", device="x"))
}
FOLDER = Path("given")


def options(*devices: str) -> GateOptions:
    return GateOptions(root=Path(), devices=devices)


def test_records_of_no_suite_are_those_that_the_filters_leave() -> None:
    assert set(outside_suites(RECORDS, BENCHMARKS, "", options())) == {"b[dev]", "b[x]"}
    assert set(outside_suites(RECORDS, BENCHMARKS, "B[D", options())) == {"b[dev]"}
    assert set(outside_suites(RECORDS, BENCHMARKS, "", options("x"))) == {"b[x]"}


def test_no_benchmark_of_a_suite_has_to_be_left_beside_given_records() -> None:
    outside = {"b[dev]": RECORDS["b[dev]"]}
    assert select_beside(BENCHMARKS, outside, "b[dev]", options()) == ()
    assert [item.key for item in select_beside(BENCHMARKS, outside, "", options())] == ["a[dev]"]
    assert select_beside((), outside, "", options()) == ()
    with pytest.raises(NothingMeasuredError, match="no benchmark matches"):
        select_beside(BENCHMARKS, {}, "b[dev]", options())


def test_a_record_with_too_few_samples_or_none_at_all_may_not_be_a_baseline() -> None:
    refuse_unusable(RECORDS, FOLDER)
    short = make_record("a", latencies=((1.0, 1.0),))
    with pytest.raises(NothingMeasuredError, match=r"a\[dev\] cannot be a baseline, .*2 samples of latency"):
        refuse_unusable({short.key: short}, FOLDER)
    with pytest.raises(NothingMeasuredError, match="no record is of a selected benchmark"):
        refuse_unusable({}, FOLDER)


def test_an_exact_metric_needs_no_samples() -> None:
    record = make_record("a")
    ruler = msgspec.structs.replace(record.ruler, metrics=record.ruler.metrics[1:])
    refuse_unusable({"a[dev]": msgspec.structs.replace(record, ruler=ruler, runs=())}, FOLDER)
