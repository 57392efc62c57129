"""Any bytes as a result file: read, or refused in one line; never a traceback of ours."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfgate.core.errors import PerfgateError
from perfgate.formats.document import read_document
from perfgate.formats.registry import NAMES, reader, recognise
from perfgate.formats.series import Results
from perfgate.workflow.imported_record import Origin, imported_record
from tests.property.test_file_fuzz import mutated
from tests.result_files import DATA, FORMAT_OF

KEYS = (
    "benchmarks",
    "context",
    "version",
    "results",
    "result",
    "params",
    "samples",
    "command",
    "mean",
    "times",
    "iters",
    "full_id",
    "group_id",
    "name",
    "unit",
    "value",
    "stats",
    "data",
    "reason",
    "primaryMetric",
    "rawData",
    "rawDataHistogram",
    "scoreUnit",
    "entries",
    "tool",
    "benches",
    "latency",
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from([*KEYS, "ns", "s", ""]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=25,
)


def assert_one_line(problem: PerfgateError) -> None:
    assert "\n" not in problem.line


def read(data: bytes, format_name: str | None = None) -> Results | None:
    """The results, None for a refusal in one line."""
    try:
        document = read_document(data, "x.bin")
        name = recognise(document) if format_name is None else format_name
        if not document.rows and name not in {"go-test", "msprof", "mlperf", "github-action-benchmark"}:
            return None  # the import refuses it before the reader sees it
        results = reader(name).read(document)
        origin = Origin(tool=name, device="d", context=results.context)
        for benchmark in {item.benchmark for item in results.series}:
            series = [item for item in results.series if item.benchmark == benchmark]
            imported_record(origin, benchmark, [series])
    except PerfgateError as problem:
        assert_one_line(problem)
        return None
    return results


@pytest.mark.parametrize("name", sorted(FORMAT_OF))
def test_a_damaged_file_is_read_or_refused(name: str) -> None:
    data = (DATA / name).read_bytes()
    rng = random.Random(20261129)  # noqa: S311 - reproducible, not secret
    answers = [read(mutated(data, rng)) for _ in range(120)]
    assert None in answers  # damage is noticed
    assert {type(answer) for answer in answers} <= {Results, type(None)}


@pytest.mark.parametrize("name", sorted(FORMAT_OF))
def test_a_file_cut_off_anywhere_is_read_or_refused(name: str) -> None:
    data = (DATA / name).read_bytes()
    for end in range(0, len(data), max(1, len(data) // 60)):
        read(data[:end])
        read(data[:end], FORMAT_OF[name])


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    for name in (None, *NAMES):
        read(data, name)


@settings(max_examples=300, deadline=None)
@given(JSON)
def test_any_json_is_read_or_refused_by_every_format(value: object) -> None:
    data = json.dumps(value).encode()
    for name in (None, *NAMES):
        read(data, name)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(1e-9, 1e3), min_size=1, max_size=30))
def test_the_samples_of_a_file_arrive_as_they_are(times: list[float]) -> None:
    text = json.dumps({"results": [{"command": "a", "mean": 1.0, "times": times}]})
    results = read(text.encode())
    assert results is not None
    assert results.series[0].runs == (tuple(times),)
