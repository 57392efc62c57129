"""Profiles written by hand: only what a rule reads, everything else empty."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from perfgate.core.execution_profile import (
    Application,
    GraphLevel,
    Hardware,
    KernelRow,
    Memory,
    OperatorRow,
    Parts,
    Profile,
    StepRow,
)
from perfgate.npu.device_file import load_device

Level = TypeVar("Level", bound=msgspec.Struct)
MS = 1_000_000_000  # picoseconds
MIB = 1 << 20


def operator(number: int, total_ps: int, **fields: Any) -> OperatorRow:  # noqa: ANN401 - fields of the row
    """An operator whose time is all arithmetic unless `parts` says otherwise."""
    row = OperatorRow(
        number=number, name=f"net.op{number}", op="Conv", scope="net", place=f"model.py:{number}", kernels=1,
        total_ps=total_ps, parts=Parts(compute_ps=total_ps), bound="matrix", flops=1000, dram_bytes=1000,
        l2_bytes=0, intensity=1.0, intensity_class="balanced", is_above_ridge=False, shape=(1, 16, 8, 8),
        dtype="float16",
    )  # fmt: skip
    return msgspec.structs.replace(row, **fields)


def kernel(owner: int, duration_ps: int, **fields: Any) -> KernelRow:  # noqa: ANN401 - fields of the row
    """A kernel on the critical path whose time is all arithmetic unless `parts` says otherwise."""
    row = KernelRow(
        program=0, index=owner, name=f"net.op{owner}", op="Conv", kind="matrix", variant="Conv", owner=owner,
        engine="matrix", stream=0, start_ps=0, duration_ps=duration_ps, slack_ps=0,
        parts=Parts(compute_ps=duration_ps), bound="matrix", utilisation=0.5, dram_bytes=0, l2_bytes=0,
        link_bytes=0, critical=True, dtype="float16",
    )  # fmt: skip
    return msgspec.structs.replace(row, **fields)


def memory(**fields: Any) -> Memory:  # noqa: ANN401 - fields of the value
    """A device of 1 GiB that uses nothing."""
    empty = Memory(
        peak=0, lower_bound=0, weights=0, activations=0, workspace=0, host=0, capacity=1 << 30, curve=(),
        at_peak=(),
    )  # fmt: skip
    return msgspec.structs.replace(empty, **fields)


def profile(total_ps: int, **fields: Any) -> Profile:  # noqa: ANN401 - fields of the levels
    """A profile of one step on a simulated device; fields of each level by their own names."""
    application = Application(
        total_ps=total_ps, iterations=1, steps=(StepRow(program="net", times=1, makespan_ps=total_ps),),
        throughput=1.0, copied_bytes=0, io_bytes=0, energy_j=0.0, average_w=0.0, inferences_per_joule=0.0,
        estimated_share=0.0,
    )  # fmt: skip
    graph = GraphLevel(
        kernels=1, operators=1, streams=1, critical_path_ps=total_ps, serial_ps=total_ps,
        makespan_ps=total_ps, parallelism=1.0, gaps=(), fused_operators=0, duplicates=0, passes={},
    )  # fmt: skip
    hardware = Hardware(
        busy_ps={}, busy_share={}, read_bytes={}, written_bytes={}, bandwidth_share={}, l2_hit_share=0.0,
        parallelism=1.0, transfer_ratio=0.0, balance=1.0, energy_j={}, memory=memory(),
    )  # fmt: skip
    # First the hardware: `energy_j` means that of its consumers.
    hardware = _with(hardware, fields)
    graph, application = _with(graph, fields), _with(application, fields)
    whole = Profile(
        device="ascend-310p-like", application=application, graph=graph, operators=(), kernels=(), copies=(),
        hardware=hardware, parts=Parts(), exact={},
        machine=msgspec.structs.replace(load_device("ascend-310p-like"), sources={}),
    )  # fmt: skip
    return msgspec.structs.replace(whole, **fields)


def _with(level: Level, fields: dict[str, Any]) -> Level:
    """The level with its own fields, which are taken out of `fields`."""
    own = {key: fields.pop(key) for key in level.__struct_fields__ if key in fields and key not in _OF_ALL}
    return msgspec.structs.replace(level, **own)


_OF_ALL = frozenset({"kernels", "operators", "copies"})  # names that the profile itself has too
