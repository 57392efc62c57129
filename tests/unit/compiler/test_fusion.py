import pytest

from perfgate.compiler.switches import Fusion
from tests.graphs import Drawing, codes, compiled, entries, ops

IMAGE = (1, 32, 8, 8)


def test_convolution_norm_residual_and_activation_are_one_kernel() -> None:
    draw = Drawing()
    x = draw.input("x", *IMAGE)
    normed = draw.batch_norm(draw.conv(x, "conv", 32), "norm")
    draw.add("Relu", [draw.add("Add", [normed, x], "sum")], "out")
    program = compiled(draw.graph("out"), layout="NC1HWC0", input_layout="NHWC")
    (kernel,) = [kernel for kernel in program.kernels if kernel.op == "Conv"]
    assert kernel.variant == "Conv+Add+Relu"
    assert "BatchNormalization" not in ops(program)
    assert sum(entry.kernels_saved for entry in entries(program, "fusion", applied=True)) == 3


def test_a_fused_kernel_reads_each_outside_operand_once_and_writes_once() -> None:
    # Sizes by hand: image 1*32*8*8*2 B = 4096, weight 32*32*9*2 = 18432, bias of the folded norm 64.
    draw = Drawing()
    x = draw.input("x", *IMAGE)
    draw.add("Relu", [draw.batch_norm(draw.conv(x, "conv", 32), "norm")], "out")
    program = compiled(draw.graph("out"), layout="NHWC", input_layout="NHWC")
    (kernel,) = [kernel for kernel in program.kernels if kernel.op == "Conv"]
    assert sorted(access.size for access in kernel.reads) == [64, 4096, 18432]
    assert [access.size for access in kernel.writes] == [4096]


def test_a_product_takes_bias_residual_and_activation() -> None:
    draw = Drawing()
    x = draw.input("x", 16, 64)
    biased = draw.add("Add", [draw.matmul(x, "mm", 64), draw.weight("bias", 64)], "biased")
    draw.add("Gelu", [draw.add("Add", [biased, x], "sum")], "out")
    program = compiled(draw.graph("out"))
    assert [kernel.variant for kernel in program.kernels if kernel.op == "MatMul"] == ["MatMul+Add+Add+Gelu"]


def test_a_norm_takes_an_activation() -> None:
    draw = Drawing()
    x = draw.input("x", *IMAGE)
    normed = draw.add(
        "GroupNormalization", [x, draw.weight("s", 32), draw.weight("b", 32)], "norm", num_groups=4
    )
    draw.add("Relu", [normed], "out")
    assert ops(compiled(draw.graph("out"))) == ["GroupNormalization"]


def test_elementwise_operators_form_one_kernel_with_all_their_work() -> None:
    draw = Drawing()
    x, y = draw.input("x", 1024), draw.input("y", 1024)
    draw.add(
        "Clip", [draw.add("Add", [draw.add("Mul", [draw.add("Add", [x, y], "a"), y], "b"), x], "c")], "out"
    )
    program = compiled(draw.graph("out"))
    (kernel,) = [kernel for kernel in program.kernels if kernel.op == "Add"]
    assert kernel.variant == "Add+Mul+Add+Clip"
    assert kernel.vector_work == 1024 * (1 + 1 + 1 + 2)  # add, multiply 1; clip is two compares
    assert len(kernel.reads) == 2


def test_constants_per_channel_behind_a_convolution_go_into_its_weights() -> None:
    draw = Drawing()
    scaled = draw.add(
        "Mul", [draw.conv(draw.input("x", *IMAGE), "conv", 32), draw.weight("s", 32, 1, 1)], "scaled"
    )
    draw.add("Add", [scaled, draw.weight("b", 32, 1, 1)], "out")
    assert ops(compiled(draw.graph("out"), layout="NHWC", input_layout="NHWC"))[:1] == ["Conv"]


def test_a_second_user_blocks_the_fusion() -> None:
    draw = Drawing()
    conv = draw.conv(draw.input("x", *IMAGE), "conv", 32)
    draw.add("Relu", [conv], "out")
    draw.add("MaxPool", [conv], "pooled", kernel_shape=(1, 1))
    program = compiled(draw.graph("out", "pooled"))
    assert codes(program, "fusion") == ["multi-consumer"]
    assert "Relu" in ops(program)


def test_a_model_output_blocks_the_fusion() -> None:
    draw = Drawing()
    conv = draw.conv(draw.input("x", *IMAGE), "conv", 32)
    draw.add("Relu", [conv], "out")
    assert codes(compiled(draw.graph("out", conv)), "fusion") == ["graph-output"]


def test_a_custom_activation_blocks_the_fusion_and_is_named() -> None:
    # Where(x > 0, x, 0) is deliberately not Relu (SIMULATOR section 4).
    draw = Drawing()
    conv = draw.conv(draw.input("x", *IMAGE), "conv", 32)
    is_positive = draw.add("Greater", [conv, draw.weight("zero")], "positive", dtype="bool")
    draw.add("Where", [is_positive, conv, draw.weight("nought")], "out", IMAGE)
    program = compiled(draw.graph("out"))
    (refused,) = [e for e in entries(program, "fusion", applied=False) if e.before[0].startswith("Conv")]
    assert refused.reason == "unknown-op: Where is not an activation this fusion knows; Conv stays alone"
    assert refused.where == "model.py:10:5 model.conv"


def test_a_sum_that_stretches_the_result_blocks_the_fusion() -> None:
    draw = Drawing()
    product = draw.matmul(draw.input("x", 1, 64), "mm", 64)
    draw.add("Add", [product, draw.input("y", 8, 64)], "out", (8, 64))
    assert codes(compiled(draw.graph("out")), "fusion") == ["shape-change"]


def test_a_norm_pinned_to_another_layout_stays_alone() -> None:
    draw = Drawing()
    draw.add("Relu", [draw.batch_norm(draw.conv(draw.input("x", *IMAGE), "conv", 32), "norm")], "out")
    program = compiled(draw.graph("out"), type_layouts={"Conv": "NHWC", "BatchNormalization": "NCHW"})
    assert codes(program, "fusion") == ["layout-differs"]


@pytest.mark.parametrize(
    ("fusion", "alone"),
    [
        (Fusion.CONV_BATCH_NORM, "BatchNormalization"),
        (Fusion.CONV_ADD, "Add"),
        (Fusion.CONV_ACTIVATION, "Relu"),
    ],
)
def test_a_switch_turns_off_its_part_of_the_pattern(fusion: Fusion, alone: str) -> None:
    draw = Drawing()
    x = draw.input("x", *IMAGE)
    normed = draw.batch_norm(draw.conv(x, "conv", 32), "norm")
    draw.add("Relu", [draw.add("Add", [normed, x], "sum")], "out")
    graph = draw.graph("out")
    program = compiled(graph, fusion_off=frozenset({fusion}), layout="NHWC", input_layout="NHWC")
    assert "switched-off" in codes(program, "fusion")
    assert alone in ops(program)
    assert alone not in ops(compiled(graph, layout="NHWC", input_layout="NHWC"))


def test_a_chain_ends_at_sixteen_operators() -> None:
    draw = Drawing()
    value = draw.input("x", 64)
    for number in range(20):
        value = draw.add("Relu", [value], f"r{number}")
    program = compiled(draw.graph(value))
    variants = [kernel.variant.count("Relu") for kernel in program.kernels if kernel.op == "Relu"]
    assert variants == [16, 4]
    assert codes(program, "fusion") == ["buffer-too-small"]


def test_a_chain_ends_where_its_live_values_leave_no_room_for_useful_tiles() -> None:
    # 310p-like: a tile that hides 500 ns at 204.8 GB/s / 7 cores is 14.6 kB, two per value: 8 in 256 KiB.
    draw = Drawing()
    value = draw.input("x", 64)
    for number in range(12):
        value = draw.add("Add", [value, draw.input(f"y{number}", 64)], f"a{number}")
    program = compiled(draw.graph(value))
    assert "buffer-too-small" in codes(program, "fusion")
    assert max(len(kernel.reads) + 1 for kernel in program.kernels) == 8


def test_nothing_fuses_over_the_border_of_a_loop() -> None:
    draw = Drawing()
    a, b = draw.input("a", 4), draw.input("b", 4)
    outside = draw.add("Exp", [b], "outside")
    draw.split("LoopEnter", [a], ["state"], [(4,)])
    draw.add("Add", ["state", outside], "next", repeat=3)
    draw.split("LoopExit", ["next"], ["out"], [(4,)], carried=1)
    program = compiled(draw.graph("out"))
    assert [(kernel.op, kernel.repeat) for kernel in program.kernels if kernel.op != "Copy"] == [
        ("Exp", 1),
        ("Add", 3),
    ]
