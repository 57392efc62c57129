"""Shapes and values of random operator configurations against onnxruntime and numpy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import helper, numpy_helper

from perfgate.graph import GraphError, ProblemCode, load, ops

if TYPE_CHECKING:
    from collections.abc import Callable

runtime = pytest.importorskip("onnxruntime", reason="the oracle of these tests; install perfgate[ort]")
OPTIONS = runtime.SessionOptions()
OPTIONS.log_severity_level = 4  # refusals are expected
OPTIONS.intra_op_num_threads = 1
EXAMPLES = settings(max_examples=100, deadline=None)
EQUATIONS = (
    "ij,jk->ik bij,bjk->bik bhid,bhjd->bhij ...ij,...jk->...ik ij,ij-> ij,kj->ik ij,jk abc,cd->abd i,j->ij"
)
small = st.integers(1, 3)


def model_of(
    node: onnx.NodeProto, inputs: dict[str, Any], weights: dict[str, Any] | None = None
) -> onnx.ModelProto:
    graph = helper.make_graph(
        [node],
        "one",
        [
            helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)
            for name, shape in inputs.items()
        ],
        [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None) for name in node.output],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in (weights or {}).items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def oracle(model: onnx.ModelProto) -> dict[str, np.ndarray] | None:
    """Results by onnxruntime; None when it refuses the model."""
    feeds = {
        entry.name: np.ones([dim.dim_value for dim in entry.type.tensor_type.shape.dim], np.float32)
        for entry in model.graph.input
    }
    try:
        session = runtime.InferenceSession(
            model.SerializeToString(), OPTIONS, providers=["CPUExecutionProvider"]
        )
        results = session.run(None, feeds)
    except Exception:  # noqa: BLE001 - the runtime raises many types, all of them mean no
        return None
    return dict(zip((output.name for output in model.graph.output), results, strict=True))


def agree(model: onnx.ModelProto) -> None:
    """Where the runtime gives results we give their shapes and values; where it refuses we never crash."""
    expected = oracle(model)
    try:
        graph = load(model.SerializeToString())
    except GraphError:
        # a window that does not fit is an error here, some runtime kernels give an empty tensor
        assert expected is None or any(array.size == 0 for array in expected.values())
        return
    for name, array in (expected or {}).items():
        tensor = graph.tensors[name]
        assert tensor.shape == array.shape
        if tensor.value is not None:
            np.testing.assert_allclose(tensor.value, array, rtol=1e-5)  # shape arithmetic in single precision


LEAST = 5  # a kernel of 3 dilated by 2 fits; what does not fit is an error here, and anything in a runtime


@st.composite
def windows(draw: st.DrawFn) -> tuple[int, dict[str, Any]]:
    """Spatial rank and the attributes of a window."""
    rank = draw(st.integers(1, 3))
    attributes: dict[str, Any] = {"kernel_shape": draw(st.lists(small, min_size=rank, max_size=rank))}
    if draw(st.booleans()):
        attributes["strides"] = draw(st.lists(small, min_size=rank, max_size=rank))
    if draw(st.booleans()):
        attributes["dilations"] = draw(st.lists(st.integers(1, 2), min_size=rank, max_size=rank))
    if draw(st.booleans()):
        attributes["pads"] = draw(st.lists(st.integers(0, 2), min_size=2 * rank, max_size=2 * rank))
    else:
        attributes["auto_pad"] = draw(st.sampled_from(["NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"]))
    return rank, attributes


@EXAMPLES
@given(windows(), st.integers(1, 3), st.data())
def test_convolutions_agree_with_onnxruntime(
    window: tuple[int, dict[str, Any]], group: int, data: st.DataObject
) -> None:
    rank, attributes = window
    spatial = data.draw(st.lists(st.integers(LEAST, 12), min_size=rank, max_size=rank))
    weight = (2 * group, 2, *attributes["kernel_shape"])
    node = helper.make_node("Conv", ["x", "w"], ["y"], group=group, **attributes)
    agree(model_of(node, {"x": (2, 2 * group, *spatial), "w": weight}))


@EXAMPLES
@given(windows(), st.sampled_from(["MaxPool", "AveragePool", "LpPool"]), st.booleans(), st.data())
def test_pools_agree_with_onnxruntime(
    window: tuple[int, dict[str, Any]],
    op: str,
    is_ceil: bool,  # noqa: FBT001 - drawn by hypothesis
    data: st.DataObject,
) -> None:
    rank, attributes = window
    if attributes.get("auto_pad", "").startswith("SAME"):
        attributes.pop(
            "dilations", None
        )  # the runtime pads as if there were none; the standard says size / stride
    spatial = data.draw(st.lists(st.integers(LEAST, 12), min_size=rank, max_size=rank))
    outputs = ["y", "i"] if op == "MaxPool" and data.draw(st.booleans()) else ["y"]
    node = helper.make_node(op, ["x"], outputs, ceil_mode=int(is_ceil), **attributes)
    model = model_of(node, {"x": (1, 2, *spatial)})
    if len(outputs) > 1:
        model.graph.output[1].type.tensor_type.elem_type = onnx.TensorProto.INT64
    agree(model)


@EXAMPLES
@given(windows(), st.data())
def test_transposed_convolutions_agree_with_onnxruntime(
    window: tuple[int, dict[str, Any]], data: st.DataObject
) -> None:
    rank, attributes = window
    if attributes.get("auto_pad", "").startswith("SAME"):
        # with a kernel shorter than the stride the runtime gives less than the standard's size x stride
        attributes["kernel_shape"] = [max(3, size) for size in attributes["kernel_shape"]]
    spatial = data.draw(st.lists(st.integers(2, 6), min_size=rank, max_size=rank))
    if data.draw(st.booleans()):
        attributes["output_padding"] = data.draw(st.lists(st.integers(0, 1), min_size=rank, max_size=rank))
    node = helper.make_node("ConvTranspose", ["x", "w"], ["y"], **attributes)
    agree(model_of(node, {"x": (1, 3, *spatial), "w": (3, 2, *attributes["kernel_shape"])}))


@EXAMPLES
@given(
    st.lists(st.integers(1, 4), min_size=1, max_size=4), st.lists(st.integers(1, 4), min_size=1, max_size=4)
)
def test_matrix_products_agree_with_onnxruntime(left: list[int], right: list[int]) -> None:
    agree(model_of(helper.make_node("MatMul", ["a", "b"], ["y"]), {"a": left, "b": right}))


@EXAMPLES
@given(st.data())
def test_broadcast_agrees_with_numpy(data: st.DataObject) -> None:
    shapes = data.draw(st.lists(st.lists(st.integers(1, 3), max_size=4), min_size=2, max_size=3))
    names = [f"x{index}" for index in range(len(shapes))]
    model = model_of(helper.make_node("Sum", names, ["y"]), dict(zip(names, shapes, strict=True)))
    try:
        expected = np.broadcast_shapes(*map(tuple, shapes))
    except ValueError:
        try:
            load(model.SerializeToString())
        except GraphError as error:
            assert error.codes == (ProblemCode.SHAPE_MISMATCH,)  # noqa: PT017 - both outcomes are checked
            return
        raise AssertionError("shapes that do not broadcast were let through") from None
    assert load(model.SerializeToString()).tensors["y"].shape == expected


slices = st.tuples(st.integers(-8, 8), st.integers(-8, 8), st.sampled_from([-3, -2, -1, 1, 2, 3]))


@EXAMPLES
@given(slices, slices)
def test_slices_agree_with_onnxruntime(first: tuple[int, int, int], second: tuple[int, int, int]) -> None:
    array = np.arange(35).reshape(5, 7)
    starts, ends, steps = (list(part) for part in zip(first, second, strict=True))
    weights = {
        "x": array,
        "s": np.array(starts),
        "e": np.array(ends),
        "a": np.array([0, 1]),
        "t": np.array(steps),
    }
    node = helper.make_node("Slice", ["x", "s", "e", "a", "t"], ["y"])
    agree(model_of(node, {}, weights))


@EXAMPLES
@given(st.permutations([2, 3, 4, 5]), st.data())
def test_a_reshape_and_back_keeps_shape_and_value(shape: list[int], data: st.DataObject) -> None:
    array = np.arange(120).reshape(shape)
    target = data.draw(st.sampled_from([[-1], [0, -1], [24, 5], [0, 0, -1], [2, -1, 4], [120, 1]]))
    nodes = [helper.make_node("Reshape", ["x", "t"], ["m"]), helper.make_node("Reshape", ["m", "b"], ["y"])]
    model = model_of(nodes[0], {}, {"x": array, "t": np.array(target), "b": np.array(shape)})
    model.graph.node.append(nodes[1])
    model.graph.output[0].name = "y"
    graph = load(model.SerializeToString())
    assert graph.tensors["m"].elements == 120
    np.testing.assert_array_equal(graph.tensors["y"].value, array)


@EXAMPLES
@given(
    st.sampled_from(["ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd"]),
    st.lists(st.integers(-3, 2), max_size=3, unique_by=lambda axis: axis % 3),
    st.booleans(),
)
def test_reductions_have_the_values_of_numpy(op: str, axes: list[int], keep: bool) -> None:  # noqa: FBT001 - drawn
    array = np.arange(1, 9).reshape(2, 2, 2)
    node = helper.make_node(op, ["x", "a"] if axes else ["x"], ["y"], keepdims=int(keep))
    model = model_of(node, {}, {"x": array, **({"a": np.array(axes)} if axes else {})})
    functions: dict[str, Callable[..., Any]] = {
        "ReduceSum": np.sum,
        "ReduceMax": np.max,
        "ReduceMin": np.min,
        "ReduceProd": np.prod,
    }
    function = functions[op]
    expected = function(array, axis=tuple(axes) if axes else None, keepdims=keep)
    tensor = load(model.SerializeToString()).tensors["y"]
    np.testing.assert_array_equal(tensor.value, expected)


@EXAMPLES
@given(st.floats(0.25, 3.0, width=32), st.floats(0.25, 3.0, width=32), st.integers(2, 9), st.integers(2, 9))
def test_resized_maps_agree_with_onnxruntime(
    vertical: float, horizontal: float, height: int, width: int
) -> None:
    scales = np.array([1, 1, vertical, horizontal], np.float32)
    node = helper.make_node("Resize", ["x", "", "s"], ["y"], mode="linear")
    agree(model_of(node, {"x": (1, 2, height, width)}, {"s": scales}))


@EXAMPLES
@given(st.sampled_from(EQUATIONS.split()), st.integers(1, 4), st.integers(2, 5))
def test_index_equations_count_one_product_for_each_index_tuple(equation: str, low: int, high: int) -> None:
    left, right = equation.partition("->")[0].split(",")
    sizes = {label: low + position % (high - 1) for position, label in enumerate("abcdhijk")}
    shapes = [
        [3] * ("..." in term) + [sizes[label] for label in term.replace("...", "")] for term in (left, right)
    ]
    model = model_of(
        helper.make_node("Einsum", ["a", "b"], ["y"], equation=equation),
        {"a": shapes[0], "b": shapes[1]},
    )
    expected = np.einsum(equation, np.ones(shapes[0]), np.ones(shapes[1]))
    graph = load(model.SerializeToString())
    assert graph.tensors["y"].shape == expected.shape
    # each output element sums ones: their total is the number of products
    assert ops.facts(graph.nodes[0], graph.tensors).macs == int(expected.sum())
