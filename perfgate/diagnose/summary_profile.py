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
from perfgate.core.units import PS_PER_SECOND

if TYPE_CHECKING:
    from perfgate.core.record import Hotspot, ProfileSummary, Record

REST = "(operators under 0.1 %)"
_REST_NUMBER = -2  # -1 is what no operator of the model caused


def profile_of_summary(record: Record) -> Profile | None:
    """Operators with their times and copies; no kernels, no memory.

    None for a record without a summary, and where operators overlapped on several streams: their times do
    not add up to the latency, and the summary does not tell which of them were on the critical path.
    """
    summary = record.profile
    if summary is None:
        return None
    kept = [_operator(spot) for spot in summary.operators]
    rest = summary.total_ps - sum(row.total_ps for row in kept)
    if rest < 0:
        return None
    if rest > 0:
        kept.append(_row(number=_REST_NUMBER, name=REST, op="", scope="", total=rest))
    parts = {name: summary.parts.get(name, 0) for name in ("dispatch", "transfer", "compute", "sync", "wait")}
    return Profile(
        device=record.device,
        application=_application(record, summary),
        graph=_one_stream(len(kept), summary.total_ps),
        operators=tuple(sorted(kept, key=lambda row: row.number)),
        kernels=(),
        copies=(),
        hardware=_no_hardware(),
        parts=Parts(**{f"{name}_ps": time for name, time in parts.items()}),
        exact=dict(record.exact),
        digest=summary.digest,
    )


def _application(record: Record, summary: ProfileSummary) -> Application:
    iterations = record.ruler.protocol.get("iterations", "1")
    seconds = summary.total_ps / PS_PER_SECOND
    return Application(
        total_ps=summary.total_ps,
        iterations=max(1, int(iterations)) if iterations.isdecimal() else 1,
        steps=(StepRow(program="", times=1, makespan_ps=summary.total_ps),),
        throughput=1.0 / seconds if seconds else 0.0,
        copied_bytes=sum(spot.copied_bytes for spot in summary.operators),
        io_bytes=0,
        energy_j=0.0,
        average_w=0.0,
        inferences_per_joule=0.0,
        estimated_share=0.0,
    )


def _one_stream(operators: int, total_ps: int) -> GraphLevel:
    return GraphLevel(
        kernels=0,
        operators=operators,
        streams=1,
        critical_path_ps=0,
        serial_ps=0,
        makespan_ps=total_ps,
        parallelism=0.0,
        gaps=(),
        fused_operators=0,
        duplicates=0,
        passes={},
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
