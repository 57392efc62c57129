"""The arithmetic of an execution in lines to check by hand: crossings, conversions, work, launches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from perfgate.core.units import readable
from perfgate.npu.columns import HOST, LAYOUT, MATRIX

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from perfgate.npu.columns import Bools, Columns
    from perfgate.npu.phase import Phase
    from perfgate.npu.simulation import Execution

    _Choice = Callable[[Columns], Bools]

_SECONDS_PER_PS = 1e-12
_PS_PER_MS = 1e9


@dataclass(frozen=True, slots=True, kw_only=True)
class ArithmeticLine:
    """One line: what is computed, how, and the result with its unit."""

    quantity: str
    arithmetic: str
    result: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Crossing:
    """Host round trips of one size: `steps` per step of its phase, `times` in the whole execution."""

    elements: int
    sizes: tuple[int, int]
    per_step: int
    times: int
    parts_ps: tuple[int, int, int]
    item_bytes: int


def explain_execution(phases: Sequence[Phase]) -> tuple[ArithmeticLine, ...]:
    """Lines from bytes per crossing to the total time; the parts sum to the total.

    A machine that never goes over the host has no crossing lines.
    """
    lines: list[ArithmeticLine] = []
    crossings = [crossing for phase in phases for crossing in _crossings(phase)]
    for crossing in crossings:
        lines += _crossing_lines(crossing, phases[0].execution)
    if crossings:
        lines += _crossing_totals(crossings)
        lines += _owner_lines(phases)
    lines += _device_lines(phases)
    total_ps = sum(phase.total_ps for phase in phases)
    steps = " + ".join(
        f"{phase.times} x {phase.execution.makespan_ps / _PS_PER_MS:.3f} ms" for phase in phases
    )
    lines.append(ArithmeticLine(quantity="whole execution", arithmetic=steps, result=_time(total_ps)))
    return tuple(lines)


def _crossings(phase: Phase) -> list[_Crossing]:
    execution = phase.execution
    columns, costs = execution.columns, execution.costs
    rows = np.flatnonzero((columns.kind == HOST) & columns.implicit)
    found: dict[tuple[int, int], list[int]] = {}
    for row in rows.tolist():
        found.setdefault((int(columns.elements[row]), int(columns.item_bytes[row])), []).append(row)
    result = []
    for (elements, width), hosts in sorted(found.items()):
        row = hosts[0]
        # The lowering issues a round trip as three kernels in a row: out, reorder, back.
        out, back = row - 1, row + 1
        result.append(
            _Crossing(
                elements=elements,
                sizes=(int(columns.link_bytes[out]), int(columns.link_bytes[back])),
                per_step=int(columns.repeat[hosts].sum()),
                times=int(columns.repeat[hosts].sum()) * phase.times,
                parts_ps=(int(costs.duration[out]), int(costs.duration[row]), int(costs.duration[back])),
                item_bytes=width,
            )
        )
    return result


def _crossing_lines(crossing: _Crossing, execution: Execution) -> list[ArithmeticLine]:
    device = execution.device
    share = 1.0 if execution.runtime.pinned_memory else device.link.pageable_share
    out, reorder, back = crossing.parts_ps
    rate = device.link.gb_s * share
    arithmetic = (
        f"{_both([readable(size, 'B') for size in crossing.sizes])} / {rate:g} GB/s + "
        f"2 x {device.link.latency_us:g} us + "
        f"{crossing.elements:,} elements x {device.host.reorder_ns_per_element:g} ns + "
        f"{device.host.sync_us:g} us sync"
    )
    parts = " + ".join(f"{part / _PS_PER_MS:.2f}" for part in (out, reorder, back))
    return [
        ArithmeticLine(
            quantity="bytes per crossing",
            arithmetic=f"{crossing.elements:,} elements x {crossing.item_bytes} B",
            result=f"{crossing.sizes[0]:,} B",
        ),
        ArithmeticLine(
            quantity="one crossing",
            arithmetic=arithmetic,
            result=f"{parts} = {(out + reorder + back) / _PS_PER_MS:.2f} ms",
        ),
        ArithmeticLine(
            quantity="crossings",
            arithmetic=f"{crossing.per_step} per step x {crossing.times // crossing.per_step} steps",
            result=f"{crossing.times:,}",
        ),
    ]


def _crossing_totals(crossings: list[_Crossing]) -> list[ArithmeticLine]:
    copied = " + ".join(
        f"{item.times:,} x {_both([f'{size:,} B' for size in item.sizes])}" for item in crossings
    )
    spent = " + ".join(f"{item.times:,} x {sum(item.parts_ps) / _PS_PER_MS:.2f} ms" for item in crossings)
    total = sum(sum(item.sizes) * item.times for item in crossings)
    return [
        ArithmeticLine(quantity="implicit host-device copies", arithmetic=copied, result=f"{total:,} B"),
        ArithmeticLine(
            quantity="host route in all",
            arithmetic=spent,
            result=_time(sum(item.times * sum(item.parts_ps) for item in crossings)),
        ),
    ]


def _both(sizes: list[str]) -> str:
    """Out and back: twice the same, or the sum of the two."""
    return f"2 x {sizes[0]}" if sizes[0] == sizes[1] else f"({' + '.join(sizes)})"


def _owner_lines(phases: Sequence[Phase]) -> list[ArithmeticLine]:
    """Operators by the time of their crossings, the worst first."""
    spent: dict[str, list[int]] = {}
    for phase in phases:
        columns, costs = phase.execution.columns, phase.execution.costs
        owners = phase.execution.program.owners
        for row in np.flatnonzero((columns.kind > LAYOUT) & columns.implicit).tolist():
            times = int(columns.repeat[row]) * phase.times
            owner = int(columns.owner[row])
            entry = spent.setdefault(owners[owner].name if owner >= 0 else "(program)", [0, 0])
            entry[0] += times if columns.kind[row] == HOST else 0
            entry[1] += int(costs.duration[row]) * times
    ranked = sorted(spent.items(), key=lambda item: (-item[1][1], item[0]))
    return [
        ArithmeticLine(quantity=f"  of it {name}", arithmetic=f"{count:,} crossings", result=_time(time))
        for name, (count, time) in ranked
    ]


def _device_lines(phases: Sequence[Phase]) -> list[ArithmeticLine]:
    """What the device itself does; with crossings and waits it is the whole execution on one stream."""
    device = phases[0].execution.device
    lines = []
    conversions, time = _sum(phases, lambda columns: (columns.kind == LAYOUT) & columns.implicit)
    if conversions:
        lines.append(_kernels("device conversions", conversions, time))
    products, time = _sum(phases, lambda columns: columns.kind == MATRIX)
    macs = sum(_macs(phase) for phase in phases)
    if products:
        peak = device.peak_macs_per_second("float16")
        share = macs / (peak * time * _SECONDS_PER_PS) if time else 0.0
        work = f"{macs / 1e9:,.0f} GMAC at {share:.0%} of {peak / 1e12:.1f} TMAC/s"
        arithmetic = f"{work}, {products:,} kernels"
        lines.append(ArithmeticLine(quantity="matrix kernels", arithmetic=arithmetic, result=_time(time)))
    others, time = _sum(phases, _is_other_device_work)
    if others:
        lines.append(_kernels("vector and move kernels", others, time))
    copies, time = _sum(phases, lambda columns: (columns.kind > LAYOUT) & ~columns.implicit)
    if copies:
        lines.append(_kernels("inputs, outputs and host operators", copies, time))
    return lines


def _is_other_device_work(columns: Columns) -> Bools:
    is_conversion = (columns.kind == LAYOUT) & columns.implicit
    chosen: Bools = (columns.kind <= LAYOUT) & (columns.kind != MATRIX) & ~is_conversion
    return chosen


def _sum(phases: Sequence[Phase], choose: _Choice) -> tuple[int, int]:
    count = time = 0
    for phase in phases:
        columns = phase.execution.columns
        chosen = choose(columns)
        length = phase.execution.schedule.end - phase.execution.schedule.start
        count += int(columns.repeat[chosen].sum()) * phase.times
        time += int(length[chosen].sum()) * phase.times
    return count, time


def _macs(phase: Phase) -> int:
    columns = phase.execution.columns
    return int((columns.macs * columns.repeat).sum()) * phase.times


def _kernels(quantity: str, count: int, time: int) -> ArithmeticLine:
    arithmetic = f"{count:,} kernels x {time / count / _PS_PER_MS:.3f} ms"
    return ArithmeticLine(quantity=quantity, arithmetic=arithmetic, result=_time(time))


def _time(ps: int) -> str:
    return readable(ps * _SECONDS_PER_PS, "s")
