"""What HTML views are made of, by hand: a small model before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from perfgate.core.execution_profile import (
    Application,
    CopyRow,
    FlowRow,
    GraphLevel,
    Hardware,
    Memory,
    OperatorRow,
    Parts,
    Profile,
)
from perfgate.report.html.material import Material, pair_operators

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MS = 10**9  # picoseconds
HOSTILE = (
    "</script><img src=x onerror=alert(1)>",
    "{{x}}",
    "@{x}",
    "x" * 10_000,
    "\u202egnp.exe",
    "a\x00b",
    "a.b" * 3000,
)


def operator(number: int, name: str, total_ps: int, **fields: object) -> OperatorRow:
    """An operator whose scope is what stands before its last dot."""
    row = OperatorRow(
        number=number,
        name=name,
        op="Conv",
        scope=name.rpartition(".")[0],
        place="",
        kernels=1,
        total_ps=total_ps,
        parts=Parts(compute_ps=total_ps),
        bound="compute",
        flops=0,
        dram_bytes=0,
        l2_bytes=0,
        intensity=0.0,
        intensity_class="memory",
        is_above_ridge=False,
    )
    return msgspec.structs.replace(row, **fields)


def copy(owner: int, size: int, times: int = 1, *, implicit: bool = True) -> CopyRow:
    """A copy that an operator needs."""
    return CopyRow(
        program=0, kernel=0, owner=owner, direction="d2h", size=size, start_ps=0, duration_ps=1,
        implicit=implicit, times=times,
    )  # fmt: skip


EMPTY_MEMORY = Memory(
    peak=0, lower_bound=0, weights=0, activations=0, workspace=0, host=0, capacity=0, curve=(), at_peak=()
)


def profile(
    operators: Iterable[OperatorRow],
    flows: Iterable[tuple[int, int, int]] = (),
    copies: Iterable[CopyRow] = (),
    memory: Memory = EMPTY_MEMORY,
) -> Profile:
    """A profile of these rows; the time of an execution is the sum over its operators."""
    rows = tuple(operators)
    total = sum(row.total_ps for row in rows)
    return Profile(
        device="dev",
        application=Application(
            total_ps=total, iterations=1, steps=(), throughput=0.0, copied_bytes=0, io_bytes=0, energy_j=0.0,
            average_w=0.0, inferences_per_joule=0.0, estimated_share=0.0,
        ),
        graph=GraphLevel(
            kernels=0, operators=len(rows), streams=1, critical_path_ps=total, serial_ps=total,
            makespan_ps=total, parallelism=1.0, gaps=(), fused_operators=0, duplicates=0, passes={},
        ),
        operators=rows,
        kernels=(),
        copies=tuple(copies),
        hardware=Hardware(
            busy_ps={}, busy_share={}, read_bytes={}, written_bytes={}, bandwidth_share={}, l2_hit_share=0.0,
            parallelism=1.0, transfer_ratio=0.0, balance=1.0, energy_j={}, memory=memory,
        ),
        parts=Parts(compute_ps=total),
        exact={},
        flows=tuple(FlowRow(*flow) for flow in flows),
    )  # fmt: skip


def material(before: Profile | None, after: Profile) -> Material:
    """Both sides paired."""
    return Material(
        benchmark="toy",
        device="dev",
        before=before,
        after=after,
        diagnosis=None,
        operators=pair_operators(None if before is None else before.operators, after.operators),
    )


def chain(times: Sequence[int], sizes: Sequence[int], scope: str = "net.block.") -> Profile:
    """Operators in a row, each of which reads what the one before wrote."""
    rows = [operator(number, f"{scope}{number}", time) for number, time in enumerate(times)]
    return profile(rows, [(number, number + 1, size) for number, size in enumerate(sizes)])
