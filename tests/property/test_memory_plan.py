from __future__ import annotations

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from perfgate.compiler.memory import Timing, aligned, plan_buffers
from perfgate.compiler.memory_report import live_bytes, memory_events, pool_extent, report_memory
from perfgate.compiler.program import Pool
from perfgate.compiler.runtime import RuntimeConfig
from perfgate.compiler.storage import Storage
from tests.graphs import Drawing, compiled, device

KERNELS = 40
LIVES = st.lists(
    st.tuples(st.integers(1, 9000), st.integers(0, KERNELS - 1), st.integers(0, 12)), min_size=1, max_size=60
)
MACHINE = device()


@settings(max_examples=100, deadline=None)
@given(LIVES)
def test_buffers_that_live_at_the_same_time_never_overlap(lives: list[tuple[int, int, int]]) -> None:
    storage = Storage(MACHINE)
    for number, (size, first, length) in enumerate(lives):
        buffer = storage.add_raw(f"t{number}", size, Pool.ACTIVATIONS, "")
        storage.first[buffer], storage.last[buffer] = first, min(KERNELS, first + length)
    buffers, extents = plan_buffers(storage, Timing(KERNELS, frozenset()))
    assert extents == {Pool.ACTIVATIONS: pool_extent(buffers, Pool.ACTIVATIONS)}
    for a, b in combinations(buffers, 2):
        if a.first <= b.last and b.first <= a.last:
            assert a.offset + a.size <= b.offset or b.offset + b.size <= a.offset
    assert pool_extent(buffers, Pool.ACTIVATIONS) >= int(live_bytes(buffers, KERNELS).max())
    assert pool_extent(buffers, Pool.ACTIVATIONS) <= sum(aligned(size) for size, _, _ in lives)


@st.composite
def graphs(draw: st.DrawFn) -> Drawing:
    """Random graphs of up to 25 operators, each reading one or two of the values before it."""
    drawing = Drawing()
    values = [drawing.input("x", 16, 16)]
    for number in range(draw(st.integers(1, 25))):
        first = draw(st.sampled_from(values))
        second = draw(st.sampled_from(values))
        op = draw(st.sampled_from(["Add", "Exp", "Softmax", "MatMul", "Reshape"]))
        name = f"n{number}"
        if op in {"Add", "MatMul"}:
            values.append(drawing.add(op, [first, second], name))
        elif op == "Softmax":
            values.append(drawing.add(op, [first], name, axis=-1))
        else:
            values.append(drawing.add(op, [first], name))
    return drawing


@settings(max_examples=60, deadline=None)
@given(graphs(), st.integers(2, 4))  # on one stream nothing overlaps
def test_kernels_that_may_overlap_never_share_bytes_they_touch(drawing: Drawing, streams: int) -> None:
    last = drawing.graph().nodes[-1].outputs[0]
    program = compiled(drawing.graph(last), runtime=RuntimeConfig(streams=streams))
    before: list[set[int]] = []
    for kernel in program.kernels:
        before.append(set(kernel.dependencies).union(*(before[d] for d in kernel.dependencies)))
    touched = [
        [program.buffers[a.buffer] for a in (*kernel.reads, *kernel.writes)] for kernel in program.kernels
    ]
    for late, kernel in enumerate(program.kernels):
        for early in set(range(late)) - before[late]:
            written = [program.buffers[a.buffer] for a in kernel.writes]
            for a in written:
                for b in touched[early]:
                    same_pool = a.pool is b.pool and a.id != b.id
                    assert not same_pool or a.offset + a.size <= b.offset or b.offset + b.size <= a.offset


@settings(max_examples=60, deadline=None)
@given(graphs())
def test_values_survive_until_they_are_read(drawing: Drawing) -> None:
    """Replay the kernels in order: each read finds the bytes that the writer of its buffer left."""
    last = drawing.graph().nodes[-1].outputs[0]
    program = compiled(drawing.graph(last))
    owner_of_bytes: dict[tuple[str, int], int] = {}
    for kernel in program.kernels:
        for access in kernel.reads:
            buffer = program.buffers[access.buffer]
            if buffer.pool is Pool.ACTIVATIONS:
                for block in range(buffer.offset, buffer.offset + aligned(buffer.size), 512):
                    assert owner_of_bytes[buffer.pool, block] == buffer.id
        for access in kernel.writes:
            buffer = program.buffers[access.buffer]
            for block in range(buffer.offset, buffer.offset + aligned(buffer.size), 512):
                owner_of_bytes[buffer.pool, block] = buffer.id


@settings(max_examples=40, deadline=None)
@given(graphs())
def test_the_report_agrees_with_the_log(drawing: Drawing) -> None:
    last = drawing.graph().nodes[-1].outputs[0]
    program = compiled(drawing.graph(last))
    live, peak = 0, 0
    events = memory_events(program)
    by_kernel: dict[int, list[int]] = {}
    for event in events:
        by_kernel.setdefault(event.kernel, []).append(
            aligned(event.size) * (1 if event.kind == "alloc" else -1)
        )
    for kernel in sorted(by_kernel):
        live += sum(change for change in by_kernel[kernel] if change > 0)
        peak = max(peak, live)
        live += sum(change for change in by_kernel[kernel] if change < 0)
    report = report_memory(program)
    assert report.lower_bound == report.weights + peak
    assert live == 0
    assert 0.0 <= report.fragmentation_index <= 1.0
    assert 0.0 <= report.fragmentation_rate <= 1.0
