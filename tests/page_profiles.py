"""Profiles for tests of the page: a small one with a known change, a large one, one with hostile names."""

from __future__ import annotations

import msgspec

from perfgate.core.execution_profile import (
    Application,
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
from perfgate.report.html.material import Material, pair_operators
from tests.diagnose_sides import profile_of as simulated
from tests.diagnose_sides import side
from tests.html_material import HOSTILE

HOSTILE_HERE = (*HOSTILE, "@name{safe}", "$$\\alpha$$", "line\u2028separator", "'\"`&amp;<b>")
US = 1_000_000  # picoseconds
ENGINES = ("matrix", "vector", "dma")


def operator(number: int, name: str, total_ps: int, **fields: object) -> OperatorRow:
    """An operator that computes all its time."""
    row = OperatorRow(
        number=number, name=name, op="MatMul", scope="", place="", kernels=1, total_ps=total_ps,
        parts=Parts(compute_ps=total_ps), bound="matrix", flops=2 * total_ps, dram_bytes=total_ps // 100,
        l2_bytes=0, intensity=200.0, intensity_class="compute", is_above_ridge=True,
    )  # fmt: skip
    return msgspec.structs.replace(row, **fields)


def kernel(row: OperatorRow, start_ps: int, **fields: object) -> KernelRow:
    """The one kernel of an operator, on stream 0."""
    made = KernelRow(
        program=0, index=row.number, name=row.name, op=row.op, kind="matrix", variant="", owner=row.number,
        engine="matrix", stream=0, start_ps=start_ps, duration_ps=row.parts.duration_ps, slack_ps=0,
        parts=msgspec.structs.replace(row.parts, wait_ps=0), bound=row.bound, utilisation=0.5,
        dram_bytes=row.dram_bytes, l2_bytes=0, link_bytes=0, critical=True,
    )  # fmt: skip
    return msgspec.structs.replace(made, **fields)


def profile_of(
    operators: list[OperatorRow], kernels: list[KernelRow], gaps: tuple[GapRow, ...] = ()
) -> Profile:
    """A profile of one step that runs once, as long as its kernels reach."""
    makespan = max((row.start_ps + row.duration_ps for row in kernels), default=0)
    total = sum(row.total_ps for row in operators)
    return Profile(
        device="drawn-device",
        application=Application(
            total_ps=makespan, iterations=1, steps=(StepRow(program="step", times=1, makespan_ps=makespan),),
            throughput=1.0, copied_bytes=0, io_bytes=0, energy_j=1.0, average_w=1.0, inferences_per_joule=1.0,
            estimated_share=0.0,
        ),
        graph=GraphLevel(
            kernels=len(kernels), operators=len(operators), streams=1 + max(row.stream for row in kernels),
            critical_path_ps=makespan, serial_ps=total, makespan_ps=makespan, parallelism=1.0, gaps=gaps,
            fused_operators=0, duplicates=0, passes={},
        ),
        operators=tuple(operators),
        kernels=tuple(kernels),
        copies=(),
        hardware=Hardware(
            busy_ps={"matrix": total}, busy_share={"matrix": 0.5}, read_bytes={}, written_bytes={},
            bandwidth_share={}, l2_hit_share=0.0, parallelism=1.0, transfer_ratio=0.0, balance=1.0,
            energy_j={"matrix": 1.0},
            memory=Memory(
                peak=4096, lower_bound=4096, weights=0, activations=4096, workspace=0, host=0,
                capacity=1 << 20, curve=((0, 0), (makespan // 2, 4096), (makespan, 0)),
                at_peak=(("tensor", 4096, operators[0].name),),
            ),
        ),
        parts=Parts(compute_ps=makespan),
        exact={},
    )  # fmt: skip


def material(before: Profile | None, after: Profile) -> Material:
    """A page's material without a diagnosis."""
    return Material(
        benchmark="drawn",
        device=after.device,
        before=before,
        after=after,
        diagnosis=None,
        operators=pair_operators(None if before is None else before.operators, after.operators),
    )


def in_a_row(names: dict[str, int]) -> Profile:
    """Operators one after the other on one stream, by name and time in microseconds; no time: not there."""
    operators, kernels, start = [], [], 0
    for number, (name, time) in enumerate(names.items()):
        if time:
            row = operator(number, name, time * US)
            operators.append(row)
            kernels.append(kernel(row, start))
            start += time * US
    return profile_of(operators, kernels)


def large(count: int, streams: int, *, slower: int = -1) -> Profile:
    """`count` operators dealt to streams; number `slower` takes three times as long as it would.

    Lengths repeat from 1 to 97 us, every tenth kernel waits for the stream beside its own.
    """
    operators, kernels, gaps = [], [], []
    end = [0] * streams
    last = [-1] * streams
    for number in range(count):
        stream = number % streams
        length = (1 + number * 31 % 97) * US * (3 if number == slower else 1)
        row = operator(
            number, f"model.block_{number // 400}.layer_{number // 20 % 20}.operator_{number}", length
        )
        after = [last[stream]] if last[stream] >= 0 else []
        start = end[stream]
        other = (stream + 1) % streams
        if number % 10 == 0 and last[other] >= 0:
            after.append(last[other])
            if end[other] > start:
                gaps.append(
                    GapRow(
                        program=0, stream=stream, start_ps=start, length_ps=end[other] - start,
                        before=row.name, cause="producer",
                    )
                )  # fmt: skip
                start = end[other]
        operators.append(row)
        kernels.append(
            kernel(
                row, start, stream=stream, engine=ENGINES[number % 3], after=tuple(after),
                slack_ps=0 if stream == 0 else US, critical=stream == 0,
            )
        )  # fmt: skip
        end[stream] = start + length
        last[stream] = number
    return profile_of(operators, kernels, tuple(gaps))


def hostile() -> Profile:
    """Operators whose names attack a page."""
    return in_a_row({name: 10 + place for place, name in enumerate(HOSTILE_HERE)})


def incident() -> Material:
    """The layout flag of a small diffusion model flipped: host copies in the middle block."""
    before, after = (
        simulated(side("sd_unet", "tiny", flags={"--optypelayout": layout, "--precision_mode": "force_fp16"}))
        for layout in ("NHWC", "NCHW")
    )
    return material(before, after)
