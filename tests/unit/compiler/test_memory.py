from perfgate.compiler.memory import ALIGNMENT, Timing, aligned, plan_buffers
from perfgate.compiler.program import Pool
from perfgate.compiler.runtime import RuntimeConfig
from perfgate.compiler.storage import Storage
from tests.graphs import Drawing, compiled, device

KIB = 1024


def storage(*lives: tuple[int, int, int]) -> Storage:
    """Activations of (size, first kernel, last kernel)."""
    found = Storage(device())
    for number, (size, first, last) in enumerate(lives):
        buffer = found.add_raw(f"t{number}", size, Pool.ACTIVATIONS, "")
        found.first[buffer], found.last[buffer] = first, last
    return found


def offsets(found: Storage, kernels: int = 10, *, reuses: bool = True) -> list[int]:
    plan = plan_buffers(found, Timing(kernels, frozenset(), None, reuses)).buffers
    return [buffer.offset for buffer in plan]


def test_sizes_lie_on_a_grid_of_512_bytes() -> None:
    assert [aligned(size) for size in (1, 512, 513)] == [512, 512, 1024]
    assert ALIGNMENT == 512


def test_lives_that_do_not_overlap_share_bytes() -> None:
    assert offsets(storage((KIB, 0, 1), (KIB, 2, 3))) == [0, 0]


def test_a_buffer_that_is_read_when_another_is_written_keeps_its_bytes() -> None:
    assert offsets(storage((KIB, 0, 1), (KIB, 1, 2))) == [0, KIB]


def test_large_buffers_are_placed_first_and_small_ones_take_the_smallest_gap() -> None:
    # Placed by size: 8k at 0 (lives 0-5), 4k at 8k (lives 0-5); then 2k (6-9) needs no gap: 0.
    assert offsets(storage((2 * KIB, 6, 9), (8 * KIB, 0, 5), (4 * KIB, 0, 5))) == [0, 0, 8 * KIB]
    # Blocks at 0-4k and 12k-20k leave gaps 8k and the open end; a 2k buffer goes to the closed gap.
    found = storage((20 * KIB, 8, 8), (4 * KIB, 0, 5), (8 * KIB, 0, 5), (2 * KIB, 0, 5))
    assert offsets(found)[1:] == [8 * KIB, 0, 12 * KIB]


def test_without_reuse_every_buffer_has_bytes_of_its_own() -> None:
    assert offsets(storage((KIB, 0, 1), (KIB, 2, 3)), reuses=False) == [0, KIB]


def elementwise_chain() -> Drawing:
    draw = Drawing()
    hidden = draw.add("Softmax", [draw.input("x", 64, 64)], "soft", axis=-1)
    draw.add("Softmax", [draw.add("Exp", [hidden], "exp")], "out", axis=-1)
    return draw


def test_an_elementwise_result_overwrites_an_operand_that_dies_with_it() -> None:
    program = compiled(elementwise_chain().graph("out"))
    result = next(buffer for buffer in program.buffers if buffer.tensor == "exp")
    operand = next(buffer for buffer in program.buffers if buffer.tensor == "soft")
    assert (result.in_place_of, result.offset) == (operand.id, operand.offset)


def test_an_operand_that_is_read_later_is_not_overwritten() -> None:
    draw = elementwise_chain()
    draw.add("Softmax", ["soft"], "late", axis=-1)
    program = compiled(draw.graph("out", "late"))
    assert next(buffer for buffer in program.buffers if buffer.tensor == "exp").in_place_of == -1


def test_results_live_to_the_end() -> None:
    program = compiled(elementwise_chain().graph("out"))
    assert next(b for b in program.buffers if b.tensor == "out").last == len(program.kernels)


def test_branches_on_two_streams_do_not_share_bytes_that_one_stream_would() -> None:
    draw = Drawing()
    x = draw.input("x", 64, 64)
    for branch, op in (("a", "Softmax"), ("b", "LogSoftmax")):
        first = draw.add(op, [x], f"{branch}1", axis=-1)
        second = draw.add("Softmax", [first], f"{branch}2", axis=-1)
        draw.add("ReduceSum", [second], f"{branch}3", (64, 1))
    draw.add("Add", ["a3", "b3"], "out")
    graph = draw.graph("out")
    one, two = compiled(graph), compiled(graph, runtime=RuntimeConfig(streams=2))
    assert two.peak_memory > one.peak_memory
    names = {buffer.tensor: buffer for buffer in two.buffers}
    assert names["a2"].offset != names["b2"].offset
    assert (
        compiled(graph, runtime=RuntimeConfig(streams=2), single_stream=True).peak_memory == one.peak_memory
    )


def test_the_pass_can_be_switched_off() -> None:
    graph = elementwise_chain().graph("out")
    assert compiled(graph, disabled_passes=frozenset({"memory"})).peak_memory > compiled(graph).peak_memory


def test_memory_of_a_kernels_own_is_planned_for_several_streams_too() -> None:
    draw = Drawing()
    draw.conv(draw.input("x", 1, 32, 25, 41), "out", 32)
    program = compiled(draw.graph("out"), layout="NHWC", runtime=RuntimeConfig(streams=2))
    assert any(buffer.pool is Pool.WORKSPACE for buffer in program.buffers)
