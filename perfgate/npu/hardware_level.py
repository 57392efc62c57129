"""Hardware level of a profile: engines, memory levels and energy over the whole execution."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from perfgate.core.execution_profile import Hardware, Memory
from perfgate.npu.columns import D2H, H2D, HOST, LAYOUT, MATRIX
from perfgate.npu.memory_use import memory_use

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.core.device import Device
    from perfgate.npu.columns import Bools, Ints
    from perfgate.npu.phase import Phase

_SECONDS_PER_PS = 1e-12
_BYTES_PER_GB = 1e9


class _Tally:
    """Whole-number sums over phases, by name."""

    __slots__ = ("sums",)

    def __init__(self) -> None:
        self.sums: dict[str, int] = {}

    def add(self, name: str, values: Ints, chosen: Bools | slice, times: int) -> None:
        self.sums[name] = self.sums.get(name, 0) + int(values[chosen].sum()) * times


def hardware_level(phases: Sequence[Phase], energy: dict[str, float]) -> Hardware:
    """What every engine and memory level did; `energy` is by consumer, in joules."""
    device = phases[0].execution.device
    total_ps = sum(phase.total_ps for phase in phases)
    busy, moved, parts = _Tally(), _Tally(), _Tally()
    for phase in phases:
        _add_phase(phase, busy, moved, parts)
    bytes_ = moved.sums
    shares = {name: value / total_ps if total_ps else 0.0 for name, value in busy.sums.items()}
    used = [value for value in shares.values() if value > 0]
    read = bytes_["l2_hits"] + bytes_["dram_read"]
    return Hardware(
        busy_ps=busy.sums,
        busy_share=shares,
        read_bytes={"l2": bytes_["l2_crossing"], "dram": bytes_["dram_read"], "link": bytes_["link_out"]},
        written_bytes={"l2": bytes_["l2_write"], "dram": bytes_["dram_write"], "link": bytes_["link_in"]},
        bandwidth_share=_bandwidth(bytes_, device, total_ps),
        l2_hit_share=bytes_["l2_hits"] / read if read else 0.0,
        parallelism=sum(used),
        transfer_ratio=parts.sums["transfer"] / parts.sums["compute"] if parts.sums["compute"] else 0.0,
        balance=min(used) / max(used) if used else 0.0,
        energy_j=energy,
        memory=_largest_memory(phases),
    )


def _add_phase(phase: Phase, busy: _Tally, moved: _Tally, parts: _Tally) -> None:
    execution, times = phase.execution, phase.times
    columns, costs, traffic = execution.columns, execution.costs, execution.traffic
    kind, repeat = columns.kind, columns.repeat
    everything = slice(None)
    device_side = kind <= LAYOUT
    busy.add("matrix", costs.compute * repeat, kind == MATRIX, times)
    busy.add("vector", costs.busy_vector * repeat, device_side, times)
    busy.add("dma", costs.dram * repeat, device_side, times)
    for name, code in (("h2d", H2D), ("d2h", D2H), ("host", HOST)):
        busy.add(name, costs.duration * repeat, kind == code, times)
    moved.add("dram_read", traffic.dram_read * repeat, device_side, times)
    moved.add("dram_write", traffic.dram_write * repeat, device_side, times)
    moved.add("l2_hits", traffic.l2_read * repeat, device_side, times)
    moved.add("l2_write", traffic.l2_write * repeat, device_side, times)
    moved.add("l2_crossing", costs.l2_bytes * repeat, device_side, times)
    moved.add("link_in", columns.link_bytes * repeat, kind == H2D, times)
    moved.add("link_out", columns.link_bytes * repeat, kind == D2H, times)
    parts.add("transfer", costs.transfer * repeat + execution.schedule.stretch, everything, times)
    parts.add("compute", costs.compute * repeat, everything, times)


def _bandwidth(moved: dict[str, int], device: Device, total_ps: int) -> dict[str, float]:
    """Share of each level's peak rate over the whole execution."""
    seconds = total_ps * _SECONDS_PER_PS
    if not seconds:
        return {"l2": 0.0, "dram": 0.0, "link": 0.0}
    l2_rate = device.rates.l2_read * device.cores.matrix * device.freq_mhz * 1e6
    dram = (moved["dram_read"] + moved["dram_write"]) / (device.dram.gb_s * _BYTES_PER_GB)
    link = (moved["link_in"] + moved["link_out"]) / (device.link.gb_s * _BYTES_PER_GB)
    return {
        "l2": moved["l2_crossing"] / l2_rate / seconds,
        "dram": dram / seconds,
        "link": link / seconds,
    }


def _largest_memory(phases: Sequence[Phase]) -> Memory:
    found = [
        msgspec.structs.replace(memory_use(phase.execution), program=number)
        for number, phase in enumerate(phases)
    ]
    return max(found, key=lambda memory: memory.peak)
