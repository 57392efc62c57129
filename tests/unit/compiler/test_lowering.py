import msgspec

from perfgate.compiler.program import KernelKind, Pool
from perfgate.compiler.provenance import fates_of
from tests.graphs import Drawing, compiled, ops


def test_inputs_and_outputs_are_copied_and_nobody_calls_that_implicit() -> None:
    draw = Drawing()
    draw.add("Exp", [draw.input("x", 64)], "out")
    program = compiled(draw.graph("out"))
    assert [(k.kind, k.link_bytes, k.implicit) for k in program.kernels if k.link_bytes] == [
        (KernelKind.H2D, 128, False), (KernelKind.D2H, 128, False),
    ]  # fmt: skip


def test_unified_memory_copies_nothing() -> None:
    draw = Drawing()
    draw.add("Exp", [draw.input("x", 64)], "out")
    program = compiled(draw.graph("out"), on="orin-like")
    assert [kernel.op for kernel in program.kernels] == ["Exp"]
    assert next(buffer for buffer in program.buffers if buffer.tensor == "x").first == 0


def test_tensors_that_stay_on_the_device_are_not_copied() -> None:
    draw = Drawing()
    draw.add("Exp", [draw.input("x", 64)], "out")
    program = compiled(draw.graph("out", resident='["x", "out"]'))
    assert [kernel.kind for kernel in program.kernels] == [KernelKind.VECTOR]


def test_an_entry_of_another_form_keeps_the_copies() -> None:
    draw = Drawing()
    draw.add("Exp", [draw.input("x", 64)], "out")
    assert len(compiled(draw.graph("out", resident="{")).kernels) == 3


def test_bytes_pad_to_the_burst() -> None:
    # 33 fp16 elements are 66 B, three bursts of 32 B.
    draw = Drawing()
    draw.add("Exp", [draw.input("x", 33)], "out")
    (kernel,) = [kernel for kernel in compiled(draw.graph("out")).kernels if kernel.op == "Exp"]
    assert (kernel.reads[0].size, kernel.writes[0].size) == (96, 96)


def test_blocked_tensors_pad_their_channels() -> None:
    # 20 channels fill two blocks of 16: 1 * 32 * 8 * 8 * 2 B.
    draw = Drawing()
    draw.conv(draw.input("x", 1, 20, 8, 8), "out", 32)
    program = compiled(draw.graph("out"))
    (conv,) = [kernel for kernel in program.kernels if kernel.op == "Conv"]
    assert conv.reads[0].size == 4096


def test_a_gather_reads_what_it_takes_not_the_whole_table() -> None:
    draw = Drawing()
    table = draw.weight("table", 30000, 64)
    draw.add("Gather", [table, draw.input("ids", 4, dtype="int64")], "out", (4, 64), dtype="float16")
    (kernel,) = [kernel for kernel in compiled(draw.graph("out")).kernels if kernel.op == "Gather"]
    assert [access.size for access in kernel.reads] == [4 * 64 * 2, 32]  # four rows; four indices of 8 B


def test_shapes_and_axes_are_not_read() -> None:
    draw = Drawing()
    x = draw.input("x", 64, 64)
    starts = [draw.constant(name, [value]) for name, value in (("from", 0), ("to", 32), ("axis", 0))]
    draw.add("Slice", [x, *starts], "out", (32, 64))
    (kernel,) = [kernel for kernel in compiled(draw.graph("out")).kernels if kernel.op == "Slice"]
    assert len(kernel.reads) == 1


def test_a_view_is_no_kernel_and_its_user_depends_on_the_real_writer() -> None:
    draw = Drawing()
    soft = draw.add("Softmax", [draw.input("x", 8, 8)], "soft", axis=-1)
    draw.add("Exp", [draw.add("Reshape", [soft], "flat", (64,))], "out")
    program = compiled(draw.graph("out"))
    names = {kernel.name: kernel for kernel in program.kernels}
    assert "flat" not in names
    assert names["out"].dependencies == (names["soft"].index,)
    assert names["out"].reads[0].buffer == names["soft"].writes[0].buffer


def test_weights_lie_in_a_pool_of_their_own() -> None:
    draw = Drawing()
    draw.matmul(draw.input("x", 64, 64), "out", 64)
    program = compiled(draw.graph("out"))
    assert [b.tensor for b in program.buffers if b.pool is Pool.WEIGHTS] == ["out.weight"]


def test_an_unknown_operator_is_marked_as_estimated() -> None:
    draw = Drawing()
    draw.add("Custom", [draw.input("x", 64)], "out", estimated=True)
    (kernel,) = [kernel for kernel in compiled(draw.graph("out")).kernels if kernel.op == "Custom"]
    assert kernel.is_estimated


def test_a_product_with_stacked_results_of_a_loop_writes_them_once() -> None:
    draw = Drawing()
    draw.split("LoopEnter", [draw.input("a", 4)], ["state"], [(4,)])
    draw.add("Exp", ["state"], "next", repeat=3)
    draw.split("LoopExit", ["next", "next"], ["last", "all"], [(4,), (3, 4)], carried=1)
    program = compiled(draw.graph("last", "all"))
    (stack,) = [kernel for kernel in program.kernels if kernel.op == "LoopExit"]
    assert [program.buffers[access.buffer].tensor for access in stack.writes] == ["all"]
    back = [kernel.link_bytes for kernel in program.kernels if kernel.kind is KernelKind.D2H]
    assert back == [8, 24]


def decoder(*, shared: bool = False) -> Drawing:
    """A cache of 2048 places that takes one new row, read by a product."""
    draw = Drawing()
    cache, new = draw.input("cache", 1, 2048, 64), draw.input("new", 1, 1, 64)
    place = draw.input("place", 1, dtype="int64")
    draw.add("TensorScatter", [cache, new, place], "cached", axis=1)
    draw.matmul("cached", "out", 64)
    if shared:
        draw.add("Exp", [cache], "other")
    return draw


def test_a_cache_that_the_model_updates_stays_on_the_device() -> None:
    program = compiled(decoder().graph("out", "cached"))
    copied = [kernel.name for kernel in program.kernels if kernel.link_bytes]
    assert copied == ["new:h2d", "place:h2d", "out:d2h"]


def test_only_the_new_places_of_a_cache_are_moved() -> None:
    program = compiled(decoder().graph("out", "cached"))
    (update,) = [kernel for kernel in program.kernels if kernel.op == "TensorScatter"]
    assert [access.size for access in update.writes] == [64 * 2]
    assert [program.buffers[access.buffer].tensor for access in update.reads] == ["new", "place"]
    assert program.buffers[update.writes[0].buffer].tensor == "cache"
    (product,) = [kernel for kernel in program.kernels if kernel.op == "MatMul"]
    assert update.index in product.dependencies


def test_a_cache_that_is_read_elsewhere_is_copied() -> None:
    program = compiled(decoder(shared=True).graph("out", "cached", "other"))
    (update,) = [kernel for kernel in program.kernels if kernel.op == "TensorScatter"]
    assert update.writes[0].size == update.reads[0].size == 2048 * 64 * 2


def test_operators_that_the_model_keeps_on_the_host_run_there() -> None:
    draw = Drawing()
    soft = draw.add("Softmax", [draw.input("x", 64, 64)], "soft", axis=-1)
    first = draw.add("Exp", [soft], "first")
    draw.add("TopK", [draw.add("Neg", [first], "second")], "picked")
    draw.add("Softmax", ["picked"], "out", axis=-1)
    program = compiled(draw.graph("out", host_scopes='["model.second", "model.picked"]'))
    placed = [(k.kind.value, k.name) for k in program.kernels]
    assert placed[2:] == [
        ("vector", "first"),
        ("d2h", "first:d2h"),
        ("host", "second"),
        ("host", "picked"),
        ("h2d", "picked:h2d"),
        ("vector", "out"),
        ("d2h", "out:d2h"),
    ]
    assert not any(kernel.implicit for kernel in program.kernels)
    assert fates_of(program).lost(len(program.owners)) == ()


def test_a_result_of_the_host_that_leaves_the_model_is_not_copied_again() -> None:
    draw = Drawing()
    draw.add("TopK", [draw.add("Softmax", [draw.input("x", 64)], "soft", axis=-1)], "out")
    program = compiled(draw.graph("out", host_scopes='["model.out"]'))
    assert [kernel.kind.value for kernel in program.kernels] == ["h2d", "vector", "d2h", "host"]


def test_a_foreign_operator_that_is_called_like_a_known_one_is_not_taken_for_it() -> None:
    draw = Drawing()
    draw.add("Conv", [draw.input("x", 1, 32, 25, 41)], "out", estimated=True)
    graph = draw.graph("out")
    foreign = msgspec.structs.replace(graph.nodes[0], domain="com.example")
    program = compiled(msgspec.structs.replace(graph, nodes=(foreign,)), layout="NCHW")
    assert ops(program) == ["com.example.Conv"]
    assert [kernel.kind for kernel in program.kernels if kernel.is_estimated] == [KernelKind.VECTOR]
