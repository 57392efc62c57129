"""Blocks and peaks of device memory in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.units import readable
from perfgate.report.html.shown import shown
from perfgate.report.html.time_axis import readable_ps

if TYPE_CHECKING:
    from perfgate.diagnose.memory import Block
    from perfgate.report.html.memory_facts import MemoryFacts


def peak_text(facts: MemoryFacts) -> str:
    """The peak in a line, with what reached it and who holds most of it."""
    texts = [f"peak {readable(facts.peak_bytes, 'B')} at {readable_ps(facts.peak_ps)}"]
    if facts.memory.capacity:
        texts.append(f"{facts.peak_bytes / facts.memory.capacity:.1%} of the device".replace("%", " %"))
    peak = facts.played.peak
    if peak is not None:
        reached, owner = peak.reached_by, peak.owner
        texts.append(f"reached by {block_name(reached)}")
        texts.append(f"most of it held by {block_owner(owner)}")
        texts.append(f"{len(peak.live)} tensors live")
    return ", ".join(texts)


def block_name(block: Block) -> str:
    """The tensor of a block, safe to show."""
    return shown(block.taken.tensor)


def block_owner(block: Block) -> str:
    """The operator that wrote a block, as `#447 Conv`, or that it came from outside."""
    taken = block.taken
    return f"#{taken.owner} {shown(taken.op)}" if taken.owner >= 0 else "the caller"


def block_text(facts: MemoryFacts, block: Block) -> str:
    """One block in a line."""
    end = "the end" if block.end is None else readable_ps(block.end)
    texts = [
        f"{block_name(block)}: {readable(block.size, 'B')} of {block_owner(block)}",
        f"from {readable_ps(block.start)} to {end}",
    ]
    used = facts.uses.get(block.taken.block)
    if used is not None and block.end is not None and used < block.end:
        texts.append(f"read last at {readable_ps(used)}")
    return ", ".join(texts)
