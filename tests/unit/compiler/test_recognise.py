import numpy as np
import pytest

from perfgate.compiler.switches import Fusion
from tests.graphs import Drawing, codes, compiled, ops


def scalar(draw: Drawing, name: str, value: float) -> str:
    return draw.constant(name, np.float16(value))


def gelu(draw: Drawing, x: str, half: str) -> str:
    """x/2 * (1 + erf(x / sqrt 2)), the half at one of its three places."""
    curve = draw.add("Erf", [draw.add("Div", [x, scalar(draw, "root", 1.414)], "scaled")], "erf")
    plus = draw.add("Add", [curve, scalar(draw, "one", 1.0)], "plus")
    if half == "curve":
        return draw.add("Mul", [x, draw.add("Mul", [plus, scalar(draw, "half", 0.5)], "halved")], "out")
    if half == "x":
        return draw.add("Mul", [draw.add("Mul", [x, scalar(draw, "half", 0.5)], "halved"), plus], "out")
    return draw.add("Mul", [draw.add("Mul", [x, plus], "product"), scalar(draw, "half", 0.5)], "out")


@pytest.mark.parametrize("half", ["curve", "x", "product"])
def test_gelu_is_recognised_wherever_the_half_is_applied(half: str) -> None:
    draw = Drawing()
    gelu(draw, draw.input("x", 64), half)
    program = compiled(draw.graph("out"))
    (kernel,) = [kernel for kernel in program.kernels if kernel.op == "Gelu"]
    assert kernel.vector_work == 64 * 16  # erf 12, three multiplies, one add
    assert len(program.origins[kernel.origin].nodes) == 5
    assert ops(program) == ["Gelu"]


def test_the_tanh_form_of_gelu_is_recognised() -> None:
    draw = Drawing()
    x = draw.input("x", 64)
    cube = draw.add("Pow", [x, scalar(draw, "three", 3)], "cube")
    inner = draw.add("Add", [x, draw.add("Mul", [cube, scalar(draw, "c", 0.0447)], "small")], "inner")
    curve = draw.add("Tanh", [draw.add("Mul", [inner, scalar(draw, "k", 0.798)], "scaled")], "tanh")
    plus = draw.add("Add", [curve, scalar(draw, "one", 1)], "plus")
    draw.add("Mul", [draw.add("Mul", [x, scalar(draw, "half", 0.5)], "halved"), plus], "out")
    program = compiled(draw.graph("out"))
    assert ops(program) == ["Gelu"]
    assert [k.vector_work for k in program.kernels if k.op == "Gelu"] == [64 * 22]  # tanh 15 and the cubic


def test_a_curve_of_something_else_is_no_gelu() -> None:
    draw = Drawing()
    x, y = draw.input("x", 64), draw.input("y", 64)
    curve = draw.add("Erf", [draw.add("Div", [y, scalar(draw, "root", 1.4)], "scaled")], "erf")
    plus = draw.add("Add", [curve, scalar(draw, "one", 1)], "plus")
    draw.add("Mul", [x, draw.add("Mul", [plus, scalar(draw, "half", 0.5)], "halved")], "out")
    assert "Gelu" not in ops(compiled(draw.graph("out")))


def test_x_times_its_sigmoid_is_swish() -> None:
    draw = Drawing()
    x = draw.input("x", 64)
    draw.add("Mul", [x, draw.add("Sigmoid", [x], "gate")], "out")
    assert ops(compiled(draw.graph("out"))) == ["Swish"]


def test_the_sigmoid_of_another_value_is_a_gate_and_no_swish() -> None:
    draw = Drawing()
    draw.add("Mul", [draw.input("x", 64), draw.add("Sigmoid", [draw.input("y", 64)], "gate")], "out")
    assert "Swish" not in ops(compiled(draw.graph("out")))


def layer_norm(draw: Drawing, x: str) -> None:
    mean = draw.add("ReduceMean", [x], "mean", (4, 1), axes=(-1,))
    centred = draw.add("Sub", [x, mean], "centred")
    square = draw.add("Pow", [centred, scalar(draw, "two", 2)], "square")
    variance = draw.add("ReduceMean", [square], "variance", (4, 1), axes=(-1,))
    deviation = draw.add(
        "Sqrt", [draw.add("Add", [variance, scalar(draw, "eps", 0.001)], "safe")], "deviation"
    )
    normed = draw.add("Div", [centred, deviation], "normed")
    draw.add(
        "Add",
        [draw.add("Mul", [normed, draw.weight("scale", 64)], "scaled"), draw.weight("shift", 64)],
        "out",
    )


def test_layer_norm_is_recognised_with_scale_and_shift() -> None:
    draw = Drawing()
    layer_norm(draw, draw.input("x", 4, 64))
    program = compiled(draw.graph("out"))
    (kernel,) = [kernel for kernel in program.kernels if kernel.op == "LayerNormalization"]
    assert (kernel.row, len(kernel.reads)) == (64, 3)
    assert ops(program) == ["LayerNormalization"]


def test_a_switched_off_form_stays_in_pieces_with_an_entry() -> None:
    draw = Drawing()
    layer_norm(draw, draw.input("x", 4, 64))
    program = compiled(draw.graph("out"), fusion_off=frozenset({Fusion.LAYER_NORM}))
    assert "switched-off" in codes(program, "fusion")
    assert "LayerNormalization" not in ops(program)
