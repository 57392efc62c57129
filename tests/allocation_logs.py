"""Allocation logs made by hand, for tests of everything that replays them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from perfgate.diagnose.memory import ALLOC, FREE, AllocationEvent

if TYPE_CHECKING:
    from collections.abc import Sequence

MB = 1_000_000


def alloc(time: int, block: str, size: int, **fields: object) -> AllocationEvent:
    """`size` bytes taken under the name of the block."""
    event = AllocationEvent(time=time, kind=ALLOC, block=block, size=size)
    return msgspec.structs.replace(event, **fields)


def free(time: int, block: str, iteration: int = 0) -> AllocationEvent:
    """The block given back."""
    return AllocationEvent(time=time, kind=FREE, block=block, iteration=iteration)


def training_step() -> list[AllocationEvent]:
    """Seven events in ms and MB: input, weights, activations and gradients of one step (row A60)."""
    return [
        alloc(0, "A1", 2100 * MB, tensor="input", op="Input"),
        alloc(10, "A2", 1800 * MB, tensor="weights", op="Conv"),
        alloc(12, "A3", 2300 * MB, tensor="activations", op="Conv"),
        free(25, "A1"),
        alloc(30, "A4", 3200 * MB, tensor="gradients", op="ConvGrad"),
        free(45, "A3"),
        free(50, "A4"),
    ]


def leaking_run() -> list[AllocationEvent]:
    """Allocations by operator type as in row A70: two blocks of Conv2D and five of Attention stay."""
    counts: Sequence[tuple[str, int, int, int]] = (
        ("MatMul", 1250, 1250, 8 * MB),
        ("Conv2D", 2340, 2338, 78 * MB),
        ("BatchNorm", 890, 890, 2 * MB),
        ("Attention", 450, 445, 64 * MB),
        ("Embedding", 120, 120, 4 * MB),
    )
    events = []
    for op, allocations, frees, size in counts:
        for number in range(allocations):
            block = f"{op}{number}"
            scope = f"model.{op.lower()}.{number % 2}"
            events.append(alloc(2 * number, block, size, op=op, scope=scope, iteration=number))
            if number < frees:
                events.append(free(2 * number + 1, block, number))
    return events
