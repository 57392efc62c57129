import pytest

from perfgate.compiler.program import KernelKind, Program
from perfgate.compiler.switches import Fusion
from perfgate.graph.ir import Graph
from perfgate.graph.loading import load
from perfgate.zoo.catalogue import build
from tests.graphs import BLOCKED_DEVICE, GPU, Drawing, compiled, entries

CROSSING = 8 * 1280 * 17 * 12 * 2  # batch, channels, map and fp16 of the middle: SIMULATOR section 5


@pytest.fixture(scope="module")
def poster() -> Graph:
    return load(build("sd_unet", "poster").SerializeToString(), name="sd_unet.onnx")


def crossings(program: Program) -> list[str]:
    """Owners of the host round trips, one entry each."""
    return [program.owners[k.owner].name for k in program.kernels if k.kind is KernelKind.HOST]


def implicit_bytes(program: Program) -> int:
    return sum(kernel.link_bytes for kernel in program.kernels if kernel.implicit)


def test_the_incident_copies_ten_tensors_of_the_middle_over_the_host(poster: Graph) -> None:
    # SIMULATOR section 5: 10 per step; 4,177,920 B * 10 * 28 steps * 2 directions = 2,339,635,200 B.
    program = compiled(poster, layout="NCHW")
    owners = crossings(program)
    assert len(owners) == 10
    assert CROSSING == 4_177_920
    assert {k.link_bytes for k in program.kernels if k.implicit and k.link_bytes} == {CROSSING}
    assert implicit_bytes(program) * 28 == 2_339_635_200
    assert owners.count("UNet.mid_block.resnet.1.conv2") == 3


def test_the_incident_takes_68_moves_on_the_device_above_the_middle(poster: Graph) -> None:
    # 56 conversions, and 12 Transposes around attention that are views when pixels are stored channels last.
    program = compiled(poster, layout="NCHW")
    conversions = [k for k in program.kernels if k.kind is KernelKind.LAYOUT and k.implicit]
    moves = [
        k for k in program.kernels
        if k.op == "Transpose" and "mid_block" not in k.name and k.name.endswith(("enter", "leave"))
    ]  # fmt: skip
    assert (len(conversions), len(moves)) == (56, 12)


@pytest.mark.parametrize("layout", ["NHWC", ""])
def test_channels_last_or_nothing_pinned_copies_nothing(poster: Graph, layout: str) -> None:
    program = compiled(poster, layout=layout)
    assert crossings(program) == []
    assert implicit_bytes(program) == 0


def test_without_the_fused_residual_the_operator_has_two_crossings(poster: Graph) -> None:
    owners = crossings(compiled(poster, layout="NCHW", fusion_off=frozenset({Fusion.CONV_ADD})))
    assert len(owners) == 9
    assert owners.count("UNet.mid_block.resnet.1.conv2") == 2


@pytest.mark.parametrize("name", [GPU, "orin-like", "ascend-910b-like"])
def test_devices_with_a_route_for_every_stride_copy_nothing(poster: Graph, name: str) -> None:
    assert crossings(compiled(poster, on=name, layout="NCHW")) == []


def test_an_image_whose_middle_is_aligned_copies_nothing() -> None:
    # 1024 x 1024: the middle is 16 x 16, 512 B per channel, 16 DMA blocks.
    graph = load(build("sd_unet", "poster_1024").SerializeToString(), name="sd_unet.onnx")
    assert crossings(compiled(graph, layout="NCHW")) == []


def odd_map(height: int = 25, width: int = 41) -> Graph:
    draw = Drawing()
    draw.add("Relu", [draw.conv(draw.input("x", 1, 32, height, width), "conv", 32)], "out")
    return draw.graph("out")


def test_stride_1025_logs_the_aligned_strides_beside_it() -> None:
    # 25 * 41 = 1025 elements; one DMA block of 32 B holds 16 of fp16: 1024 is 64 blocks, 1040 is 65.
    program = compiled(odd_map(), layout="NCHW")
    facts = {tuple(sorted(e.details.items())) for e in entries(program, "layout", applied=False)}
    expected = {"stride": 1025, "alignment": 16, "nearest": 1024, "pad_to": 1040, "route": "host"}
    assert facts == {tuple(sorted(expected.items()))}
    assert crossings(program) == ["conv", "conv"]
    assert "no-route" in entries(program, "layout", applied=False)[0].reason


def test_an_aligned_map_is_converted_on_the_device() -> None:
    program = compiled(odd_map(32, 32), layout="NCHW")
    assert crossings(program) == []
    assert [k.variant for k in program.kernels if k.op == "TransData"] == ["NCHW->NC1HWC0", "NC1HWC0->NCHW"]


def test_a_round_trip_is_three_implicit_kernels_that_hand_the_bytes_on() -> None:
    program = compiled(odd_map(), layout="NCHW")
    trip = [kernel for kernel in program.kernels if kernel.implicit][:3]
    assert [kernel.kind for kernel in trip] == [KernelKind.D2H, KernelKind.HOST, KernelKind.H2D]
    assert trip[0].writes == trip[1].reads
    assert trip[1].writes == trip[2].reads
    assert trip[1].elements == 32 * 1025
    assert trip[1].dependencies == (trip[0].index,)
    assert [program.buffers[a.buffer].pool for a in (*trip[0].writes, *trip[1].writes)] == ["host", "host"]


def test_a_conversion_back_to_a_form_that_still_exists_is_dropped() -> None:
    draw = Drawing()
    first = draw.conv(draw.input("x", 1, 32, 32, 32), "conv1", 32)
    draw.conv(first, "out", 32)
    program = compiled(draw.graph("out"), layout="NCHW")
    assert [k.variant for k in program.kernels if k.op == "TransData"] == ["NCHW->NC1HWC0", "NC1HWC0->NCHW"]
    assert any(e.reason.startswith("pair-cancels") for e in entries(program, "layout"))


def test_users_share_one_conversion() -> None:
    draw = Drawing()
    x, scale, shift = draw.input("x", 1, 32, 32, 32), draw.weight("s", 32), draw.weight("b", 32)
    hidden = draw.add("GroupNormalization", [x, scale, shift], "norm", num_groups=4)
    draw.conv(hidden, "a", 32)
    draw.conv(hidden, "b", 32)
    program = compiled(draw.graph("a", "b"), layout="NCHW")
    into_blocks = [k for k in program.kernels if k.variant == "NCHW->NC1HWC0"]
    assert len(into_blocks) == 1


def test_a_plain_channel_vector_has_no_layout() -> None:
    draw = Drawing()
    pooled = draw.add("GlobalAveragePool", [draw.input("x", 1, 32, 5, 5)], "pooled", (1, 32, 1, 1))
    draw.conv(pooled, "out", 32, kernel=1)
    program = compiled(draw.graph("out"), layout="NCHW")
    assert [k for k in program.kernels if k.implicit] == []


@pytest.mark.parametrize(("layout", "kernels"), [("NHWC", 0), ("NCHW", 1)])
def test_a_transpose_to_channels_last_is_a_view_where_pixels_are_stored_so(layout: str, kernels: int) -> None:
    draw = Drawing()
    normed = draw.add("MaxPool", [draw.input("x", 1, 32, 8, 8)], "pool", kernel_shape=(1, 1))
    rows = draw.add("Transpose", [normed], "rows", (1, 8, 8, 32), perm=(0, 2, 3, 1))
    draw.matmul(draw.add("Reshape", [rows], "tokens", (64, 32)), "out", 32)
    program = compiled(draw.graph("out"), layout=layout, input_layout=layout)
    assert len([k for k in program.kernels if k.op == "Transpose"]) == kernels


def test_a_pin_by_operator_leaves_the_others_alone() -> None:
    draw = Drawing()
    conv = draw.conv(draw.input("x", 1, 32, 25, 41), "conv", 32)
    draw.add("MaxPool", [conv], "out", kernel_shape=(1, 1))
    graph = draw.graph("out")
    assert crossings(compiled(graph, type_layouts={"MaxPool": "NCHW"})) == []
    assert crossings(compiled(graph, type_layouts={"Conv": "NCHW"})) == ["conv", "conv"]


def test_a_type_entry_beats_the_bare_form() -> None:
    assert crossings(compiled(odd_map(), layout="NCHW", type_layouts={"Conv": "NHWC"})) == []


def test_inputs_that_come_channels_last_need_no_conversion() -> None:
    graph = odd_map(32, 32)
    first = compiled(graph, layout="NHWC", input_layout="NHWC").kernels[1]
    assert first.op == "Conv"
    assert compiled(graph, layout="NHWC", input_layout="NCHW").kernels[1].op == "TransData"


def test_a_product_converts_rows_that_are_no_whole_blocks() -> None:
    # 48 fp16 elements are three blocks of 32 B; 50 are not whole blocks.
    for width, conversions in ((48, 0), (50, 1)):
        draw = Drawing()
        draw.matmul(draw.add("Relu", [draw.input("x", 32, width)], "r"), "out", 64)
        program = compiled(draw.graph("out"))
        assert len([k for k in program.kernels if k.variant == "ND->NZ"]) == conversions


def test_few_channels_are_padded_unless_the_flag_packs_them() -> None:
    # C = 3 pads to C0 = 16: k = 16 * 9; packed it is 3 * 9. MACs count the model's work in both.
    draw = Drawing()
    draw.conv(draw.input("x", 1, 3, 32, 32), "out", 32)
    graph = draw.graph("out")
    depth = {}
    for packed in (False, True):
        program = compiled(graph, small_channel=packed, layout="NHWC", input_layout="NHWC")
        (conv,) = [kernel for kernel in program.kernels if kernel.op == "Conv"]
        depth[packed] = (conv.k, conv.macs)
    assert depth == {False: (144, 32 * 32 * 32 * 27), True: (27, 32 * 32 * 32 * 27)}


def test_the_middle_of_the_blocked_machine_is_the_reason(poster: Graph) -> None:
    program = compiled(poster, on=BLOCKED_DEVICE, layout="NCHW")
    strides = {entry.details["stride"] for entry in entries(program, "layout", applied=False)}
    assert strides == {17 * 12}


def test_a_product_of_rank_four_meets_an_image_in_the_logical_order() -> None:
    # Rows of 50 elements are no whole blocks, so the product exists in the matrix layout too.
    draw = Drawing()
    left, right = draw.input("left", 1, 4, 50, 64), draw.input("right", 1, 4, 64, 50)
    product = draw.add("MatMul", [left, right], "product", (1, 4, 50, 50))
    draw.add("Div", [product, draw.input("image", 1, 4, 50, 50)], "out")
    draw.add("MatMul", [product, draw.input("other", 1, 4, 50, 64)], "second", (1, 4, 50, 64))
    program = compiled(draw.graph("out", "second"))
    assert crossings(program) == []
    assert [k.variant for k in program.kernels if k.op == "TransData"] == ["ND->NZ", "NZ->ND"]


def test_an_unaligned_conversion_between_storage_layouts_pads_in_memory_of_its_own() -> None:
    # 32 channels of 25 * 41 * 2 = 2050 B pad to 2080 B each.
    program = compiled(odd_map())
    (workspace,) = [buffer for buffer in program.buffers if buffer.pool == "workspace"][:1]
    assert workspace.size == 32 * 2080
    conversion = program.kernels[workspace.first]
    assert (conversion.variant, conversion.reads[0].efficiency) == ("NCHW->NC1HWC0", 0.125)
    assert workspace.last == workspace.first
