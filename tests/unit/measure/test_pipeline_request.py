from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfgate.backends.protocol import Request
from perfgate.core.errors import UsageError
from perfgate.graph.loading import load
from perfgate.measure.pipeline_request import with_stages
from perfgate.measure.suite import load_suite

if TYPE_CHECKING:
    from perfgate.backends.protocol import StageRequest

SUITE = """\
version: 1
benchmarks:
  - name: p
    devices: [orin-like]
    compile: {flags: {--precision_mode: force_fp32}}
    pipeline:
      period: 33 ms
      stages:
        - {name: a, resource: device, model: 'zoo:resnet50', preset: tiny, MORE}
        - {name: b, resource: device, model: 'onnx:light_resnet50', after: a}
"""


def request(more: str = "batch: 2") -> Request:
    (item,) = load_suite(SUITE.replace("MORE", more).encode(), "perf_p.yaml")
    assert item.pipeline is not None

    def no_file(path: str, **_: object) -> bytes:
        raise AssertionError(path)

    return with_stages(Request(benchmark="p", device="orin-like"), item, item.pipeline, no_file)


def leading(stage: StageRequest, batch: int) -> int:
    graph = load(stage.of_batch(batch).model, name="m")
    return graph.tensors[graph.inputs[0]].shape[0]


def test_models_of_the_zoo_are_built_for_a_batch() -> None:
    stage = request().stages["a"]
    assert (leading(stage, 1), leading(stage, 3)) == (1, 3)


def test_a_model_with_a_fixed_batch_is_refused_where_it_stands() -> None:
    with pytest.raises(UsageError, match=r"has a fixed batch: perf_p\.yaml:10"):
        request().stages["b"].of_batch(2)


def test_flags_of_a_stage_are_named_after_it_and_place_with_their_own() -> None:
    found = request("compile: {flags: {--precision_mode: force_fp16}}")
    assert [(item.name, item.value) for item in found.compile] == [("a: --precision_mode", "force_fp16")]


def test_the_model_of_a_pipeline_tells_sets_of_models_apart() -> None:
    assert request().model == request().model
    assert request().model != request("parameters: {size: 64}").model
    assert request().model.decode().split()[::2] == ["a", "b"]
