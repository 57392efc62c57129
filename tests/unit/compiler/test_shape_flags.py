import pytest

from perfgate.compiler.config import CompileConfig
from perfgate.compiler.shape_flags import DynamicKind, DynamicShapes, input_shape_bindings, smallest_fit
from perfgate.core.errors import UsageError
from tests.graphs import Drawing, compiled

OPEN = {"x": (-1, 3, 8, 8), "mask": (-1, 8)}


def config(
    kind: DynamicKind, *choices: tuple[int, ...], shapes: dict[str, tuple[int, ...]] | None = None
) -> CompileConfig:
    return CompileConfig(input_shapes=shapes or OPEN, dynamic=DynamicShapes(kind, choices, "c.sh:4:2"))


def test_static_shapes_are_bound_as_they_stand() -> None:
    (binding,) = input_shape_bindings(CompileConfig(input_shapes={"x": (1, 3)}))
    assert (binding.label, binding.bindings) == ("", {"x": (1, 3)})


def test_a_batch_size_fills_every_open_dimension() -> None:
    found = input_shape_bindings(config(DynamicKind.BATCH, (1,), (4,)))
    assert [binding.label for binding in found] == ["1", "4"]
    assert found[1].bindings == {"x": (4, 3, 8, 8), "mask": (4, 8)}


def test_an_image_size_fills_height_and_width_of_each_open_input() -> None:
    shapes: dict[str, tuple[int, ...]] = {"x": (8, 3, -1, -1)}
    found = input_shape_bindings(config(DynamicKind.IMAGE, (16, 32), (8, 8), shapes=shapes))
    assert found[0].bindings == {"x": (8, 3, 16, 32)}


def test_dims_fill_the_open_dimensions_in_order() -> None:
    found = input_shape_bindings(config(DynamicKind.DIMS, (2, 3), (4, 5)))
    assert found[1].bindings == {"x": (4, 3, 8, 8), "mask": (5, 8)}


def test_too_few_dims_are_one_error_with_the_place() -> None:
    with pytest.raises(UsageError, match=r"c\.sh:4:2: --input_shape leaves 2 dimensions open"):
        input_shape_bindings(config(DynamicKind.DIMS, (2,), (4,)))


def test_a_list_of_shapes_without_an_open_dimension_is_an_error() -> None:
    with pytest.raises(UsageError, match="write -1"):
        input_shape_bindings(config(DynamicKind.BATCH, (1,), (4,), shapes={"x": (1, 3)}))


def test_a_call_runs_the_smallest_program_that_fits() -> None:
    bindings = input_shape_bindings(config(DynamicKind.BATCH, (8,), (1,), (4,)))
    assert bindings[smallest_fit(bindings, {"x": (3, 3, 8, 8)}, "suite")].label == "4"
    assert bindings[smallest_fit(bindings, {"x": (1, 3, 8, 8)}, "suite")].label == "1"


def test_a_call_that_fits_nowhere_is_an_error_with_the_shapes() -> None:
    bindings = input_shape_bindings(config(DynamicKind.BATCH, (1,), (4,)))
    with pytest.raises(UsageError, match="compiled are 1, 4"):
        smallest_fit(bindings, {"x": (9, 3, 8, 8)}, "suite.yaml:3")


def test_programs_of_dynamic_shapes_say_so() -> None:
    draw = Drawing()
    draw.matmul(draw.input("x", 4, 64), "out", 64)
    dynamic = DynamicShapes(DynamicKind.BATCH, ((1,), (4,)))
    assert compiled(draw.graph("out"), dynamic=dynamic).dynamic_dispatch
    assert not compiled(draw.graph("out")).dynamic_dispatch
