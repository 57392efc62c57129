"""Device memory of one side of a page: its log replayed, its pools, what freeing early would save."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.diagnose.fragmentation import fragmentation
from perfgate.diagnose.lifetimes import early_frees
from perfgate.diagnose.memory import replay
from perfgate.diagnose.memory_log import allocation_log, last_uses, read_counts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perfgate.core.execution_profile import Memory, Profile
    from perfgate.diagnose.fragmentation import Fragmentation
    from perfgate.diagnose.lifetimes import EarlyFrees
    from perfgate.diagnose.memory import Replay

# Shares of the device's memory. Row A60 of the seeds draws its danger zone over 8 GB from 6 GB on, and its
# log warns of usage over 90 %.
SAFE_SHARE = 0.75
DANGER_SHARE = 0.90


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolStrip:
    """A pool as an address space at the peak: `taken` are (offset, bytes, block) in order of address.

    `block` is the place in the replay's blocks, -1 for bytes that no block of the log names.
    """

    name: str
    size: int
    taken: tuple[tuple[int, int, int], ...]

    @property
    def used(self) -> int:
        """Bytes that are taken."""
        return sum(size for _, size, _ in self.taken)

    @property
    def occupancy(self) -> float:
        """Share that is taken."""
        return self.used / self.size if self.size else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryFacts:
    """What the view says of one side. Without a log `played` holds no block, and weights are the only pool.

    `uses` and `reads` are the last reader's end and the count of readers by block. `cache` is the device's
    last cache in bytes, 0 where it is not known.
    """

    memory: Memory
    played: Replay
    uses: Mapping[str, int]
    reads: Mapping[str, int]
    cache: int
    early: EarlyFrees
    pools: tuple[PoolStrip, ...]
    gaps: Fragmentation | None

    @property
    def has_log(self) -> bool:
        """The profile kept its allocations."""
        return bool(self.played.blocks)

    @property
    def peak_ps(self) -> int:
        """When most bytes are live."""
        if self.played.peak is not None:
            return self.played.peak.time
        return max(self.memory.curve, key=lambda point: (point[1], -point[0]), default=(0, 0))[0]

    @property
    def peak_bytes(self) -> int:
        """Most live bytes, weights included."""
        if self.played.peak is not None:
            return self.played.peak.size + self.memory.weights
        return max((size for _, size in self.memory.curve), default=self.memory.peak)

    @property
    def mean_bytes(self) -> float:
        """Live bytes on average over the step, weights included; of a profile without a log 0."""
        return self.played.mean + self.memory.weights if self.has_log else 0.0


def memory_facts(profile: Profile) -> MemoryFacts:
    """Replay one side's log and lay out its pools at the peak."""
    memory = profile.hardware.memory
    played, uses = replay(allocation_log(profile)), last_uses(profile)
    pools = _pools(memory, played)
    return MemoryFacts(
        memory=memory,
        played=played,
        uses=uses,
        reads=read_counts(profile),
        cache=profile.machine.l2.bytes if profile.machine is not None else 0,
        early=early_frees(played, uses),
        pools=pools,
        gaps=_gaps(pools),
    )


def _pools(memory: Memory, played: Replay) -> tuple[PoolStrip, ...]:
    """Weights fill their pool; the arena is what was reserved, or what the plan needs where that is more."""
    strips = []
    if memory.weights:
        strips.append(PoolStrip(name="weights", size=memory.weights, taken=((0, memory.weights, -1),)))
    peak = played.peak
    if peak is not None:
        taken = [
            (block.taken.offset, block.size, place)
            for place, block in enumerate(played.blocks)
            if block.is_live_after(peak.position)
        ]
        size = max(memory.pool, memory.activations, peak.size)
        strips.append(PoolStrip(name="arena", size=size, taken=tuple(sorted(taken))))
    return tuple(strips)


def _gaps(pools: tuple[PoolStrip, ...]) -> Fragmentation | None:
    """None: no log, or a log over several pools whose addresses overlap."""
    arena = next((pool for pool in pools if pool.name == "arena"), None)
    if arena is None:
        return None
    try:
        return fragmentation(((offset, size) for offset, size, _ in arena.taken), arena.size)
    except ValueError:
        return None
