import msgspec
import pytest

from perfgate.compiler.compilation import compile_graph
from perfgate.compiler.config import CompileConfig
from perfgate.compiler.precision import PrecisionMode
from perfgate.compiler.runtime import RuntimeConfig
from tests.graphs import PLAIN, Drawing, codes, compiled, device, entries

IMAGE = (1, 32, 8, 8)


def network() -> Drawing:
    """Convolution, softmax over the last axis, convolution, all fp32 in the model."""
    draw = Drawing(PLAIN)
    first = draw.conv(draw.input("x", *IMAGE), "conv1", 32)
    draw.conv(draw.add("Softmax", [first], "soft", axis=-1), "out", 32)
    return draw


def types(mode: PrecisionMode) -> dict[str, str]:
    program = compiled(network().graph("out"), precision=mode, layout="NHWC", input_layout="NHWC")
    return {
        kernel.name: kernel.dtype for kernel in program.kernels if kernel.op in {"Conv", "Softmax", "Cast"}
    }


@pytest.mark.parametrize(
    ("mode", "matrix", "softmax"),
    [
        (PrecisionMode.FP16, "float16", "float16"),
        (PrecisionMode.FP32, "float32", "float32"),
        (PrecisionMode.ORIGIN, "float32", "float32"),
        (PrecisionMode.ALLOW_FP16, "float16", "float32"),
        (PrecisionMode.MATRIX_FP16_OUT_FP32, "float16", "float32"),
        (PrecisionMode.MIXED_FP16, "float16", "float32"),
    ],
)
def test_each_mode_gives_matrix_and_vector_operators_their_types(
    mode: PrecisionMode, matrix: str, softmax: str
) -> None:
    # The table of SIMULATOR section 3; softmax is one of the operators that mixed precision keeps in fp32.
    found = types(mode)
    assert (found["conv1"], found["soft"], found["out"]) == (matrix, softmax, matrix)


def test_bfloat16_is_used_where_the_device_has_it() -> None:
    program = compiled(network().graph("out"), on="ascend-910b-like", precision=PrecisionMode.MIXED_BF16)
    assert {kernel.dtype for kernel in program.kernels if kernel.op == "Conv"} == {"bfloat16"}


def test_bfloat16_for_matrix_operators_alone_keeps_the_others_in_the_models_type() -> None:
    program = compiled(network().graph("out"), on="ascend-910b-like", precision=PrecisionMode.ALLOW_BF16)
    found = {kernel.name: kernel.dtype for kernel in program.kernels}
    assert (found["conv1"], found["soft"]) == ("bfloat16", "float32")


def test_bfloat16_is_refused_where_the_device_has_none() -> None:
    program = compiled(network().graph("out"), precision=PrecisionMode.MIXED_BF16)
    assert codes(program, "precision") == ["unsupported-type"]
    assert {kernel.dtype for kernel in program.kernels if kernel.op == "Conv"} == {"float32"}


def test_only_what_a_matrix_kernel_cannot_load_is_cast_by_a_kernel() -> None:
    # The input comes as fp32 from outside; softmax and convolution convert while they store.
    found = types(PrecisionMode.ALLOW_FP16)
    assert [name for name in found if name.endswith("float16")] == ["x.float16"]


def test_a_value_with_users_of_both_types_is_cast_for_the_matrix_kernel() -> None:
    draw = Drawing(PLAIN)
    soft = draw.add("Softmax", [draw.input("x", 16, 64)], "soft", axis=-1)
    draw.matmul(soft, "out", 64)
    draw.add("Softmax", [soft], "other", axis=-1)
    program = compiled(draw.graph("out", "other"), precision=PrecisionMode.MIXED_FP16)
    casts = [kernel for kernel in program.kernels if kernel.op == "Cast"]
    assert [cast.name for cast in casts] == ["soft.float16"]
    assert program.owners[casts[0].owner].name == "out"
    assert program.origins[casts[0].origin].steps == (("precision", "inserted"),)


def test_outputs_keep_the_declared_type_in_every_mode() -> None:
    program = compiled(
        network().graph("out"), precision=PrecisionMode.FP16, layout="NHWC", input_layout="NHWC"
    )
    (back,) = [kernel for kernel in program.kernels if kernel.kind == "d2h"]
    assert back.link_bytes == 32 * 8 * 8 * 4


def test_the_output_type_changes_the_bytes_that_go_back() -> None:
    program = compiled(network().graph("out"), output_type="float16", layout="NHWC", input_layout="NHWC")
    (back,) = [kernel for kernel in program.kernels if kernel.kind == "d2h"]
    assert back.link_bytes == 32 * 8 * 8 * 2


def test_an_output_behind_a_view_is_cast_by_a_kernel() -> None:
    draw = Drawing(PLAIN)
    draw.add("Reshape", [draw.matmul(draw.input("x", 16, 64), "mm", 64)], "out", (1024,))
    program = compiled(draw.graph("out"), precision=PrecisionMode.FP16)
    (back,) = [kernel for kernel in program.kernels if kernel.kind == "d2h"]
    assert back.link_bytes == 1024 * 4
    assert [kernel.name for kernel in program.kernels if kernel.op == "Cast"] == ["x.float16", "out.float32"]


def test_views_and_moves_hand_the_stored_type_on() -> None:
    draw = Drawing(PLAIN)
    product = draw.matmul(draw.input("x", 16, 64), "mm", 64)
    draw.matmul(
        draw.add("Concat", [product, draw.matmul("x", "mm2", 64)], "joined", (32, 64), axis=0), "out", 64
    )
    program = compiled(draw.graph("out"))
    (move,) = [kernel for kernel in program.kernels if kernel.op == "Concat"]
    assert move.dtype == "float16"
    assert len([kernel for kernel in program.kernels if kernel.op == "Cast"]) == 1


def test_high_precision_marks_the_kernels_of_the_operator() -> None:
    program = compiled(network().graph("out"), precise_ops=frozenset({"Softmax"}))
    assert [kernel.op for kernel in program.kernels if kernel.is_high_precision] == ["Softmax"]
    named = compiled(network().graph("out"), precise_nodes=frozenset({"conv1"}))
    assert [kernel.name for kernel in named.kernels if kernel.is_high_precision] == ["conv1"]


def test_the_pass_can_be_switched_off() -> None:
    program = compiled(
        network().graph("out"), precision=PrecisionMode.FP16, disabled_passes=frozenset({"precision"})
    )
    assert {kernel.op for kernel in program.kernels} & {"Cast"} == set()
    assert entries(program, "precision")[0].reason.startswith("switched-off")


def test_a_device_without_fp32_products_keeps_the_models_types() -> None:
    machine = device()
    none = msgspec.structs.replace(machine, matrix=msgspec.structs.replace(machine.matrix, fp32_rate=0.0))
    config = CompileConfig(precision=PrecisionMode.FP32)
    program = compile_graph(network().graph("out"), config, RuntimeConfig(), none)
    assert codes(program, "precision") == ["unsupported-type"]
