"""Profiles to draw: small ones of simulated programs, large ones, and such with names nobody wants."""

from __future__ import annotations

from functools import cache

import msgspec

from perfgate.compiler.program import Access, Kernel, KernelKind
from perfgate.compiler.runtime import RuntimeConfig
from perfgate.core.execution_profile import Parts, Profile
from perfgate.npu.device_file import load_device
from perfgate.npu.phase import Phase
from perfgate.npu.profiling import build_profile
from perfgate.npu.simulation import simulate
from tests.programs import make_kernel, make_program, matmul

DEVICE = load_device("ascend-310p-like")
COPIED = 1 << 20
HOSTILE = (
    '</script><img src=x onerror="alert(1)">',
    "semi;colon and space\nnew line\ttab\u2028separator",
    "nul\0 rtl \u202e end",
    "half \ud800 pair",
    "卷积 × 2",
    "x" * 10_000,
    "",
    "." * 5_000,
)


def branches(count: int = 3) -> list[Kernel]:
    """A copy in, matrix products that do not depend on each other, and one kernel that needs them all."""
    return [
        make_kernel(0, KernelKind.H2D, link_bytes=COPIED, reads=(), writes=(Access(0, COPIED),)),
        *(matmul(index, 64 * index, 128, 256, [0]) for index in range(1, count + 1)),
        make_kernel(
            count + 1, KernelKind.VECTOR, list(range(1, count + 1)), vector_work=4096, owner=1, op="Concat"
        ),
        make_kernel(
            count + 2, KernelKind.D2H, [count + 1], link_bytes=COPIED // 2, owner=1, implicit=True,
            op="Copy", variant="d2h", reads=(), writes=(),
        ),
    ]  # fmt: skip


@cache
def two_streams(times: int = 3) -> Profile:
    """Three branches on two streams, `times` iterations."""
    program = make_program(branches(), name="net")
    return build_profile([Phase(execution=simulate(program, DEVICE, RuntimeConfig(streams=2)), times=times)])


@cache
def two_programs() -> Profile:
    """A usual step that runs four times and a cached one that runs twice; the second needs more memory."""
    usual, cached = make_program(branches(2), name="usual"), make_program(branches(4), name="cached")
    first, second = (simulate(program, DEVICE) for program in (usual, cached))
    return build_profile([Phase(execution=first, times=4), Phase(execution=second, times=2)])


@cache
def ten_thousand() -> Profile:
    """10,000 kernels, of which a profile lists the longest 200 and one row for the rest."""
    kernels = [
        make_kernel(index, KernelKind.VECTOR, [index - 1] if index else [], vector_work=(index % 7 + 1) << 12)
        for index in range(10_000)
    ]
    return build_profile([Phase(execution=simulate(make_program(kernels), DEVICE), times=2)])


@cache
def listed_ten_thousand() -> Profile:
    """10,000 rows, as a tool might write them that lists every kernel."""
    small = two_streams(1)
    row = next(item for item in small.kernels if item.kind == "matrix")
    rows = [
        msgspec.structs.replace(
            row, index=index, start_ps=index * 1_000_333, duration_ps=1_000_333, stream=0,
            parts=Parts(compute_ps=1_000_333), after=(index - 1,) if index else (),
        )
        for index in range(10_000)
    ]  # fmt: skip
    step = msgspec.structs.replace(small.application.steps[0], makespan_ps=10_000 * 1_000_333)
    application = msgspec.structs.replace(small.application, steps=(step,), total_ps=step.makespan_ps)
    return msgspec.structs.replace(small, kernels=tuple(rows), copies=(), application=application)


@cache
def hostile() -> Profile:
    """Kernels, operators, scopes, places, programs and device with names that break formats and pages."""
    program = make_program(branches(len(HOSTILE)))
    profile = build_profile([Phase(execution=simulate(program, DEVICE), times=2)])
    names = [HOSTILE[index % len(HOSTILE)] for index in range(len(profile.kernels))]
    step = msgspec.structs.replace(profile.application.steps[0], program=HOSTILE[1])
    return msgspec.structs.replace(
        profile,
        device=HOSTILE[2],
        application=msgspec.structs.replace(profile.application, steps=(step,)),
        kernels=tuple(
            msgspec.structs.replace(row, name=name, op=name, variant=name, layout=name)
            for row, name in zip(profile.kernels, names, strict=True)
        ),
        operators=tuple(
            msgspec.structs.replace(row, name=name, scope=scope, place=name)
            for row, name, scope in zip(profile.operators, HOSTILE, reversed(HOSTILE), strict=False)
        ),
    )
