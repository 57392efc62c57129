import pytest

from perfgate.compiler.preprocessing import Preprocessing, parse_preprocessing
from perfgate.core.errors import UsageError
from tests.graphs import GPU, Drawing, compiled

FULL = """
aipp_op {
  aipp_mode: static
  input_format: RGB888_U8   # comment: crop: true
  csc_switch: true
  rbuv_swap_switch: false
  crop: true
  mean_chn_0: 104
  var_reci_chn_0: 0.017
}
"""


def test_active_steps_are_counted_and_switched_off_ones_are_not() -> None:
    assert parse_preprocessing(FULL, "aipp.cfg") == (Preprocessing(0, ("colour", "crop", "normalise")),)


def test_several_blocks_name_their_inputs() -> None:
    text = "aipp_op { related_input_rank: 1 resize: true } aipp_op { csc_switch: true }"
    assert parse_preprocessing(text, "aipp.cfg") == (
        Preprocessing(1, ("resize",)),
        Preprocessing(0, ("colour",)),
    )


def test_a_mean_of_zero_and_a_factor_of_one_are_no_step() -> None:
    assert parse_preprocessing("aipp_op { mean_chn_0: 0 var_reci_chn_0: 1.0 }", "a")[0].steps == ()


@pytest.mark.parametrize("text", ["", "crop: true", "aipp_op { crop: true", "aipp_op"])
def test_a_file_without_a_whole_block_is_one_error(text: str) -> None:
    with pytest.raises(UsageError, match=r"aipp\.cfg"):
        parse_preprocessing(text, "aipp.cfg")


def network() -> Drawing:
    draw = Drawing()
    draw.conv(draw.input("x", 1, 3, 32, 32), "out", 32)
    return draw


BLOCK = (Preprocessing(0, ("colour", "normalise")),)


def test_with_an_image_unit_the_input_is_bytes_and_nothing_else_is_added() -> None:
    program = compiled(network().graph("out"), preprocessing=BLOCK)
    (copy,) = [kernel for kernel in program.kernels if kernel.kind == "h2d"]
    assert copy.link_bytes == 3 * 32 * 32  # one byte for each element
    assert [kernel.op for kernel in program.kernels][:2] == ["Copy", "Conv"]


def test_without_one_each_step_is_a_vector_pass() -> None:
    program = compiled(network().graph("out"), on=GPU, preprocessing=BLOCK)
    assert [kernel.name for kernel in program.kernels if kernel.kind == "vector"] == [
        "x.colour",
        "x.normalise",
    ]


def test_a_block_for_an_input_that_is_no_image_is_unhandled() -> None:
    program = compiled(network().graph("out"), preprocessing=(Preprocessing(5, ()),))
    assert [item.what for item in program.unhandled] == ["aipp_op of input 5"]
