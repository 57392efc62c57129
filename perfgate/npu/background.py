"""What other work on the device costs a kernel that is ready to run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.compiler.runtime import StreamPriority

if TYPE_CHECKING:
    from perfgate.compiler.runtime import RuntimeConfig

_PS_PER_US = 1_000_000
_RANKS = {StreamPriority.LOW: 0, StreamPriority.NORMAL: 1, StreamPriority.HIGH: 2}


def background_wait(runtime: RuntimeConfig) -> int:
    """Expected wait of one kernel for other work on the device, in picoseconds.

    Kernels are not interrupted, so even the highest priority waits for the rest of a running one: R = load *
    length / 2. At equal priority also for those in the queue: R / (1 - load); at a lower one for those that
    come later as well: R / (1 - load)^2. Means of a queue with one server and constant service.
    """
    other = runtime.background
    if other is None:
        return 0
    rest = other.load * other.kernel_us * _PS_PER_US / 2
    free = 1.0 - other.load
    own, theirs = _RANKS[runtime.stream_priority], _RANKS[other.priority]
    if own > theirs:
        return round(rest)
    if own == theirs:
        return round(rest / free)
    return round(rest / (free * free))
