"""The memory view's numbers as tables: figures of both sides, tensors, pools, free blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.units import readable
from perfgate.diagnose.lifetimes import reuse_class
from perfgate.report.html.memory_columns import FREE_CLASSES
from perfgate.report.html.memory_text import block_name, block_owner
from perfgate.report.html.time_axis import readable_ps
from perfgate.report.html.view import Table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perfgate.diagnose.memory import Block
    from perfgate.report.html.memory_facts import MemoryFacts


_MOST_REFUSED = 5


def memory_tables(sides: Mapping[str, MemoryFacts], operators: Mapping[int, int]) -> tuple[Table, ...]:
    """Every table of the view; those of an absent log are left out."""
    now = sides["after"]
    tables = [figures_table(sides), free_table(sides)]
    if now.has_log:
        tables += [tensors_table(now, operators), pools_table(sides)]
        if now.early.each:
            tables.append(early_table(now, operators))
    if any(facts.memory.live_at_end for facts in sides.values()):
        tables.append(ends_table(sides))
    return tuple(tables)


def figures_table(sides: Mapping[str, MemoryFacts]) -> Table:
    """The key figures by side."""
    figures = [_figures(facts) for facts in sides.values()]
    return Table(
        caption="Device memory of one step",
        header=("figure", *sides),
        rows=tuple((name, *(texts[name] for texts in figures)) for name in figures[0]),
    )


def _figures(facts: MemoryFacts) -> dict[str, str]:
    memory, peak = facts.memory, facts.played.peak
    gaps = facts.gaps
    return {
        "most live bytes": readable(facts.peak_bytes, "B"),
        "when": readable_ps(facts.peak_ps),
        "reached by": "" if peak is None else block_name(peak.reached_by),
        "most of it held by": "" if peak is None else block_owner(peak.owner),
        "live bytes on average": readable(facts.mean_bytes, "B") if facts.has_log else "",
        "highest address of the plan": readable(memory.peak, "B"),
        "weights": readable(memory.weights, "B"),
        "activations": readable(memory.activations, "B"),
        "workspace": readable(memory.workspace, "B"),
        "staging on the host": readable(memory.host, "B"),
        "capacity of the device": readable(memory.capacity, "B"),
        "allocations while running": str(memory.allocations),
        "refused allocations": ", ".join(readable(size, "B") for size in memory.failed[:_MOST_REFUSED])
        or "none",
        "largest free block": readable(memory.largest_free, "B"),
        "fragmentation index (0 one piece, 1 scattered)": f"{memory.fragmentation_index:.2f}",
        "fragmentation rate (reserved and not used)": f"{memory.fragmentation_rate:.1%}".replace("%", " %"),
        "free blocks at the peak": "" if gaps is None else str(len(gaps.gaps)),
        "never given back": str(len(facts.played.never_freed)) if facts.has_log else "",
    }


_TENSOR = (
    "tensor", "bytes", "written by", "from", "to", "last read", "readers", "reuse", "address",
    "live at the peak",
)  # fmt: skip


def tensors_table(facts: MemoryFacts, operators: Mapping[int, int]) -> Table:
    """Every tensor's life, in order of time."""
    peak = facts.played.peak
    at_peak = {block.first for block in peak.live} if peak is not None else set()
    blocks = facts.played.blocks
    return Table(
        caption="Tensors of one step, after",
        header=_TENSOR,
        rows=tuple(_tensor_texts(facts, block, is_live=block.first in at_peak) for block in blocks),
        keys=tuple(_tensor_numbers(facts, block, is_live=block.first in at_peak) for block in blocks),
        operators=tuple(operators.get(block.taken.owner, -1) for block in blocks),
    )


def _tensor_texts(facts: MemoryFacts, block: Block, *, is_live: bool) -> tuple[str, ...]:
    return (
        block_name(block),
        readable(block.size, "B"),
        block_owner(block),
        readable_ps(block.start),
        "" if block.end is None else readable_ps(block.end),
        _last_read(facts, block),
        str(facts.reads.get(block.taken.block, "")),
        _reuse(facts, block),
        f"{block.taken.offset:,}",
        "yes" if is_live else "no",
    )


def _tensor_numbers(facts: MemoryFacts, block: Block, *, is_live: bool) -> tuple[float | str, ...]:
    return (
        block_name(block),
        block.size,
        block.taken.owner,
        block.start,
        -1 if block.end is None else block.end,
        facts.uses.get(block.taken.block, -1),
        facts.reads.get(block.taken.block, 0),
        _reuse(facts, block),
        block.taken.offset,
        int(is_live),
    )


def _last_read(facts: MemoryFacts, block: Block) -> str:
    """Only where it comes before the end: an operator reads all it reads until it is done."""
    used = facts.uses.get(block.taken.block)
    return readable_ps(used) if used is not None and block.end is not None and used < block.end else ""


def _reuse(facts: MemoryFacts, block: Block) -> str:
    """What to do with the tensor; "" where its readers or the device's cache are not known."""
    reads = facts.reads.get(block.taken.block, 0)
    return str(reuse_class(block.size, reads, facts.cache)) if reads and facts.cache else ""


def early_table(facts: MemoryFacts, operators: Mapping[int, int]) -> Table:
    """What each early free alone does to the peak."""
    weights = facts.memory.weights
    return Table(
        caption="Peak if a tensor were given back right after its last reader",
        header=("tensor", "bytes", "last read", "given back", "peak then"),
        rows=tuple(
            (
                block_name(item.block),
                readable(item.block.size, "B"),
                readable_ps(item.at),
                "" if item.block.end is None else readable_ps(item.block.end),
                readable(item.peak + weights, "B"),
            )
            for item in facts.early.each
        ),
        operators=tuple(operators.get(item.block.taken.owner, -1) for item in facts.early.each),
    )


def pools_table(sides: Mapping[str, MemoryFacts]) -> Table:
    """Pools at the peak."""
    pools = [(side, pool) for side, facts in sides.items() for pool in facts.pools]
    return Table(
        caption="Pools at the peak",
        header=("pool", "side", "reserved", "used", "occupancy"),
        rows=tuple(
            (
                pool.name,
                side,
                readable(pool.size, "B"),
                readable(pool.used, "B"),
                f"{pool.occupancy:.1%}".replace("%", " %"),
            )
            for side, pool in pools
        ),
        keys=tuple((pool.name, side, pool.size, pool.used, pool.occupancy) for side, pool in pools),
    )


def free_table(sides: Mapping[str, MemoryFacts]) -> Table:
    """Free blocks at the peak by size."""
    counts = [facts.memory.free_blocks for facts in sides.values()]
    classes = len(max(counts, key=len, default=()))
    return Table(
        caption="Free blocks at the peak",
        header=("size", *sides),
        rows=tuple(
            (FREE_CLASSES[group], *(str(row[group]) if group < len(row) else "0" for row in counts))
            for group in range(classes)
        ),
    )


def ends_table(sides: Mapping[str, MemoryFacts]) -> Table:
    """Live bytes after each iteration."""
    series = [facts.memory.live_at_end for facts in sides.values()]
    return Table(
        caption="Live bytes at the end of each iteration",
        header=("iteration", *sides),
        rows=tuple(
            (str(place), *(readable(row[place], "B") if place < len(row) else "" for row in series))
            for place in range(max(map(len, series)))
        ),
    )
