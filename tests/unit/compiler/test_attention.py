import msgspec
import numpy as np

from perfgate.compiler.compilation import compile_graph
from perfgate.compiler.config import CompileConfig
from perfgate.compiler.runtime import RuntimeConfig
from perfgate.compiler.switches import Fusion
from tests.graphs import Drawing, codes, compiled, device, ops

HEADS, ROWS, KEYS, DEPTH = 2, 32, 48, 64


def attention(*, masked: bool = True) -> Drawing:
    draw = Drawing()
    query = draw.input("q", 1, HEADS, ROWS, DEPTH)
    key = draw.add(
        "Transpose",
        [draw.input("k", 1, HEADS, KEYS, DEPTH)],
        "kt",
        (1, HEADS, DEPTH, KEYS),
        perm=(0, 1, 3, 2),
    )
    scores = draw.add("MatMul", [query, key], "scores", (1, HEADS, ROWS, KEYS))
    scores = draw.add("Mul", [scores, draw.constant("scale", np.float16(0.125))], "scaled")
    if masked:
        scores = draw.add("Add", [scores, draw.input("mask", 1, 1, ROWS, KEYS)], "masked")
    weights = draw.add("Softmax", [scores], "weights", axis=-1)
    draw.add("MatMul", [weights, draw.input("v", 1, HEADS, KEYS, DEPTH)], "out", (1, HEADS, ROWS, DEPTH))
    return draw


def test_attention_is_one_kernel_that_keeps_the_scores_on_chip() -> None:
    program = compiled(attention().graph("out"))
    assert ops(program) == ["Attention"]
    (kernel,) = [kernel for kernel in program.kernels if kernel.op == "Attention"]
    # Two products of rows x keys x depth per head.
    assert kernel.macs == 2 * HEADS * ROWS * KEYS * DEPTH
    assert (kernel.m, kernel.n, kernel.k, kernel.count) == (ROWS, KEYS, DEPTH, 2 * HEADS)
    assert kernel.row == KEYS
    scores_bytes = HEADS * ROWS * KEYS * 2
    assert scores_bytes not in {access.size for access in (*kernel.reads, *kernel.writes)}


def test_attention_without_a_mask_is_the_same_pattern() -> None:
    assert ops(compiled(attention(masked=False).graph("out"))) == ["Attention"]


def test_a_row_of_scores_that_does_not_fit_keeps_the_parts_apart() -> None:
    machine = device()
    small = msgspec.structs.replace(machine, buffers=msgspec.structs.replace(machine.buffers, vector_kb=0))
    program = compile_graph(attention().graph("out"), CompileConfig(), RuntimeConfig(), small)
    assert "buffer-too-small" in codes(program, "fusion")
    assert ops(program).count("MatMul") == 2


def test_scores_that_are_used_elsewhere_keep_the_parts_apart() -> None:
    draw = attention()
    draw.add("Relu", ["weights"], "other")
    assert "Attention" not in ops(compiled(draw.graph("out", "other")))


def test_the_switch_keeps_the_parts_apart() -> None:
    program = compiled(attention().graph("out"), fusion_off=frozenset({Fusion.ATTENTION}))
    assert "switched-off" in codes(program, "fusion")
    assert ops(program).count("MatMul") == 2


def test_swapped_last_axes_are_read_by_the_product_itself() -> None:
    draw = Drawing()
    swapped = draw.add("Transpose", [draw.input("b", 4, 48, 64)], "bt", (4, 64, 48), perm=(0, 2, 1))
    draw.add("MatMul", [draw.input("a", 4, 32, 64), swapped], "out", (4, 32, 48))
    program = compiled(draw.graph("out"))
    (kernel,) = [kernel for kernel in program.kernels if kernel.op == "MatMul"]
    assert ops(program) == ["MatMul"]
    assert (kernel.m, kernel.n, kernel.k, kernel.count) == (32, 48, 64, 4)
    assert sorted(program.origins[kernel.origin].nodes) == [0, 1]


def test_a_move_of_other_axes_stays_with_the_innermost_axis_in_place() -> None:
    draw = Drawing()
    moved = draw.add("Transpose", [draw.input("b", 1, 48, 4, 64)], "bt", (1, 4, 64, 48), perm=(0, 2, 3, 1))
    draw.add("MatMul", [draw.input("a", 1, 4, 32, 64), moved], "out", (1, 4, 32, 48))
    program = compiled(draw.graph("out"))
    (move,) = [kernel for kernel in program.kernels if kernel.op == "Transpose"]
    assert move.reads[0].run == 64 * 2  # whole rows of 64 fp16 elements
    (kernel,) = [kernel for kernel in program.kernels if kernel.op == "MatMul"]
    assert (kernel.m, kernel.n, kernel.k, kernel.count) == (32, 48, 64, 4)
