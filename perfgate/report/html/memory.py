"""The memory view: how much of the device is used when, by what, and what could be given back earlier."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.units import percent, readable
from perfgate.diagnose.leaks import leak_trend
from perfgate.report.html.colour import DANGER, SAFE
from perfgate.report.html.memory_columns import (
    AFTER,
    AT_PEAK,
    BEFORE,
    ELSEWHERE,
    MemoryColumns,
    memory_columns,
)
from perfgate.report.html.memory_drawing import LATE, PEAK_LIVES, SIZE_AXIS, draw_memory
from perfgate.report.html.memory_facts import memory_facts
from perfgate.report.html.memory_tables import memory_tables
from perfgate.report.html.memory_text import block_name, peak_text
from perfgate.report.html.time_axis import readable_ps
from perfgate.report.html.view import Choice, Option, Setting, Swatch, View

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perfgate.report.html.material import Material
    from perfgate.report.html.memory_facts import MemoryFacts

_HINT = (
    "Live bytes of one step, below them every tensor over time and address, the pools at the peak, and what "
    "is free. Click the peak to see what is live there; left and right walk in time, up and down by size."
)


def memory_view(material: Material) -> View:
    """The view of both sides; lives and pools need an allocation log."""
    sides = {side: memory_facts(profile) for side, profile in material.sides}
    columns = memory_columns(sides, material.operator_indices(after=True))
    # Without a log there are no tensors to choose.
    settings = _at_peak(alone=True) if sides["after"].has_log else ()
    return View(
        name="memory",
        title="Memory",
        hint=_HINT,
        tables=memory_tables(sides, material.operator_indices(after=True)),
        draw=lambda: draw_memory(columns),
        walk=columns.walk,
        choices=((_tensors(),) if sides["after"].has_log else ()) + (_axis(columns),),
        actions=(Option(label="live at the peak", settings=settings),),
        legend=_legend(has_before=material.before is not None),
        notes=_notes(sides),
    )


def _at_peak(*, alone: bool) -> tuple[Setting, ...]:
    """All tensors, or those that are live at the peak alone."""
    return (
        Setting(model=PEAK_LIVES[0], path="visible", value=not alone),
        Setting(model=LATE, path="visible", value=not alone),
        Setting(model=PEAK_LIVES[1], path="visible", value=alone),
    )


def _tensors() -> Choice:
    return Choice(
        label="tensors",
        options=(
            Option(label="all", settings=_at_peak(alone=False)),
            Option(label="live at the peak", settings=_at_peak(alone=True)),
        ),
    )


def _axis(columns: MemoryColumns) -> Choice:
    near = Option(label="to the peak", settings=(Setting(model=SIZE_AXIS, path="end", value=columns.near),))
    far = Option(label="to the limits", settings=(Setting(model=SIZE_AXIS, path="end", value=columns.far),))
    return Choice(label="axis", options=(far, near) if columns.limits_are_near else (near, far))


def _legend(*, has_before: bool) -> tuple[Swatch, ...]:
    before = (Swatch(BEFORE, "before, dashed", is_hatched=True),) if has_before else ()
    return (
        *before,
        Swatch(AFTER, "after"),
        Swatch(AT_PEAK, "live at the peak"),
        Swatch(ELSEWHERE, "other tensors, and what is taken of a pool"),
        Swatch(ELSEWHERE, "kept after its last reader", is_hatched=True),
        Swatch(SAFE, "safe line"),
        Swatch(DANGER, "danger line"),
    )


def _notes(sides: Mapping[str, MemoryFacts]) -> tuple[str, ...]:
    now = sides["after"]
    notes = [f"{side}: {peak_text(facts)}." for side, facts in sides.items()]
    if now.has_log:
        notes.append(_early_text(now))
        lost = now.played.never_freed
        if lost:
            size = readable(sum(block.size for block in lost), "B")
            notes.append(f"{len(lost)} tensors of {size} are never given back.")
    else:
        notes.append("The profile keeps no log of allocations: no lives, pools or gaps.")
    for side, facts in sides.items():
        notes.extend(_leak_text(side, facts))
    return tuple(notes)


def _early_text(facts: MemoryFacts) -> str:
    early = facts.early
    if not early.each:
        return "No tensor at the peak outlives its last reader: freeing earlier saves nothing."
    best, weights = early.each[0], facts.memory.weights
    saved = percent(best.peak / early.peak - 1)
    return (
        f"Freeing {block_name(best.block)} right after its last reader, at {readable_ps(best.at)}, lowers "
        f"the peak to {readable(best.peak + weights, 'B')} ({saved} of what is not weights); "
        f"all {len(early.each)} such tensors together to {readable(early.together + weights, 'B')}."
    )


def _leak_text(side: str, facts: MemoryFacts) -> list[str]:
    """What the live bytes at the ends of iterations say, in a sentence."""
    memory = facts.memory
    trend = leak_trend(memory.live_at_end, memory.capacity) if memory.live_at_end else None
    if trend is None:
        return []
    if trend.to_limit is None or not memory.capacity:
        return [f"{side}: live bytes do not keep growing over {trend.iterations} iterations."]
    limit = trend.to_limit
    expected, soon, late = (readable(n, "count") for n in (limit.expected, limit.earliest, limit.latest))
    growth = readable(trend.trend.robust.value, "B")
    reach = f"reach the device's {readable(memory.capacity, 'B')} in {expected} more ({soon} to {late})"
    return [f"{side}: live bytes grow by {growth} per iteration and {reach}."]
