"""Schedules of random graphs: order, exclusive engines, bounds of the makespan, Graham's bound."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from perfgate.compiler.program import Program  # noqa: TC001 - hypothesis reads the annotations
from perfgate.compiler.runtime import Background, RuntimeConfig, StreamPriority
from perfgate.npu.device_file import load_device
from perfgate.npu.list_schedule import Sharing, Task, list_schedule
from perfgate.npu.schedule import engine_of
from perfgate.npu.simulation import Execution, simulate
from perfgate.npu.stream_plan import longest_path
from tests.programs import programs

DEVICE = load_device("ascend-310p-like")
EVENT_PS = 1_500_000  # runtime.event_us of the device file


@st.composite
def runtimes(draw: st.DrawFn) -> RuntimeConfig:
    background = Background(load=0.3, kernel_us=50) if draw(st.booleans()) else None
    return RuntimeConfig(
        streams=draw(st.integers(1, 4)),
        pinned_memory=draw(st.booleans()),
        stream_priority=draw(st.sampled_from(list(StreamPriority))),
        background=background,
        memory_pool=draw(st.sampled_from((0, 1 << 20))),
    )


def overlaps(execution: Execution, group: list[int]) -> bool:
    """Two kernels with the same group value run at the same time."""
    schedule = execution.schedule
    spans = sorted(zip(group, schedule.start.tolist(), schedule.end.tolist(), strict=True))
    return any(left[0] == right[0] and left[2] > right[1] for left, right in pairwise(spans))


@settings(max_examples=80, deadline=None)
@given(program=programs(), runtime=runtimes(), sharing=st.sampled_from(list(Sharing)))
def test_nothing_overlaps_on_a_stream_or_an_engine_and_producers_end_first(
    program: Program, runtime: RuntimeConfig, sharing: Sharing
) -> None:
    execution = simulate(program, DEVICE, runtime, sharing)
    schedule = execution.schedule
    assert not overlaps(execution, schedule.stream.tolist())
    assert not overlaps(execution, engine_of(execution.columns.kind).tolist())
    for kernel in program.kernels:
        for before in kernel.dependencies:
            assert schedule.start[kernel.index] >= schedule.end[before]


@settings(max_examples=80, deadline=None)
@given(program=programs(), runtime=runtimes(), sharing=st.sampled_from(list(Sharing)))
def test_the_makespan_lies_between_its_bounds(
    program: Program, runtime: RuntimeConfig, sharing: Sharing
) -> None:
    execution = simulate(program, DEVICE, runtime, sharing)
    schedule = execution.schedule
    lengths = (schedule.end - schedule.start).tolist()
    dependencies = [kernel.dependencies for kernel in program.kernels]
    engines = engine_of(execution.columns.kind).tolist()
    busiest = max(
        sum(length for length, engine in zip(lengths, engines, strict=True) if engine == number)
        for number in set(engines)
    )
    leads = schedule.wait.sum() if schedule.streams == 1 else 0
    edges = sum(len(before) for before in dependencies)
    assert max(longest_path(dependencies, lengths), busiest) <= schedule.makespan
    if runtime.background is None and not runtime.memory_pool:
        assert schedule.makespan <= sum(lengths) + leads + EVENT_PS * edges


@settings(max_examples=60, deadline=None)
@given(program=programs(), runtime=runtimes(), sharing=st.sampled_from(list(Sharing)))
def test_durations_waits_and_idle_time_of_every_stream_sum_to_the_makespan(
    program: Program, runtime: RuntimeConfig, sharing: Sharing
) -> None:
    schedule = simulate(program, DEVICE, runtime, sharing).schedule
    for stream in range(schedule.streams):
        own = schedule.stream == stream
        if not own.any():
            continue
        inside = int((schedule.end - schedule.start)[own].sum()) + int(schedule.wait[own].sum())
        assert inside + schedule.makespan - int(schedule.end[own].max()) == schedule.makespan


@settings(max_examples=60, deadline=None)
@given(program=programs(), runtime=runtimes(), sharing=st.sampled_from(list(Sharing)))
def test_slack_is_never_negative_and_none_is_left_on_the_critical_path(
    program: Program, runtime: RuntimeConfig, sharing: Sharing
) -> None:
    schedule = simulate(program, DEVICE, runtime, sharing).schedule
    assert (schedule.slack >= 0).all()
    assert all(schedule.slack[index] == 0 for index in schedule.critical)
    assert schedule.end[schedule.critical[-1]] == schedule.makespan


@settings(max_examples=40, deadline=None)
@given(program=programs())
def test_exact_sharing_of_idle_memory_changes_nothing(program: Program) -> None:
    exact = simulate(program, DEVICE, sharing=Sharing.EXACT)
    none = simulate(program, DEVICE, sharing=Sharing.NONE)
    assert exact.makespan_ps == none.makespan_ps == int(none.schedule.end[-1])


@st.composite
def tasks(draw: st.DrawFn, engines: int) -> list[Task]:
    count = draw(st.integers(1, 60))
    result = []
    for index in range(count):
        before = draw(st.sets(st.integers(0, index - 1), max_size=3)) if index else set()
        result.append(
            Task(
                duration=draw(st.integers(0, 1000)),
                engine=draw(st.integers(0, engines - 1)),
                follows=tuple((p, 0) for p in sorted(before)),
            )
        )
    return result


@settings(max_examples=80, deadline=None)
@given(work=tasks(1), units=st.integers(1, 4))
def test_equal_units_keep_grahams_bound(work: list[Task], units: int) -> None:
    # Graham 1969: a list schedule on m equal machines needs at most 2 - 1/m times the optimum, and that is at
    # least max(total / m, longest path).
    _, end = list_schedule(work, [units])
    durations = [task.duration for task in work]
    path = longest_path([[p for p, _ in task.follows] for task in work], durations)
    bound = max(sum(durations) / units, path)
    assert max(end) <= (2 - 1 / units) * bound + 1e-6


@settings(max_examples=80, deadline=None)
@given(work=tasks(3), units=st.tuples(*[st.integers(1, 3)] * 3))
def test_typed_units_keep_their_bound(work: list[Task], units: tuple[int, ...]) -> None:
    # He, Liu, Sun 2015 and SIMULATOR section 8: sum(W_t / m_t) + (1 - 1 / max m_t) * critical path.
    _, end = list_schedule(work, units)
    durations = [task.duration for task in work]
    path = longest_path([[p for p, _ in task.follows] for task in work], durations)
    load = sum(
        sum(task.duration for task in work if task.engine == engine) / count
        for engine, count in enumerate(units)
    )
    assert max(end) <= load + (1 - 1 / max(units)) * path + 1e-6
