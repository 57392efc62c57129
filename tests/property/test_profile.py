"""Profiles: levels nest exactly, metrics repeat the levels, JSON gives the same value back."""

from __future__ import annotations

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from perfgate.compiler.program import Program  # noqa: TC001 - hypothesis reads the annotations
from perfgate.compiler.runtime import RuntimeConfig
from perfgate.core.execution_profile import Profile, scope_totals, summarise
from perfgate.npu.device_file import list_devices, load_device
from perfgate.npu.phase import Phase
from perfgate.npu.profiling import build_profile
from perfgate.npu.simulation import simulate
from tests.programs import programs

DEVICES = {name: load_device(name) for name in list_devices()}


@st.composite
def profiles(draw: st.DrawFn, streams: st.SearchStrategy[int]) -> tuple[list[Phase], Profile]:
    device = DEVICES[draw(st.sampled_from(list_devices()))]
    runtime = RuntimeConfig(streams=draw(streams), memory_pool=draw(st.sampled_from((0, 1 << 20))))
    phases = [
        Phase(execution=simulate(draw(programs(largest=20)), device, runtime), times=draw(st.integers(1, 30)))
        for _ in range(draw(st.integers(1, 2)))
    ]
    return phases, build_profile(phases)


@settings(max_examples=50, deadline=None)
@given(drawn=profiles(st.integers(1, 3)))
def test_kernels_sum_to_operators_and_operators_to_scopes(drawn: tuple[list[Phase], Profile]) -> None:
    _, profile = drawn
    by_owner: dict[int, int] = {}
    for row in profile.kernels:
        assert row.parts.duration_ps == row.duration_ps
        spent = (row.duration_ps + row.parts.wait_ps) * row.times
        by_owner[row.owner] = by_owner.get(row.owner, 0) + spent
    for operator in profile.operators:
        assert operator.parts.duration_ps + operator.parts.wait_ps == operator.total_ps
        assert by_owner.pop(operator.number) == operator.total_ps
    assert not by_owner
    totals = scope_totals(profile.operators)
    assert totals[""] == sum(row.total_ps for row in profile.operators)
    for scope, total in totals.items():
        below = [
            value for name, value in totals.items() if name.rpartition(".")[0] == scope and name != scope
        ]
        own = sum(row.total_ps for row in profile.operators if row.scope == scope)
        assert total == own + sum(below)


@settings(max_examples=50, deadline=None)
@given(drawn=profiles(st.just(1)))
def test_on_one_stream_operators_and_parts_sum_to_the_whole_execution(
    drawn: tuple[list[Phase], Profile],
) -> None:
    phases, profile = drawn
    total = sum(phase.total_ps for phase in phases)
    assert profile.application.total_ps == total
    assert sum(row.total_ps for row in profile.operators) == total
    assert profile.parts.duration_ps + profile.parts.wait_ps == total


@settings(max_examples=50, deadline=None)
@given(drawn=profiles(st.integers(1, 3)))
def test_copies_bytes_leave_one_side_and_arrive_on_the_other(drawn: tuple[list[Phase], Profile]) -> None:
    _, profile = drawn
    implicit = sum(row.size * row.times for row in profile.copies if row.implicit)
    explicit = sum(row.size * row.times for row in profile.copies if not row.implicit)
    assert implicit == profile.exact["copied_bytes"] == sum(row.copied_bytes for row in profile.operators)
    assert explicit == profile.exact["io_bytes"]
    moved = profile.hardware
    assert moved.read_bytes["link"] + moved.written_bytes["link"] == implicit + explicit


@settings(max_examples=50, deadline=None)
@given(drawn=profiles(st.integers(1, 3)))
def test_a_profile_survives_json(drawn: tuple[list[Phase], Profile]) -> None:
    _, profile = drawn
    assert msgspec.json.decode(msgspec.json.encode(profile), type=Profile) == profile
    assert summarise(profile).digest == profile.digest


@settings(max_examples=20, deadline=None)
@given(program=programs(largest=20))
def test_the_same_program_gives_the_same_profile(program: Program) -> None:
    device = DEVICES["ascend-310p-like"]
    first, second = (build_profile([Phase(execution=simulate(program, device))]) for _ in range(2))
    assert first == second
