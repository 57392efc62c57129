"""The allocation log of a profile's step, with the operators behind its buffers and their last uses."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from perfgate.diagnose.memory import ALLOC, AllocationEvent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perfgate.core.execution_profile import KernelRow, MemoryEventRow, OperatorRow, Profile

GRID = 512  # bytes that the simulated allocator rounds up to (`compiler.memory.ALIGNMENT`, a test compares)
OUTSIDE = -1  # the number of nobody: inputs and weights
_UPLOAD = "h2d"


def allocation_log(profile: Profile) -> tuple[AllocationEvent, ...]:
    """Events of one step of one program; sizes are what a buffer occupies on the allocator's grid.

    Empty where the profile keeps no log (more than 5,000 kernels, or a backend without one). Weights are in
    no log: `Memory.weights` lies under its curve.
    """
    writers = _writers(profile)
    operators = {row.number: row for row in profile.operators}
    found = []
    owners: dict[int, int] = {}
    for row in profile.hardware.memory.events:
        if row.kind == ALLOC:
            owners[row.buffer] = _owner(row, writers)
        found.append(_event(row, operators.get(owners.get(row.buffer, OUTSIDE))))
    return tuple(found)


def last_uses(profile: Profile) -> dict[str, int]:
    """When the last operator that reads a buffer has ended, by block of the profile's `allocation_log`.

    From the data flow between operators, so never too early: a reader without a buffer of its own may have
    written its result in place, and counts with its own readers. A block is absent when nothing is known.
    """
    readers, log = _readers(profile), allocation_log(profile)
    ends: dict[int, int] = {}
    for kernel in _kernels(profile):
        ends[kernel.owner] = max(ends.get(kernel.owner, 0), kernel.start_ps + kernel.duration_ps)
    owners = {event.owner for event in log if event.kind == ALLOC}
    last = {
        owner: max(ends.get(user, 0) for user in _users(owner, readers, owners))
        for owner in owners
        if owner != OUTSIDE
    }
    return {event.block: last[event.owner] for event in log if event.kind == ALLOC and event.owner in last}


def read_counts(profile: Profile) -> dict[str, int]:
    """How many operators read what the writer of a buffer wrote, by block of `allocation_log`."""
    readers = _readers(profile)
    taken = [event for event in allocation_log(profile) if event.kind == ALLOC and event.owner != OUTSIDE]
    return {event.block: len(readers[event.owner]) for event in taken if event.owner in readers}


def _readers(profile: Profile) -> dict[int, set[int]]:
    """Operators that read it, by the operator that writes."""
    readers: dict[int, set[int]] = defaultdict(set)
    for flow in profile.flows:
        if flow.source != OUTSIDE:
            readers[flow.source].add(flow.target)
    return readers


def _users(owner: int, readers: Mapping[int, set[int]], with_buffer: set[int]) -> set[int]:
    """The operator, its readers, and the readers of those that have no buffer of their own."""
    users, waiting = {owner}, [owner]
    while waiting:
        for reader in readers.get(waiting.pop(), ()):
            if reader not in users:
                users.add(reader)
                if reader not in with_buffer:
                    waiting.append(reader)
    return users


def _event(row: MemoryEventRow, operator: OperatorRow | None) -> AllocationEvent:
    return AllocationEvent(
        time=row.time_ps,
        kind=row.kind,
        block=str(row.buffer),
        size=-(-row.size // GRID) * GRID,
        tensor=row.tensor,
        op="" if operator is None else operator.op,
        scope="" if operator is None else operator.scope,
        owner=OUTSIDE if operator is None else operator.number,
        offset=row.offset,
    )


def _kernels(profile: Profile) -> list[KernelRow]:
    """Those of the program whose step the log is of."""
    program = profile.hardware.memory.program
    return [kernel for kernel in profile.kernels if kernel.program == program]


def _writers(profile: Profile) -> dict[int, list[KernelRow]]:
    """Kernels by their start, without the uploads of inputs: those belong to the caller."""
    found: dict[int, list[KernelRow]] = defaultdict(list)
    for kernel in _kernels(profile):
        if kernel.kind != _UPLOAD or kernel.implicit:
            found[kernel.start_ps].append(kernel)
    return found


def _owner(row: MemoryEventRow, writers: Mapping[int, list[KernelRow]]) -> int:
    """A buffer is taken when its writer starts; of several streams' kernels the one that bears its name."""
    starting = writers.get(row.time_ps, [])
    stem = row.tensor.partition("@")[0]
    named = [kernel for kernel in starting if kernel.name.startswith(stem)]
    if named or len(starting) == 1:
        return (named or starting)[0].owner
    return OUTSIDE
