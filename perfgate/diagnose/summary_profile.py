"""A profile as far as the summary in a record tells: operators above 0.1 % of the time, the rest as one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.execution_profile import (
    Application,
    GraphLevel,
    Hardware,
    Memory,
    OperatorRow,
    Parts,
    Profile,
    StepRow,
)

if TYPE_CHECKING:
    from perfgate.core.record import Hotspot, Record

REST = "(operators under 0.1 %)"
_PS_PER_SECOND = 1e12


def profile_of_summary(record: Record) -> Profile | None:
    """Operators with their times and copies; no kernels, no memory.

    None for a record without a summary, and where operators overlapped on several streams: their times do
    not add up to the latency, and the summary does not tell which of them were on the critical path.
    """
    summary = record.profile
    if summary is None:
        return None
    iterations = record.ruler.protocol.get("iterations", "1")
    steps = int(iterations) if iterations.isdecimal() and int(iterations) else 1
    wait = summary.parts.get("wait", 0)
    kept = [_operator(spot) for spot in summary.operators]
    rest = summary.total_ps - sum(row.total_ps for row in kept)
    if rest < 0:
        return None
    if rest > 0:
        kept.append(_row(number=-1, name=REST, op="", scope="", total=rest))
    seconds = summary.total_ps / _PS_PER_SECOND
    copied = sum(spot.copied_bytes for spot in summary.operators)
    return Profile(
        device=record.device,
        application=Application(
            total_ps=summary.total_ps,
            iterations=steps,
            steps=(StepRow(program="", times=1, makespan_ps=summary.total_ps),),
            throughput=1.0 / seconds if seconds else 0.0,
            copied_bytes=copied,
            io_bytes=0,
            energy_j=0.0,
            average_w=0.0,
            inferences_per_joule=0.0,
            estimated_share=0.0,
        ),
        graph=GraphLevel(
            kernels=0,
            operators=len(kept),
            streams=1,
            critical_path_ps=0,
            serial_ps=0,
            makespan_ps=summary.total_ps,
            parallelism=0.0,
            gaps=(),
            fused_operators=0,
            duplicates=0,
            passes={},
        ),
        operators=tuple(sorted(kept, key=lambda row: row.number)),
        kernels=(),
        copies=(),
        hardware=_no_hardware(),
        parts=Parts(
            dispatch_ps=summary.parts.get("dispatch", 0),
            transfer_ps=summary.parts.get("transfer", 0),
            compute_ps=summary.parts.get("compute", 0),
            sync_ps=summary.parts.get("sync", 0),
            wait_ps=wait,
        ),
        exact=dict(record.exact),
        digest=summary.digest,
    )


def _operator(spot: Hotspot) -> OperatorRow:
    return _row(
        number=spot.number,
        name=spot.name,
        op=spot.op,
        scope=spot.scope,
        total=spot.total_ps,
        copies=spot.copies,
        copied=spot.copied_bytes,
    )


def _row(  # noqa: PLR0913 - keywords only, each one field
    *, number: int, name: str, op: str, scope: str, total: int, copies: int = 0, copied: int = 0
) -> OperatorRow:
    return OperatorRow(
        number=number,
        name=name,
        op=op,
        scope=scope,
        place="",
        kernels=0,
        total_ps=total,
        parts=Parts(compute_ps=total),  # the summary keeps no parts of operators
        bound="",
        flops=0,
        dram_bytes=0,
        l2_bytes=0,
        intensity=0.0,
        intensity_class="",
        is_above_ridge=False,
        copies=copies,
        copied_bytes=copied,
    )


def _no_hardware() -> Hardware:
    memory = Memory(
        peak=0, lower_bound=0, weights=0, activations=0, workspace=0, host=0, capacity=0, curve=(), at_peak=()
    )
    return Hardware(
        busy_ps={},
        busy_share={},
        read_bytes={},
        written_bytes={},
        bandwidth_share={},
        l2_hit_share=0.0,
        parallelism=0.0,
        transfer_ratio=0.0,
        balance=0.0,
        energy_j={},
        memory=memory,
    )
