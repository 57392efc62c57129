"""A traced execution of ONNX Runtime as a profile of ours: its spans by operators of the model."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import msgspec

from perfgate.backends.ort_trace import quiet_execution
from perfgate.core.execution_profile import (
    Application,
    CopyRow,
    GapRow,
    GraphLevel,
    Hardware,
    KernelRow,
    Memory,
    OperatorRow,
    Parts,
    Profile,
    StepRow,
)
from perfgate.core.units import PS_PER_SECOND

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.backends.ort_names import ModelNodes
    from perfgate.backends.ort_trace import Span

COPIES = {"MemcpyToHost": "d2h", "MemcpyFromHost": "h2d", "ReorderInput": "layout", "ReorderOutput": "layout"}


class _Owner(msgspec.Struct, frozen=True):
    """What a span counts for: a node of the model, or one that ONNX Runtime put in."""

    number: int
    name: str
    op: str


def read_profile(spans: Sequence[Sequence[Any]], nodes: ModelNodes, device: str) -> Profile:
    """A quiet execution, put together from all that were traced.

    Operators and gaps of a thread add up to the execution. Nothing is told about flops, memory and energy,
    and the operators that ONNX Runtime puts in to change a layout are implicit copies.

    Raises:
        ValueError: the trace holds no execution.
    """
    length_ps, found = quiet_execution(spans)
    kernels, copies = [], []
    by_owner: dict[_Owner, list[Span]] = defaultdict(list)
    seen: dict[str, int] = defaultdict(int)
    threads = list(dict.fromkeys(span.thread for span in found))
    for index, span in enumerate(found):
        owner = _owner(span, nodes, seen)
        by_owner[owner].append(span)
        kernels.append(_kernel(index, span, owner, threads.index(span.thread)))
        if span.op in COPIES:
            copies.append(_copy(index, span, owner))
    operators = tuple(
        _operator(owner, mine) for owner, mine in sorted(by_owner.items(), key=lambda item: item[0].number)
    )
    gaps = _gaps(found, threads, length_ps)
    profile = Profile(
        device=device,
        application=_application(length_ps, copies),
        graph=GraphLevel(
            kernels=len(found),
            operators=len(operators),
            streams=len(threads),
            critical_path_ps=0,  # not told
            serial_ps=sum(span.own_ps for span in found),
            makespan_ps=length_ps,
            parallelism=sum(span.own_ps for span in found) / length_ps,
            gaps=gaps,
            fused_operators=0,
            duplicates=0,
            passes={},
        ),
        operators=operators,
        kernels=tuple(kernels),
        copies=tuple(copies),
        hardware=_hardware(found, length_ps),
        parts=_busiest(found, length_ps),
        exact={"kernel_count": float(len(found))},
        notes=("each node at its shortest; no counters of arithmetic, memory traffic and energy",),
    )
    rows = [(row.name, row.total_ps, row.copied_bytes) for row in operators]
    return msgspec.structs.replace(profile, digest=hashlib.sha256(msgspec.json.encode(rows)).hexdigest())


def _owner(span: Span, nodes: ModelNodes, seen: dict[str, int]) -> _Owner:
    node = nodes.find(span.name, span.op)
    op = span.op.removeprefix("Fused")
    if node is not None:
        return _Owner(node.number, node.name, op)
    seen[span.op] += 1
    number = len(nodes) + sum(seen.values()) - 1
    return _Owner(number, f"{span.op} #{seen[span.op]}", op)  # by occurrence: its own name holds a counter


def _operator(owner: _Owner, spans: list[Span]) -> OperatorRow:
    total = sum(span.own_ps for span in spans)
    copies = [span for span in spans if span.op in COPIES]
    copied = sum(span.own_ps for span in copies)
    return OperatorRow(
        number=owner.number,
        name=owner.name,
        op=owner.op,
        scope=owner.name.strip("/").replace("/", ".").rpartition(".")[0],
        place="",
        kernels=len(spans),
        total_ps=total,
        parts=Parts(compute_ps=total - copied, transfer_ps=copied),
        bound="",
        flops=0,
        dram_bytes=0,
        l2_bytes=0,
        intensity=0.0,
        intensity_class="",
        is_above_ridge=False,
        copies=len(copies),
        copied_bytes=sum(span.size for span in copies),
        copies_ps=copied,
    )


def _kernel(index: int, span: Span, owner: _Owner, stream: int) -> KernelRow:
    is_copy = span.op in COPIES
    return KernelRow(
        program=0,
        index=index,
        name=span.name.removesuffix("_kernel_time"),
        op=span.op,
        kind="copy" if is_copy else "compute",
        variant="",
        owner=owner.number,
        engine="cpu",
        stream=stream,
        start_ps=span.start_ps,
        duration_ps=span.own_ps,
        slack_ps=0,
        parts=Parts(transfer_ps=span.own_ps) if is_copy else Parts(compute_ps=span.own_ps),
        bound="",
        utilisation=0.0,
        dram_bytes=0,
        l2_bytes=0,
        link_bytes=0,
        implicit=is_copy,
    )


def _copy(index: int, span: Span, owner: _Owner) -> CopyRow:
    return CopyRow(
        program=0,
        kernel=index,
        owner=owner.number,
        direction=COPIES[span.op],
        size=span.size,
        start_ps=span.start_ps,
        duration_ps=span.own_ps,
        implicit=True,
    )


def _gaps(spans: list[Span], threads: list[int], length_ps: int) -> tuple[GapRow, ...]:
    """Time of each thread without a node: between nodes, before the first and after the last one."""
    gaps = []
    for stream, thread in enumerate(threads):
        now = 0
        for span in [item for item in spans if item.thread == thread]:
            if span.start_ps > now:
                gaps.append(_gap(stream, now, span.start_ps, span.name))
            now = max(now, span.start_ps + span.length_ps)
        if length_ps > now:
            gaps.append(_gap(stream, now, length_ps, "the end"))
    return tuple(gaps)


def _gap(stream: int, start_ps: int, end_ps: int, before: str) -> GapRow:
    name = before.removesuffix("_kernel_time")
    return GapRow(
        program=0, stream=stream, start_ps=start_ps, length_ps=end_ps - start_ps, before=name, cause="engine"
    )


def _busiest(spans: list[Span], length_ps: int) -> Parts:
    """Where the time of the busiest thread went; it waits in what is left."""
    by_thread: dict[int, list[Span]] = defaultdict(list)
    for span in spans:
        by_thread[span.thread].append(span)
    mine = max(by_thread.values(), key=lambda item: sum(span.own_ps for span in item), default=[])
    transfer = sum(span.own_ps for span in mine if span.op in COPIES)
    compute = sum(span.own_ps for span in mine) - transfer
    return Parts(transfer_ps=transfer, compute_ps=compute, wait_ps=max(length_ps - transfer - compute, 0))


def _application(length_ps: int, copies: list[CopyRow]) -> Application:
    return Application(
        total_ps=length_ps,
        iterations=1,
        steps=(StepRow(program="onnxruntime", times=1, makespan_ps=length_ps),),
        throughput=PS_PER_SECOND / length_ps,
        copied_bytes=sum(copy.size for copy in copies),
        io_bytes=0,
        energy_j=0.0,
        average_w=0.0,
        inferences_per_joule=0.0,
        estimated_share=0.0,
    )


def _hardware(spans: list[Span], length_ps: int) -> Hardware:
    busy = sum(span.own_ps for span in spans)
    memory = Memory(
        peak=0,
        lower_bound=0,
        weights=0,
        activations=0,
        workspace=0,
        host=0,
        capacity=0,
        curve=(),
        at_peak=(),
    )
    return Hardware(
        busy_ps={"cpu": busy},
        busy_share={"cpu": busy / length_ps},
        read_bytes={},
        written_bytes={},
        bandwidth_share={},
        l2_hit_share=0.0,
        parallelism=busy / length_ps,
        transfer_ratio=0.0,
        balance=0.0,
        energy_j={},
        memory=memory,
    )
