"""The memory view's drawings as columns: the curve, lives in the address space, pools, free blocks."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from perfgate.core.units import readable
from perfgate.report.html.byte_axis import ByteUnit, byte_unit
from perfgate.report.html.colour import CATEGORIES, CHANGES, DANGER, GONE, HATCHED, PLAIN, SAFE, SAME, WARNING
from perfgate.report.html.memory_facts import DANGER_SHARE, SAFE_SHARE
from perfgate.report.html.memory_text import block_name, block_text, peak_text
from perfgate.report.html.time_axis import time_unit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perfgate.report.html.memory_facts import MemoryFacts, PoolStrip
    from perfgate.report.html.view import Columns

PEAK = 0  # the row of the peak; the blocks follow from row 1 on
NEAR = 2.5  # the limits are in sight at first where the danger line is at most so many peaks high
ROOM = 1.1  # of the y axis above the highest
FREE_CLASSES = ("up to 64 MiB", "to 256 MiB", "to 1 GiB", "above 1 GiB")
AT_PEAK, ELSEWHERE = CHANGES[3], SAME  # three times lighter or darker than each other
BEFORE, AFTER = GONE, CATEGORIES[0]  # before is dashed or hatched as well
STRIP = 0.7  # height of a pool's strip in its lane


@dataclass(frozen=True, slots=True)
class Limit:
    """A line across the curve, in the unit of the axis."""

    place: float
    text: str
    colour: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryColumns:
    """All drawings; x of curve and lives is time in `time`, sizes and addresses are in `size`.

    `near` and `far` are the ends of the curve's axis without and with the limits. `lives` and `late` (the
    time after the last reader) are boxes over time and address. `gone` of `strips` and `free` are by side.
    """

    time: str
    size: str
    width: float
    near: float
    far: float
    curves: Mapping[str, Columns]
    limits: tuple[Limit, ...]
    peak: Columns
    top: float
    lives: Columns
    late: Columns
    strips: Columns
    lanes: tuple[str, ...]
    free: Columns
    ends: Mapping[str, Columns]
    walk: Columns

    @property
    def limits_are_near(self) -> bool:
        """The axis begins with the limits in sight."""
        return self.far <= NEAR * self.near


def memory_columns(sides: Mapping[str, MemoryFacts], operators: Mapping[int, int]) -> MemoryColumns:
    """Columns of the sides `before` (if there) and `after`; `operators` are the page's by number."""
    now = sides["after"]
    ends = [time for facts in sides.values() for time, _ in facts.memory.curve[-1:]]
    unit = time_unit(max(ends, default=0))
    most = max(facts.peak_bytes for facts in sides.values())
    size = byte_unit(most)
    width = max(ends, default=1) / unit.ps
    limits = _limits(now, size)
    blocks = _blocks(now, unit.ps, size)
    near = max(ROOM * most / size.size, 1.0)
    return MemoryColumns(
        time=unit.name,
        size=size.name,
        width=width,
        near=near,
        far=max([near, *(ROOM * limit.place for limit in limits[:2])]),
        curves={side: _curve(facts, unit.ps, size) for side, facts in sides.items()},
        limits=limits,
        peak={
            "row": [PEAK],
            "x": [now.peak_ps / unit.ps],
            "y": [now.peak_bytes / size.size],
            "tip": [peak_text(now)],
        },
        top=max((block.taken.offset + block.size for block in now.played.blocks), default=0) / size.size,
        lives=blocks,
        late=_late(now, unit.ps, size),
        strips=_strips(sides),
        lanes=tuple(_lane(side, pool) for side, facts in sides.items() for pool in facts.pools),
        free=_free(sides),
        ends={side: _ends(facts, size) for side, facts in sides.items() if facts.memory.live_at_end},
        walk=_walk(now, blocks, operators, width),
    )


def _curve(facts: MemoryFacts, unit_ps: int, size: ByteUnit) -> Columns:
    return {
        "x": [time / unit_ps for time, _ in facts.memory.curve],
        "y": [live / size.size for _, live in facts.memory.curve],
    }


def _limits(facts: MemoryFacts, size: ByteUnit) -> tuple[Limit, ...]:
    """Danger, safe, and what the plan reserves with its gaps; none where the capacity is not known."""
    memory = facts.memory
    found = []
    if memory.capacity:
        for share, name, colour in ((DANGER_SHARE, "danger", DANGER), (SAFE_SHARE, "safe", SAFE)):
            bytes_ = share * memory.capacity
            text = f"{name}: {share:.0%} of the device, {readable(bytes_, 'B')}".replace("%", " %")
            found.append(Limit(bytes_ / size.size, text, colour))
    if memory.peak > facts.peak_bytes:
        text = f"highest address of the plan, {readable(memory.peak, 'B')}"
        found.append(Limit(memory.peak / size.size, text, WARNING))
    return tuple(found)


def _blocks(facts: MemoryFacts, unit_ps: int, size: ByteUnit) -> Columns:
    """A box per block: from when to when, from which address to which; x1 of one never freed is the end."""
    played, peak = facts.played, facts.played.peak
    end = played.curve[-1][0] if played.curve else 0
    at_peak = {block.first for block in peak.live} if peak is not None else set()
    blocks = played.blocks
    return {
        "row": [row for row, _ in enumerate(blocks, PEAK + 1)],
        "x0": [block.start / unit_ps for block in blocks],
        "x1": [(end if block.end is None else block.end) / unit_ps for block in blocks],
        "y0": [block.taken.offset / size.size for block in blocks],
        "y1": [(block.taken.offset + block.size) / size.size for block in blocks],
        "colour": [AT_PEAK if block.first in at_peak else ELSEWHERE for block in blocks],
    }


def _late(facts: MemoryFacts, unit_ps: int, size: ByteUnit) -> Columns:
    """From the last reader to the end of each block that outlives it."""
    end = facts.played.curve[-1][0] if facts.played.curve else 0
    rows = []
    for row, block in enumerate(facts.played.blocks, PEAK + 1):
        used = facts.uses.get(block.taken.block)
        stop = end if block.end is None else block.end
        if used is not None and block.start <= used < stop:
            low, high = block.taken.offset, block.taken.offset + block.size
            rows.append((row, used / unit_ps, stop / unit_ps, low / size.size, high / size.size))
    columns = list(zip(*rows, strict=True)) or [()] * 5
    return {name: list(columns[place]) for place, name in enumerate(("row", "x0", "x1", "y0", "y1"))}


def _lane(side: str, pool: PoolStrip) -> str:
    share = f"{pool.occupancy:.1%}".replace("%", " %")
    return f"{side}: {pool.name}, {share} of {readable(pool.size, 'B')}"


def _strips(sides: Mapping[str, MemoryFacts]) -> Columns:
    """Taken bytes of each pool over its own width (0 to 100 %), lane n between -n - .7 and -n."""
    columns: dict[str, list[float]] = {name: [] for name in ("row", "x0", "x1", "y0", "y1")}
    tips: list[str] = []
    lane = 0
    for side, facts in sides.items():
        for pool in facts.pools:
            for offset, size, place in pool.taken:
                is_listed = side == "after" and place >= 0
                columns["row"].append(place + PEAK + 1 if is_listed else -1)
                columns["x0"].append(100 * offset / pool.size)
                columns["x1"].append(100 * (offset + size) / pool.size)
                columns["y0"].append(-lane - STRIP)
                columns["y1"].append(float(-lane))
                what = "weights" if place < 0 else block_text(facts, facts.played.blocks[place])
                tips.append(f"{what}, address {offset:,}")
            lane += 1
    return {**columns, "tip": tips}


def _free(sides: Mapping[str, MemoryFacts]) -> Columns:
    """A bar per class of free blocks and side, side by side in the class's unit of x."""
    rows = []
    share = 0.8 / len(sides)
    for place, (side, facts) in enumerate(sides.items()):
        for group, count in enumerate(facts.memory.free_blocks):
            left = group + place * share
            look = (BEFORE, HATCHED) if side == "before" else (AFTER, PLAIN)
            tip = f"{side}: {count} free blocks {FREE_CLASSES[group]}"
            rows.append((left, left + share, count, *look, tip))
    names = ("x0", "x1", "count", "colour", "hatch", "tip")
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    made: Columns = {name: list(columns[place]) for place, name in enumerate(names)}
    return made | {"row": [-1] * len(rows)}


def _ends(facts: MemoryFacts, size: ByteUnit) -> Columns:
    """Live bytes at the end of each iteration."""
    values = facts.memory.live_at_end
    return {"x": list(range(len(values))), "y": [value / size.size for value in values]}


def _walk(facts: MemoryFacts, blocks: Columns, operators: Mapping[int, int], width: float) -> Columns:
    """The peak, then every block in order of time; up and down lead to the next larger and smaller one."""
    played = facts.played
    count = len(played.blocks) + 1
    by_size = sorted(range(1, count), key=lambda row: (-played.blocks[row - 1].size, row))
    up, down = [-1] * count, [-1] * count
    for larger, smaller in pairwise(by_size):
        up[smaller], down[larger] = larger, smaller
    down[PEAK] = by_size[0] if by_size else -1
    boxes: dict[str, Sequence[float]] = {
        name: [first, *blocks[name]] for name, first in (("x0", 0.0), ("x1", width), ("y0", 0.0), ("y1", 0.0))
    }
    return {
        "op": [-1, *(operators.get(block.taken.owner, -1) for block in played.blocks)],
        "label": [peak_text(facts), *(block_text(facts, block) for block in played.blocks)],
        "name": ["peak", *(block_name(block) for block in played.blocks)],
        "act": [0, *([-1] * (count - 1))],
        "left": [-1, *range(count - 1)],
        "right": [*range(1, count), -1],
        "up": up,
        "down": down,
        **boxes,
    }
