from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import onnx
import pytest
from onnx import helper

from perfgate.graph import GraphError, ProblemCode, load, ops

if TYPE_CHECKING:
    from tests.unit.graph.conftest import ModelBytes

FLOAT, INT64, BOOL = onnx.TensorProto.FLOAT, onnx.TensorProto.INT64, onnx.TensorProto.BOOL


def info(name: str, kind: int = FLOAT) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, kind, None)


def loop_node(name: str = "repeat") -> onnx.NodeProto:
    """State times a matrix; the product is also stacked."""
    body = helper.make_graph(
        [
            helper.make_node("Identity", ["go"], ["on"]),
            helper.make_node("MatMul", ["state", "w"], ["next"], name="step"),
            helper.make_node("Identity", ["next"], ["trace"]),
        ],
        "body",
        [info("i", INT64), info("go", BOOL), info("state")],
        [info("on", BOOL), info("next"), info("trace")],
    )
    return helper.make_node("Loop", ["count", "yes", "x"], ["last", "all"], name=name, body=body)


@pytest.fixture
def counted(model_bytes: ModelBytes) -> bytes:
    return model_bytes(
        [loop_node()],
        inputs={"x": (4, 8)},
        outputs=["last", "all"],
        weights={"w": (8, 8), "count": np.array(5), "yes": np.array(1, bool)},
    )


def test_body_nodes_repeat_as_often_as_the_loop_runs(counted: bytes) -> None:
    graph = load(counted)
    step = next(node for node in graph.nodes if node.op == "MatMul")
    assert step.repeat == 5
    # 4 x 8 outputs of 8 products each, for one iteration
    assert ops.facts(step, graph.tensors).macs == 4 * 8 * 8


def test_results_are_carried_and_stacked(counted: bytes) -> None:
    graph = load(counted)
    assert graph.tensors["last"].shape == (4, 8)
    assert graph.tensors["all"].shape == (5, 4, 8)


def test_the_borders_carry_the_trip_count(counted: bytes) -> None:
    graph = load(counted)
    enter, *_, leave = graph.nodes
    assert (enter.op, leave.op) == ("LoopEnter", "LoopExit")
    assert enter.domain == leave.domain == "perfgate"
    assert enter.attributes["trip_count"] == 5
    assert ops.facts(enter, graph.tensors).kind is ops.OpKind.FREE
    # five slices of 4 x 8 floats are written into the stacked output
    assert ops.facts(leave, graph.tensors).write_bytes == 5 * 4 * 8 * 4


def test_a_loop_in_a_loop_multiplies(model_bytes: ModelBytes) -> None:
    inner = loop_node("inner")
    outer = helper.make_graph(
        [helper.make_node("Identity", ["go2"], ["on2"]), inner],
        "outer",
        [info("j", INT64), info("go2", BOOL)],
        [info("on2", BOOL), info("last")],
    )
    content = model_bytes(
        [helper.make_node("Loop", ["twice", ""], ["rows"], name="outer", body=outer)],
        inputs={"x": (4, 8)},
        outputs=["rows"],
        weights={"w": (8, 8), "count": np.array(5), "twice": np.array(2), "yes": np.array(1, bool)},
    )
    graph = load(content)
    assert next(node.repeat for node in graph.nodes if node.op == "MatMul") == 10
    assert graph.tensors["rows"].shape == (2, 4, 8)


def test_an_unknown_trip_count_is_an_error_that_names_the_key(model_bytes: ModelBytes) -> None:
    content = model_bytes(
        [loop_node()],
        inputs={"x": (4, 8), "count": ()},
        outputs=["last"],
        weights={"w": (8, 8), "yes": np.array(1, bool)},
        types={"count": INT64},
    )
    with pytest.raises(GraphError) as caught:
        load(content)
    assert caught.value.codes == (ProblemCode.UNBOUND_LOOP,)
    assert "'count'" in str(caught.value)
    assert "trip_counts: {repeat: <iterations>}" in str(caught.value)
    assert load(content, trip_counts={"repeat": 7}).nodes[1].repeat == 7


def test_the_endless_count_of_exporters_is_unbound(model_bytes: ModelBytes) -> None:
    content = model_bytes(
        [loop_node()],
        inputs={"x": (4, 8), "yes": ()},
        outputs=["last"],
        weights={"w": (8, 8), "count": np.array(2**63 - 1)},
        types={"yes": BOOL},
    )
    with pytest.raises(GraphError, match="UnboundLoop"):
        load(content)


def test_a_loop_that_never_runs_hands_its_state_on(model_bytes: ModelBytes) -> None:
    node = loop_node()
    node.output[1] = ""
    content = model_bytes(
        [node],
        inputs={"x": (4, 8)},
        outputs=["last"],
        weights={"w": (8, 8), "count": np.array(5), "yes": np.array(0, bool)},
    )
    assert [made.op for made in load(content).nodes] == ["Identity"]


def test_a_state_that_grows_is_remarked(model_bytes: ModelBytes) -> None:
    body = helper.make_graph(
        [helper.make_node("Identity", ["go"], ["on"]), helper.make_node("Concat", ["s", "s"], ["t"], axis=0)],
        "body",
        [info("i", INT64), info("go", BOOL), info("s")],
        [info("on", BOOL), info("t")],
    )
    content = model_bytes(
        [helper.make_node("Loop", ["count", "", "x"], ["y"], name="grow", body=body)],
        inputs={"x": (4,)},
        outputs=["y"],
        weights={"count": np.array(3)},
    )
    assert any(remark.code == "growing-state" for remark in load(content).remarks)


def test_a_scan_runs_for_the_length_of_its_input(model_bytes: ModelBytes) -> None:
    body = helper.make_graph(
        [
            helper.make_node("Add", ["sum", "row"], ["next"], name="add"),
            helper.make_node("Identity", ["next"], ["out"]),
        ],
        "body",
        [info("sum"), info("row")],
        [info("next"), info("out")],
    )
    scan = helper.make_node(
        "Scan", ["start", "rows"], ["total", "sums"], name="scan", body=body, num_scan_inputs=1
    )
    content = model_bytes([scan], inputs={"start": (3,), "rows": (6, 3)}, outputs=["total", "sums"])
    graph = load(content)
    assert next(node.repeat for node in graph.nodes if node.op == "Add") == 6
    assert graph.tensors["total"].shape == (3,)
    assert graph.tensors["sums"].shape == (6, 3)


def test_scan_axes_and_lengths_are_honoured(model_bytes: ModelBytes) -> None:
    body = helper.make_graph(
        [helper.make_node("Relu", ["a"], ["b"])], "body", [info("a"), info("c")], [info("b")]
    )
    good = {
        "body": body, "num_scan_inputs": 2, "scan_input_axes": [1, 0], "scan_output_axes": [1],
    }  # fmt: skip
    scan = helper.make_node("Scan", ["left", "right"], ["y"], name="scan", **good)
    content = model_bytes([scan], inputs={"left": (3, 6), "right": (6, 2)}, outputs=["y"])
    assert load(content).tensors["y"].shape == (3, 6)
    content = model_bytes([scan], inputs={"left": (3, 6), "right": (5, 2)}, outputs=["y"])
    with pytest.raises(GraphError, match=r"different lengths \[5, 6\]"):
        load(content)
