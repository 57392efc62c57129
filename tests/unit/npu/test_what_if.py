"""What-if rows: every knob answers by a new simulation, and moves as physics says."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from perfgate import zoo
from perfgate.compiler.config import CompileConfig
from perfgate.compiler.runtime import RuntimeConfig
from perfgate.core.errors import UsageError
from perfgate.graph import load
from perfgate.npu.device_file import load_device
from perfgate.npu.what_if import LIMITS, Subject, WhatIfRow, what_if

if TYPE_CHECKING:
    from perfgate.graph.ir import Graph


def graph(batch: int) -> Graph:
    return load(zoo.build("sd_unet", "poster", batch=batch).SerializeToString(), name="unet")


@cache
def rows(device: str) -> dict[str, list[WhatIfRow]]:
    subject = Subject(
        graph=graph(1),
        config=CompileConfig(layout="NHWC"),
        runtime=RuntimeConfig(),
        device=load_device(device),
        load=graph,
    )
    found: dict[str, list[WhatIfRow]] = {}
    for row in what_if(subject):
        found.setdefault(row.knob, []).append(row)
    return found


@pytest.mark.parametrize("device", ["ascend-310p-like", "a100-like"])
def test_every_row_names_the_limit_with_the_largest_share(device: str) -> None:
    for row in (row for group in rows(device).values() for row in group):
        assert sum(row.shares) == pytest.approx(1)
        assert row.shares[LIMITS.index(row.limit)] == max(row.shares)


def test_the_knobs_are_batch_precision_fusion_cores_and_streams() -> None:
    assert list(rows("ascend-310p-like")) == ["as it is", "batch", "precision", "fusion", "cores", "streams"]


@pytest.mark.parametrize("device", ["ascend-310p-like", "a100-like"])
def test_more_cores_are_faster_until_memory_and_launches_bind(device: str) -> None:
    cores = rows(device)["cores"]
    times = [row.total_ps for row in cores]
    assert times == sorted(times, reverse=True)
    # Doubling the cores at most halves the time, and arithmetic loses share with every step.
    assert all(after * 2 >= before for before, after in pairwise(times))
    shares = [row.shares[0] for row in cores]
    assert shares == sorted(shares, reverse=True)


@pytest.mark.parametrize("device", ["ascend-310p-like", "a100-like"])
def test_a_smaller_type_is_faster(device: str) -> None:
    times = {row.value: row.total_ps for row in rows(device)["precision"]}
    assert times["int8"] < times["fp16"] < times["fp32"]


@pytest.mark.parametrize("device", ["ascend-310p-like", "a100-like"])
def test_without_fusion_there_is_more_movement_and_more_launches(device: str) -> None:
    on, off = rows(device)["fusion"]
    assert off.total_ps > on.total_ps
    assert off.shares[1] * off.total_ps > on.shares[1] * on.total_ps
    assert off.shares[3] * off.total_ps > on.shares[3] * on.total_ps


@pytest.mark.parametrize("device", ["ascend-310p-like", "a100-like"])
def test_a_larger_batch_spreads_the_launches(device: str) -> None:
    batches = rows(device)["batch"]
    launches = [row.shares[3] for row in batches]
    assert launches == sorted(launches, reverse=True)
    assert batches[1].inference_ps < batches[0].inference_ps


def test_the_subject_itself_gains_nothing() -> None:
    first = rows("a100-like")["as it is"][0]
    assert first.gain == 1.0
    assert rows("a100-like")["batch"][0].total_ps == first.total_ps


def test_a_batch_that_cannot_be_loaded_is_refused_with_the_reason() -> None:
    def fail(batch: int) -> Graph:
        raise UsageError(f"batch {batch} is fixed", "model", "export it with a dynamic batch")

    tiny = load(zoo.build("sd_unet", "tiny").SerializeToString(), name="unet")
    subject = Subject(
        graph=tiny,
        config=CompileConfig(),
        runtime=RuntimeConfig(),
        device=load_device("orin-like"),
        load=fail,
    )
    refused = [row for row in what_if(subject) if row.refused]
    assert [row.refused for row in refused] == [f"batch {batch} is fixed" for batch in (2, 4, 8, 16)]
