import msgspec
import pytest

from perfgate.compiler.capacity import OutOfMemoryError
from perfgate.compiler.compilation import compile_graph
from perfgate.compiler.config import CompileConfig
from perfgate.compiler.memory_report import memory_events, report_memory
from perfgate.compiler.program import Access, Buffer, Kernel, KernelKind, Pool, Program
from perfgate.compiler.runtime import RuntimeConfig
from tests.graphs import Drawing, codes, compiled, device

KIB = 1024


def program(*blocks: tuple[int, int, int, int]) -> Program:
    """Activations of (offset, size, first, last) in a program of four kernels; the first writes it."""
    buffers = tuple(
        Buffer(number, f"t{number}", size, Pool.ACTIVATIONS, offset=offset, first=first, last=last)
        for number, (offset, size, first, last) in enumerate(blocks)
    )
    kernels = tuple(
        Kernel(
            index, f"k{index}", "Relu", KernelKind.VECTOR, "Relu", "float16", -1, (), (),
            tuple(Access(b.id, b.size) for b in buffers if b.first == index),
        )
        for index in range(4)
    )  # fmt: skip
    return Program("p", "d", kernels, buffers, (), (), ())


def test_peak_bound_and_both_measures_of_fragmentation() -> None:
    # Arena 10k: at kernel 1 live are 0-2k and 6k-9k, that is 5k; free are 4k and 1k.
    # index = 1 - 4 / 5 = 0.2; rate = (10k - 5k) / 10k = 0.5; t2 alone reaches to 10k later.
    report = report_memory(program((0, 2 * KIB, 0, 1), (6 * KIB, 3 * KIB, 1, 2), (9 * KIB, KIB, 3, 3)))
    assert (report.peak, report.lower_bound, report.peak_kernel) == (10 * KIB, 5 * KIB, 1)
    assert report.largest_free == 4 * KIB
    assert report.fragmentation_index == pytest.approx(0.2)
    assert report.fragmentation_rate == pytest.approx(0.5)
    assert report.free_blocks == (2, 0, 0, 0)


def test_who_is_live_at_the_peak_is_listed_by_size_with_its_operator() -> None:
    report = report_memory(program((0, 2 * KIB, 0, 1), (6 * KIB, 3 * KIB, 1, 2)))
    assert [(item.tensor, item.op) for item in report.live_at_peak] == [("t1", "Relu k1"), ("t0", "Relu k0")]


def test_a_reserved_arena_counts_as_free_bytes() -> None:
    report = report_memory(program((0, KIB, 0, 3)), pool_bytes=3 << 30)
    assert report.free_blocks == (0, 0, 0, 1)
    assert report.largest_free == (3 << 30) - KIB


def test_an_empty_arena_is_not_fragmented() -> None:
    report = report_memory(program())
    assert (report.peak, report.fragmentation_index, report.fragmentation_rate) == (0, 0.0, 0.0)


def test_every_alloc_has_its_free() -> None:
    events = memory_events(program((0, 2 * KIB, 0, 1), (6 * KIB, 3 * KIB, 1, 4)))
    assert [(e.kernel, e.kind, e.buffer) for e in events] == [
        (0, "alloc", 0), (1, "alloc", 1), (1, "free", 0), (4, "free", 1),
    ]  # fmt: skip


def test_in_place_results_count_once() -> None:
    draw = Drawing()
    soft = draw.add("Softmax", [draw.input("x", 64, 64)], "soft", axis=-1)
    draw.add("Softmax", [draw.add("Exp", [soft], "exp")], "out", axis=-1)
    report = report_memory(compiled(draw.graph("out")))
    # Two tensors of 64 * 64 * 2 B are live at any time, never three.
    assert report.lower_bound == 2 * 64 * 64 * 2


def test_more_than_the_device_has_is_one_error_with_what_is_wanted_and_the_largest() -> None:
    machine = device()
    tiny = msgspec.structs.replace(machine, dram=msgspec.structs.replace(machine.dram, gb=0))
    draw = Drawing()
    draw.matmul(draw.input("x", 64, 64), "out", 64)
    with pytest.raises(OutOfMemoryError) as caught:
        compile_graph(draw.graph("out"), CompileConfig(), RuntimeConfig(), tiny)
    message = str(caught.value)
    # Weight 64 * 64 * 2 = 8192 B, input and output as much: 24,576 B.
    assert "24.6 kB wanted" in message
    assert "largest at the peak: x 8.19 kB" in message
    assert "smaller batch" in message


def test_an_arena_that_is_too_small_is_an_entry() -> None:
    draw = Drawing()
    draw.matmul(draw.input("x", 64, 64), "out", 64)
    program_ = compiled(draw.graph("out"), runtime=RuntimeConfig(memory_pool=KIB))
    assert codes(program_, "memory") == ["pool-overflow"]
    assert codes(compiled(draw.graph("out"), runtime=RuntimeConfig(memory_pool=1 << 20)), "memory") == []
