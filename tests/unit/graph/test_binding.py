from __future__ import annotations

from typing import TYPE_CHECKING

import onnx
import pytest
from onnx import helper

from perfgate.graph import GraphError, ProblemCode, load

if TYPE_CHECKING:
    from tests.unit.graph.conftest import ModelBytes


@pytest.fixture
def dynamic(model_bytes: ModelBytes) -> bytes:
    """Two inputs that share the symbol `n`; the second has an axis without a name."""
    return model_bytes(
        [helper.make_node("Relu", ["a"], ["y"]), helper.make_node("Relu", ["b"], ["z"])],
        inputs={"a": ("n", 3, "h"), "b": ("n", "")},
        outputs=["y", "z"],
    )


def test_a_symbol_bound_at_one_input_holds_at_the_others(dynamic: bytes) -> None:
    graph = load(dynamic, bindings={"a": (4, 3, 8), "b": (-1, 5)})
    assert graph.tensors["b"].shape == (4, 5)


def test_minus_one_leaves_a_dimension_open(dynamic: bytes) -> None:
    with pytest.raises(GraphError) as caught:
        load(dynamic, bindings={"a": (4, 3, -1), "b": (4, 5)})
    (problem,) = caught.value.problems
    assert problem.code is ProblemCode.UNBOUND_DIMENSION
    assert "input 'a' axis 2 is the symbol 'h'" in problem.what


def test_an_unbound_dimension_shows_a_full_example_with_the_known_sizes(dynamic: bytes) -> None:
    with pytest.raises(GraphError) as caught:
        load(dynamic, bindings={"b": (4, 5)})
    (problem,) = caught.value.problems
    assert problem.remedy.startswith('bind it with --input_shape="a:4,3,<h>;b:4,<?>"')


def test_a_symbol_is_reported_at_its_first_place_only(dynamic: bytes) -> None:
    with pytest.raises(GraphError) as caught:
        load(dynamic)
    assert [problem.what for problem in caught.value.problems] == [
        "input 'a' axis 0 is the symbol 'n'",
        "input 'a' axis 2 is the symbol 'h'",
        "input 'b' axis 1 is the symbol '?'",
    ]


def test_two_sizes_for_one_symbol_contradict(dynamic: bytes) -> None:
    with pytest.raises(GraphError) as caught:
        load(dynamic, bindings={"a": (4, 3, 8), "b": (2, 5)})
    assert caught.value.codes == (ProblemCode.SHAPE_MISMATCH,)
    assert "bound to 2, but the model has 'n' = 4" in str(caught.value)


def test_a_fixed_size_cannot_be_bound_to_another(dynamic: bytes) -> None:
    with pytest.raises(GraphError, match="axis 1 is bound to 1, but the model has '3' = 3"):
        load(dynamic, bindings={"a": (4, 1, 8), "b": (4, 5)})


def test_a_binding_of_another_rank_is_a_mismatch(dynamic: bytes) -> None:
    with pytest.raises(GraphError) as caught:
        load(dynamic, bindings={"a": (4, 3), "b": (4, 5)})
    assert caught.value.codes[0] is ProblemCode.SHAPE_MISMATCH
    assert "has 2 dimensions, the model ['n', 3, 'h']" in str(caught.value)


def test_an_input_without_a_shape_takes_the_bound_one(model_bytes: ModelBytes) -> None:
    model = onnx.ModelProto.FromString(
        model_bytes([helper.make_node("Relu", ["x"], ["y"])], inputs={"x": (1,)}, outputs=["y"])
    )
    model.graph.input[0].type.tensor_type.ClearField("shape")
    content = model.SerializeToString()
    assert load(content, bindings={"x": (2, 7)}).tensors["y"].shape == (2, 7)
    with pytest.raises(GraphError, match="axis 0 is the symbol 'rank'"):
        load(content)


def test_a_sequence_input_is_refused_with_its_name(model_bytes: ModelBytes) -> None:
    model = onnx.ModelProto.FromString(
        model_bytes([helper.make_node("Relu", ["x"], ["y"])], inputs={"x": (1,)}, outputs=["y"])
    )
    model.graph.input.append(helper.make_tensor_sequence_value_info("items", onnx.TensorProto.FLOAT, None))
    with pytest.raises(GraphError, match="input 'items' is a sequence"):
        load(model.SerializeToString())
