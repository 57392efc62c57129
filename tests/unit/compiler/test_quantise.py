import numpy as np

from perfgate.compiler.quantise import quantised_weights
from tests.graphs import Drawing, codes, compiled, entries

IMAGE = (1, 32, 8, 8)


def test_scales_are_the_largest_value_over_127() -> None:
    values, scales = quantised_weights(np.array([[254.0, -127.0], [0.5, 1.0]]))
    assert scales.ravel().tolist() == [2.0, 1.0 / 127]
    assert values.tolist() == [[127, -64], [64, 127]]  # -127 / 2 rounds to the even -64


def test_a_round_trip_is_off_by_at_most_half_a_scale() -> None:
    weights = np.random.default_rng(1).normal(size=(8, 64))
    values, scales = quantised_weights(weights)
    assert (np.abs(values * scales - weights) <= scales / 2 + 1e-12).all()


def test_a_channel_of_zeros_has_a_scale() -> None:
    values, scales = quantised_weights(np.zeros((2, 4)))
    assert values.tolist() == [[0] * 4] * 2
    assert (scales > 0).all()


def chain() -> Drawing:
    draw = Drawing()
    hidden = draw.add("Relu", [draw.conv(draw.input("x", *IMAGE), "conv1", 32)], "relu")
    draw.conv(hidden, "out", 32)
    return draw


def test_int8_convolutions_store_int8_for_each_other() -> None:
    program = compiled(chain().graph("out"), quantise=True, layout="NHWC", input_layout="NHWC")
    first, second = [kernel for kernel in program.kernels if kernel.op == "Conv"]
    assert (first.dtype, second.dtype) == ("int8", "int8")
    assert first.writes[0].size == 32 * 8 * 8  # one byte for each element
    weight = second.reads[1].size
    assert weight == 32 * 32 * 9


def test_the_input_from_outside_is_quantised_by_a_kernel() -> None:
    program = compiled(chain().graph("out"), quantise=True, layout="NHWC", input_layout="NHWC")
    assert [kernel.name for kernel in program.kernels if kernel.op == "QuantizeLinear"] == ["x.int8"]


def test_an_excluded_node_stays_in_its_type() -> None:
    program = compiled(chain().graph("out"), quantise=True, quantise_exclude=frozenset({"conv1"}))
    assert [kernel.dtype for kernel in program.kernels if kernel.op == "Conv"] == ["float16", "int8"]
    assert codes(program, "quantise") == ["excluded"]


def test_a_product_of_two_computed_operands_has_no_scale() -> None:
    draw = Drawing()
    draw.add("MatMul", [draw.input("a", 32, 64), draw.input("b", 64, 32)], "out", (32, 32))
    program = compiled(draw.graph("out"), quantise=True)
    assert codes(program, "quantise") == ["dynamic-scale"]


def quantised_model(*, dynamic: bool = False) -> Drawing:
    """X -> Quantize -> Dequantize -> Conv(Dequantize(w)) -> Quantize -> Dequantize -> out."""
    draw = Drawing("float32")
    scale = draw.input("scale") if dynamic else draw.constant("scale", np.float32(0.02))
    quantised = draw.add("QuantizeLinear", [draw.input("x", *IMAGE), scale], "q", dtype="int8")
    data = draw.add("DequantizeLinear", [quantised, scale], "dq", dtype="float32")
    kernel = draw.weight("w", 32, 32, 3, 3, dtype="int8")
    weight = draw.add(
        "DequantizeLinear", [kernel, draw.constant("ws", np.float32(0.01))], "wdq", dtype="float32"
    )
    conv = draw.add("Conv", [data, weight], "conv", IMAGE, kernel_shape=(3, 3), pads=(1,) * 4)
    out = draw.constant("os", np.float32(0.03))
    again = draw.add("QuantizeLinear", [conv, out], "q2", dtype="int8")
    draw.add("DequantizeLinear", [again, out], "out", dtype="float32")
    return draw


def test_pairs_around_a_convolution_become_part_of_its_kernel() -> None:
    program = compiled(quantised_model().graph("out"), layout="NHWC", input_layout="NHWC")
    (conv,) = [kernel for kernel in program.kernels if kernel.op == "Conv"]
    assert conv.dtype == "int8"
    assert (conv.reads[0].size, conv.writes[0].size) == (2048, 2048)  # 32 * 8 * 8 bytes each way
    assert [kernel.op for kernel in program.kernels if kernel.op.endswith("Linear")] == [
        "QuantizeLinear", "DequantizeLinear",
    ]  # fmt: skip
    assert sorted(program.origins[conv.origin].nodes) == [1, 3, 4]  # the folded weight's is a constant


def test_a_scale_that_is_computed_keeps_the_pair_apart() -> None:
    program = compiled(quantised_model(dynamic=True).graph("out"))
    assert codes(program, "quantise") == ["dynamic-scale"]
    assert [kernel.dtype for kernel in program.kernels if kernel.op == "Conv"] == ["float16"]


def test_a_model_without_pairs_is_left_alone() -> None:
    assert entries(compiled(chain().graph("out")), "quantise") == []
