"""Parameters of zoo models that do not fit are refused with the place of the benchmark."""

from __future__ import annotations

import pytest

from perfgate.core.errors import UsageError
from perfgate.measure.benchmark import Benchmark
from perfgate.measure.model_source import read_model


@pytest.mark.parametrize("batch", ["--5", "many", "-"])
def test_a_parameter_that_is_no_number_is_refused(batch: str) -> None:
    benchmark = Benchmark(
        name="a",
        device="d",
        backend="simulated",
        model="zoo:resnet50",
        place="perf_a.yaml:3:5",
        runs=1,
        samples=1,
        noise="quiet",
        metrics=(),
        parameters={"batch": batch},
    )

    def read(path: str, **_: object) -> bytes:
        raise AssertionError(path)

    with pytest.raises(UsageError, match=r"perf_a\.yaml:3:5"):
        read_model(benchmark, read)
