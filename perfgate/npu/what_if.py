"""What would happen if: one knob turned at a time, each answer a new compilation and simulation.

Nothing is extrapolated. Every row says which limit then binds: compute, dram, link or launch, the largest
share of the time. More cores never slow a one-stream program; more streams may, within Graham's bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from perfgate.compiler.compilation import compile_graph
from perfgate.compiler.passnames import FUSION
from perfgate.compiler.precision import PrecisionMode
from perfgate.core.device import Mark, Source
from perfgate.core.errors import PerfgateError
from perfgate.npu.columns import LAYOUT
from perfgate.npu.device_change import change_device
from perfgate.npu.phase import Phase, simulate_iterations

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from perfgate.compiler.config import CompileConfig
    from perfgate.compiler.runtime import RuntimeConfig
    from perfgate.core.device import Device
    from perfgate.graph.ir import Graph

BATCHES = (1, 2, 4, 8, 16)
CORES = (0.5, 1.0, 2.0, 4.0)
STREAMS = (1, 2, 4)
LIMITS = ("compute", "dram", "link", "launch")
_SOURCE = Source(Mark.ASSUMED, "what if", "what-if")
_PRECISIONS = {
    "fp32": (PrecisionMode.FP32, False),
    "mixed": (PrecisionMode.MIXED_FP16, False),
    "fp16": (PrecisionMode.FP16, False),
    "int8": (PrecisionMode.FP16, True),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What is asked about. `load` gives the graph with its batch multiplied, None when it cannot change."""

    graph: Graph
    config: CompileConfig
    runtime: RuntimeConfig
    device: Device
    iterations: int = 1
    load: Callable[[int], Graph] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatIfRow:
    """One knob at one value: time of the whole execution and per inference, gain over the subject as it is.

    `gain` 1.5 is one and a half times the inferences per second. `limit` is one of `LIMITS`; `shares` are
    those of the time, in that order. `refused` says why there is no answer, "" when there is one.
    """

    knob: str
    value: str
    total_ps: int = 0
    inference_ps: int = 0
    gain: float = 0.0
    limit: str = ""
    shares: tuple[float, ...] = ()
    refused: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Change:
    knob: str
    value: str
    batch: int = 1
    config: CompileConfig
    runtime: RuntimeConfig
    device: Device


def what_if(subject: Subject) -> tuple[WhatIfRow, ...]:
    """Rows for the subject as it is, then batch, precision, fusion, cores and streams."""
    base = _answer(subject, _as_it_is(subject, "as it is", ""), 0)
    rows = [base]
    rows += [_answer(subject, change, base.inference_ps) for change in _changes(subject)]
    return tuple(rows)


def _changes(subject: Subject) -> Iterator[_Change]:
    replace = msgspec.structs.replace
    if subject.load is not None:
        for batch in BATCHES:
            yield _as_it_is(subject, "batch", f"x{batch}", batch=batch)
    for name, (mode, quantises) in _PRECISIONS.items():
        config = replace(subject.config, precision=mode, quantise=quantises)
        yield _as_it_is(subject, "precision", name, config=config)
    passes = subject.config.disabled_passes
    yield _as_it_is(
        subject, "fusion", "on", config=replace(subject.config, disabled_passes=passes - {FUSION})
    )
    yield _as_it_is(
        subject, "fusion", "off", config=replace(subject.config, disabled_passes=passes | {FUSION})
    )
    cores = subject.device.cores
    for factor in CORES:
        counts = {"cores.matrix": cores.matrix * factor, "cores.vector": cores.vector * factor}
        whole = {key: max(1, round(count)) for key, count in counts.items()}
        device = change_device(subject.device, whole, _SOURCE)
        yield _as_it_is(subject, "cores", f"{device.cores.matrix}", device=device)
    for streams in STREAMS:
        runtime = replace(subject.runtime, streams=streams)
        config = replace(subject.config, single_stream=False)
        yield _as_it_is(subject, "streams", f"{streams}", config=config, runtime=runtime)


def _as_it_is(  # noqa: PLR0913 - keywords only, each one knob
    subject: Subject,
    knob: str,
    value: str,
    *,
    batch: int = 1,
    config: CompileConfig | None = None,
    runtime: RuntimeConfig | None = None,
    device: Device | None = None,
) -> _Change:
    return _Change(
        knob=knob,
        value=value,
        batch=batch,
        config=config or subject.config,
        runtime=runtime or subject.runtime,
        device=device or subject.device,
    )


def _answer(subject: Subject, change: _Change, base_ps: int) -> WhatIfRow:
    try:
        graph = subject.graph
        if change.batch > 1 and subject.load is not None:
            graph = subject.load(change.batch)
        program = compile_graph(graph, change.config, change.runtime, change.device)
    except PerfgateError as error:
        return WhatIfRow(knob=change.knob, value=change.value, refused=error.what)
    phases = simulate_iterations(program, change.device, change.runtime, subject.iterations)
    total = sum(phase.total_ps for phase in phases)
    inference = -(-total // change.batch)
    shares = time_shares(phases)
    return WhatIfRow(
        knob=change.knob,
        value=change.value,
        total_ps=total,
        inference_ps=inference,
        gain=base_ps / inference if base_ps and inference else 1.0,
        limit=LIMITS[max(range(len(shares)), key=lambda index: shares[index])],
        shares=shares,
    )


def time_shares(phases: Sequence[Phase]) -> tuple[float, ...]:
    """Shares of kernel time by limit: arithmetic, exposed movement on the device, link and host, launches."""
    sums = [0, 0, 0, 0]
    for phase in phases:
        costs, columns = phase.execution.costs, phase.execution.columns
        on_device = columns.kind <= LAYOUT
        repeat = columns.repeat
        moved = costs.transfer * repeat + phase.execution.schedule.stretch
        sums[0] += int((costs.compute * repeat)[on_device].sum()) * phase.times
        sums[1] += int(moved[on_device].sum()) * phase.times
        sums[2] += int((costs.duration * repeat)[~on_device].sum()) * phase.times
        sums[3] += int((costs.dispatch * repeat)[on_device].sum()) * phase.times
    total = sum(sums) or 1
    return tuple(value / total for value in sums)
