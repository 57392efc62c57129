"""Whatever the bytes say, the importer gives a graph or a `GraphError`, never another exception."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import helper, numpy_helper

from perfgate.graph import GraphError, ProblemCode, load, ops
from perfgate.graph.ops.table import TABLE

Value: TypeAlias = Any  # a number, text, list or array

LIGHT = Path(onnx.__file__).parent / "backend/test/data/light"
SQUEEZENET = (LIGHT / "light_squeezenet.onnx").read_bytes()
EXAMPLES = settings(max_examples=100, deadline=None)
NODES = 10_000


def try_load(content: bytes) -> GraphError | None:
    try:
        load(content)
    except GraphError as error:
        assert 1 <= len(error.problems) <= 20  # noqa: PT017 - only the failing case has problems
        return error
    return None


def chain(
    nodes: list[onnx.NodeProto], shape: tuple[int, ...] = (1, 4), weights: dict[str, Value] | None = None
) -> bytes:
    graph = helper.make_graph(
        nodes,
        "fuzz",
        [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info(nodes[-1].output[0], onnx.TensorProto.FLOAT, None)],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in (weights or {}).items()],
    )
    return bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]).SerializeToString())


@EXAMPLES
@given(st.integers(0, len(SQUEEZENET) - 1))
def test_truncated_bytes_give_a_graph_error(length: int) -> None:
    try_load(SQUEEZENET[:length])


@EXAMPLES
@given(st.lists(st.tuples(st.integers(0, len(SQUEEZENET) - 1), st.integers(0, 255)), min_size=1, max_size=8))
def test_mutated_bytes_give_a_graph_or_a_graph_error(changes: list[tuple[int, int]]) -> None:
    content = bytearray(SQUEEZENET)
    for position, value in changes:
        content[position] = value
    try_load(bytes(content))


@EXAMPLES
@given(st.binary(max_size=200))
def test_random_bytes_give_a_graph_error(content: bytes) -> None:
    assert try_load(content) is not None


NAMES = [
    "axis", "axes", "perm", "kernel_shape", "pads", "strides", "dilations", "group", "to", "split", "shape",
    "equation", "num_groups", "blocksize", "mode", "scales", "starts", "ends", "k", "num_outputs",
    "output_shape",    "keepdims", "direction", "value", "batch_dims", "dtype",
]  # fmt: skip
ATTRIBUTES = st.dictionaries(
    st.sampled_from(NAMES),
    st.one_of(
        st.integers(-(2**40), 2**40),
        st.floats(),
        st.text(max_size=4),
        st.lists(st.integers(-9, 9), min_size=1, max_size=5),
        st.lists(st.floats(), min_size=1, max_size=3),
    ),
    max_size=4,
)  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(sorted(TABLE)), ATTRIBUTES, st.integers(0, 5), st.lists(st.integers(0, 5), max_size=5))
def test_any_operator_with_any_attributes_gives_a_graph_or_a_graph_error(
    op: str, attributes: dict[str, Any], operands: int, shape: list[int]
) -> None:
    inputs = ["x", "y", "z", "n", "f"][:operands]
    weights = {
        "y": np.array([2, -1]),
        "z": np.array([[1.5, np.nan]], np.float32),
        "n": np.array(3),
        "f": np.array([]),
    }
    node = helper.make_node(op, inputs, ["out", "more"], **attributes)
    content = chain([node], tuple(shape), weights=weights)
    if try_load(content) is None:
        graph = load(content)
        for made in graph.nodes:
            facts = ops.facts(made, graph.tensors)
            assert facts.macs >= 0
            assert facts.read_bytes >= 0
            assert facts.write_bytes >= 0


@pytest.mark.parametrize("opset", [17, 25])
def test_names_that_are_no_text_give_a_graph_error(opset: int) -> None:
    model = onnx.ModelProto.FromString(chain([helper.make_node("Relu", ["x"], ["y"], name="abcd")]))
    model.opset_import[0].version = opset
    for word in (b"Relu", b"abcd", b"y"):
        error = try_load(model.SerializeToString().replace(word, b"\xff" * len(word)))
        assert error is None or error.codes


def test_a_range_of_text_gives_a_graph_error() -> None:
    words = {name: np.array("1", dtype=object) for name in ("a", "b", "c")}
    error = try_load(chain([helper.make_node("Range", list(words), ["y"])], weights=words))
    assert error is not None


def test_a_long_chain_with_a_cycle_is_broken() -> None:
    nodes = [helper.make_node("Relu", ["x" if i == 0 else f"t{i - 1}"], [f"t{i}"]) for i in range(NODES)]
    nodes[NODES // 2].input[0] = f"t{NODES - 2}"
    error = try_load(chain(nodes))
    assert error is not None
    assert error.codes[0] is ProblemCode.BROKEN_MODEL


def test_a_long_chain_in_reverse_order_loads() -> None:
    nodes = [helper.make_node("Relu", ["x" if i == 0 else f"t{i - 1}"], [f"t{i}"]) for i in range(NODES)]
    content = chain([*nodes[:-1][::-1], nodes[-1]])
    graph = load(content)
    assert [node.outputs[0] for node in graph.nodes[:2]] == ["t0", "t1"]
    assert len(graph.nodes) == NODES


def test_missing_inputs_everywhere_are_counted() -> None:
    nodes = [helper.make_node("Add", ["x", f"ghost{i}"], [f"t{i}"]) for i in range(NODES)]
    error = try_load(chain(nodes))
    assert error is not None
    assert f"{NODES} problems" in str(error)


def test_nan_attributes_do_no_harm() -> None:
    nodes = [
        helper.make_node("LeakyRelu", ["x"], ["a"], alpha=float("nan")),
        helper.make_node("Softmax", ["a"], ["b"], axis=float("nan")),
    ]
    error = try_load(chain(nodes))
    assert error is not None
    assert error.codes == (ProblemCode.BROKEN_MODEL,)


def test_a_name_of_200_scopes_keeps_them_all() -> None:
    name = "/".join(f"s{i}" for i in range(200))
    (node,) = load(chain([helper.make_node("Relu", ["x"], ["y"], name=name)])).nodes
    assert node.scope.count(".") == 199


def test_branches_nested_as_deep_as_protobuf_allows_load() -> None:
    node = helper.make_node("Relu", ["x"], ["r0"])
    for level in range(30):  # three messages for each branch, 100 in all
        info = helper.make_tensor_value_info(node.output[0], onnx.TensorProto.FLOAT, None)
        body = helper.make_graph([node], "b", [], [info])
        output = helper.make_tensor_value_info("o", onnx.TensorProto.FLOAT, None)
        other = helper.make_graph([helper.make_node("Neg", ["x"], ["o"])], "o", [], [output])
        node = helper.make_node("If", ["yes"], [f"r{level + 1}"], then_branch=body, else_branch=other)
    assert try_load(chain([node], weights={"yes": np.array(1, bool)})) is None


@pytest.mark.parametrize("depth", [90, 200])
def test_nested_functions_load_or_are_refused(depth: int) -> None:
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]
    functions = [
        helper.make_function("own", "f0", ["a"], ["b"], [helper.make_node("Relu", ["a"], ["b"])], opsets)
    ]
    for level in range(1, depth):
        inner = helper.make_node(f"f{level - 1}", ["a"], ["b"], domain="own")
        functions.append(helper.make_function("own", f"f{level}", ["a"], ["b"], [inner], opsets))
    call = helper.make_node(f"f{depth - 1}", ["x"], ["y"], domain="own")
    model = onnx.ModelProto.FromString(chain([call]))
    model.opset_import.append(opsets[1])
    model.functions.extend(functions)
    assert (try_load(model.SerializeToString()) is None) == (depth < 100)


@EXAMPLES
@given(st.sampled_from(["light_squeezenet", "light_zfnet512", "light_bvlc_alexnet"]))
def test_a_graph_survives_json(name: str) -> None:
    graph = load(LIGHT / f"{name}.onnx")
    text = msgspec.json.encode(graph, enc_hook=lambda array: np.asarray(array).tolist())
    assert json.loads(text)["digest"] == graph.digest
    assert len(json.loads(text)["nodes"]) == len(graph.nodes)
