"""The profile of an execution: phases in, five levels out."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from perfgate.core.execution_profile import (
    Application,
    CopyRow,
    GapRow,
    GraphLevel,
    OperatorRow,
    Parts,
    Profile,
    StepRow,
)
from perfgate.npu.background import background_wait
from perfgate.npu.columns import D2H, H2D, LAYOUT
from perfgate.npu.energy import step_energy
from perfgate.npu.flow_rows import flow_rows
from perfgate.npu.hardware_level import hardware_level
from perfgate.npu.kernel_rows import kernel_rows
from perfgate.npu.operator_rows import operator_rows
from perfgate.npu.stream_plan import longest_path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.npu.columns import Ints
    from perfgate.npu.phase import Phase
    from perfgate.npu.simulation import Execution

_SECONDS_PER_PS = 1e-12
_CYCLES_PER_PS = 1_000_000  # picoseconds of one cycle at 1 MHz


def build_profile(phases: Sequence[Phase], notes: tuple[str, ...] = (), shapes: int = 1) -> Profile:
    """Profile of all phases together; the first one is the usual step and gives the graph level.

    `shapes` are those that the compile command made a program for.

    Raises:
        ValueError: no phase.
    """
    if not phases:
        raise ValueError("an execution has at least one phase")
    device = phases[0].execution.device
    operators = operator_rows(phases, device)
    energy = _energy(phases)
    application = _application(phases, operators, sum(energy.values()), shapes * len(phases))
    hardware = hardware_level(phases, energy)
    profile = Profile(
        device=device.name,
        application=application,
        graph=_graph(phases[0].execution, operators),
        operators=operators,
        kernels=kernel_rows(phases),
        copies=_copies(phases),
        hardware=hardware,
        parts=_critical_stream(phases),
        exact={
            "cycles": float(application.total_ps * device.freq_mhz // _CYCLES_PER_PS),
            "copied_bytes": float(application.copied_bytes),
            "io_bytes": float(application.io_bytes),
            "kernel_count": float(sum(_launches(phase) for phase in phases)),
            "peak_memory": float(hardware.memory.peak),
            "energy_j": application.energy_j,
            "programs": float(application.programs),
            "artefact_bytes": float(hardware.memory.weights),
        },
        notes=notes,
        flows=flow_rows(phases),
        pass_log=phases[0].execution.program.pass_log,
        machine=msgspec.structs.replace(device, sources={}),
    )
    return msgspec.structs.replace(profile, digest=_digest(profile))


def _digest(profile: Profile) -> str:
    """SHA-256 of what decides a diagnosis: totals, exact metrics and the parts of every operator."""
    rows = [(row.number, row.name, row.parts, row.dram_bytes, row.copied_bytes) for row in profile.operators]
    content = (profile.device, profile.application, profile.parts, profile.exact, rows)
    return sha256(msgspec.json.encode(content)).hexdigest()


def _application(
    phases: Sequence[Phase], operators: tuple[OperatorRow, ...], energy_j: float, programs: int
) -> Application:
    total_ps = sum(phase.total_ps for phase in phases)
    seconds = total_ps * _SECONDS_PER_PS
    estimated = sum(row.total_ps for row in operators if row.is_estimated)
    spent = sum(row.total_ps for row in operators)
    return Application(
        total_ps=total_ps,
        iterations=sum(phase.times for phase in phases),
        steps=tuple(
            StepRow(
                program=phase.execution.program.name,
                times=phase.times,
                makespan_ps=phase.execution.makespan_ps,
            )
            for phase in phases
        ),
        throughput=1.0 / seconds if seconds else 0.0,
        copied_bytes=sum(_link_bytes(phase, implicit=True) for phase in phases),
        io_bytes=sum(_link_bytes(phase, implicit=False) for phase in phases),
        energy_j=energy_j,
        average_w=energy_j / seconds if seconds else 0.0,
        inferences_per_joule=1.0 / energy_j if energy_j else 0.0,
        estimated_share=estimated / spent if spent else 0.0,
        programs=programs,
    )


def _link_bytes(phase: Phase, *, implicit: bool) -> int:
    columns = phase.execution.columns
    chosen = (columns.kind > LAYOUT) & (columns.implicit == implicit)
    return int((columns.link_bytes * columns.repeat)[chosen].sum()) * phase.times


def _launches(phase: Phase) -> int:
    columns = phase.execution.columns
    return int(columns.repeat[columns.kind <= LAYOUT].sum()) * phase.times


def _energy(phases: Sequence[Phase]) -> dict[str, float]:
    total: dict[str, float] = {}
    for phase in phases:
        for name, joules in step_energy(phase.execution).items():
            total[name] = total.get(name, 0.0) + joules * phase.times
    return total


def _graph(execution: Execution, operators: tuple[OperatorRow, ...]) -> GraphLevel:
    schedule, program = execution.schedule, execution.program
    durations = (execution.costs.duration * execution.columns.repeat).tolist()
    critical = longest_path([kernel.dependencies for kernel in program.kernels], durations)
    serial = sum(durations)
    decisions = Counter((entry.pass_name, entry.applied) for entry in program.pass_log)
    names = dict.fromkeys(name for name, _ in decisions)
    other = execution.runtime.background
    return GraphLevel(
        kernels=len(program.kernels),
        operators=len(operators),
        streams=schedule.streams,
        critical_path_ps=critical,
        serial_ps=serial,
        makespan_ps=schedule.makespan,
        parallelism=serial / critical if critical else 0.0,
        gaps=tuple(
            GapRow(
                program=0,
                stream=gap.stream,
                start_ps=gap.start,
                length_ps=gap.length,
                before=program.kernels[gap.kernel].name,
                cause=gap.cause,
            )
            for gap in schedule.gaps
        ),
        fused_operators=decisions["fusion", True],
        duplicates=decisions["cse", True],
        passes={name: (decisions[name, True], decisions[name, False]) for name in names},
        priority=str(execution.runtime.stream_priority) if other is not None else "",
        background_priority=str(other.priority) if other is not None else "",
        background_ps=_background(execution),
        without_kernel=tuple([program.owners[residue.node].name for residue in program.residues]),
    )


def _background(execution: Execution) -> int:
    columns = execution.columns
    waits = int(columns.repeat[columns.kind <= LAYOUT].sum())
    return background_wait(execution.runtime) * waits


def _copies(phases: Sequence[Phase]) -> tuple[CopyRow, ...]:
    rows = []
    for number, phase in enumerate(phases):
        columns, schedule = phase.execution.columns, phase.execution.schedule
        for index in np.flatnonzero((columns.kind == H2D) | (columns.kind == D2H)).tolist():
            program = phase.execution.program
            kernel = program.kernels[index]
            rows.append(
                CopyRow(
                    program=number,
                    kernel=index,
                    owner=program.owners[kernel.owner].number if kernel.owner >= 0 else -1,
                    direction=str(kernel.kind),
                    size=kernel.link_bytes,
                    start_ps=int(schedule.start[index]),
                    duration_ps=int(schedule.end[index] - schedule.start[index]),
                    implicit=kernel.implicit,
                    times=phase.times * kernel.repeat,
                )
            )
    return tuple(rows)


def _critical_stream(phases: Sequence[Phase]) -> Parts:
    """Parts of the stream that ends last; with its waits they sum to the whole execution."""
    sums = np.zeros(5, dtype=np.int64)
    for phase in phases:
        execution = phase.execution
        schedule, costs = execution.schedule, execution.costs
        if not execution.columns.size:
            continue
        chosen = schedule.stream == schedule.stream[int(schedule.end.argmax())]

        def total(values: Ints, chosen: Ints = chosen, times: int = phase.times) -> int:
            return int(values[chosen].sum()) * times

        repeat = execution.columns.repeat
        sums += np.array(
            [
                total(costs.dispatch * repeat),
                total(costs.transfer * repeat + schedule.stretch),
                total(costs.compute * repeat),
                total(costs.sync * repeat),
                total(schedule.wait),
            ],
            dtype=np.int64,
        )
    dispatch, transfer, compute, sync, wait = sums.tolist()
    return Parts(dispatch_ps=dispatch, transfer_ps=transfer, compute_ps=compute, sync_ps=sync, wait_ps=wait)
