"""trtexec --exportTimes: milliseconds of each query, both names of the copies."""

from __future__ import annotations

import pytest

from perfgate.formats.document import read_document
from perfgate.formats.trtexec import read
from tests.result_files import DATA, refusal, results_of, series_of


@pytest.mark.parametrize("name", ["trtexec_h2d.json", "trtexec_in.json"])
def test_each_query_is_a_sample(name: str) -> None:
    results = results_of(name)
    assert series_of(results, "trtexec").runs[0] == pytest.approx((2.75e-3, 2.8e-3, 2.7e-3, 2.76e-3, 2.74e-3))
    compute = series_of(results, "trtexec", "compute_time")
    assert compute.runs[0] == pytest.approx((2e-3, 2.05e-3, 1.95e-3, 2.01e-3, 1.99e-3))


def test_the_user_names_the_benchmark() -> None:
    document = read_document((DATA / "trtexec_in.json").read_bytes(), "x.bin", "resnet")
    assert {item.benchmark for item in read(document).series} == {"resnet"}


def test_a_query_without_its_time_is_refused_at_its_place() -> None:
    line = refusal("trtexec_in.json", '"latencyMs": 2.7,', "")
    assert "the member 'latencyMs' is missing: x.bin:/2: " in line
