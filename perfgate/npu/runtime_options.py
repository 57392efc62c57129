"""How a loaded program is run, in the terms of the scheduler."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from perfgate.npu.list_schedule import Sharing

if TYPE_CHECKING:
    from perfgate.core.device import Device

_PS_PER_US = 1_000_000


class Priority(IntEnum):
    """Order of ready kernels against other work on the device."""

    LOW = 0
    NORMAL = 1
    HIGH = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Background:
    """Other work on the device: the share of time it takes, its priority and the length of its kernels."""

    load: float
    kernel_us: float
    priority: Priority = Priority.NORMAL


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeOptions:
    """Runtime keys as numbers. `pool_bytes` 0: the arena is as large as the plan needs."""

    streams: int = 1
    is_pinned: bool = False
    priority: Priority = Priority.NORMAL
    background: Background | None = None
    pool_bytes: int = 0
    sharing: Sharing = Sharing.FAST
    reuses_l2: bool = True


def background_wait(options: RuntimeOptions) -> int:
    """Expected wait of one kernel for other work on the device, in picoseconds.

    Kernels are not interrupted, so even the highest priority waits for the rest of a running one: R = load *
    length / 2. At equal priority also for those in the queue: R / (1 - load); at a lower one for those that
    come later as well: R / (1 - load)^2. Means of a queue with one server and constant service.
    """
    other = options.background
    if other is None:
        return 0
    rest = other.load * other.kernel_us * _PS_PER_US / 2
    free = 1.0 - other.load
    if options.priority > other.priority:
        return round(rest)
    if options.priority == other.priority:
        return round(rest / free)
    return round(rest / (free * free))


def event_ps(device: Device) -> int:
    """Cost of an event between two streams."""
    return round(device.runtime.event_us * _PS_PER_US)
