from __future__ import annotations

from typing import Any

import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, helper

from perfgate.backends.ort_names import ModelNodes
from perfgate.backends.ort_profile import read_profile
from perfgate.core.execution_profile import summarise

US = 1_000_000  # picoseconds


def nodes() -> ModelNodes:
    value = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1])
    made = [
        helper.make_node("Conv", ["x"], ["c"], name="body.conv"),
        helper.make_node("Relu", ["c"], ["y"], name="body.relu"),
    ]
    return ModelNodes(onnx.helper.make_model(helper.make_graph(made, "g", [value], [value])))


def run(start: int, length: int) -> list[Any]:
    return ["Session", "model_run", "", 1, start, length, 0]


def node(name: str, op: str, start: int, length: int, **more: int) -> list[Any]:
    thread, size = more.get("thread", 1), more.get("size", 0)
    return ["Node", f"{name}_kernel_time", op, thread, start, length, size]


TRACE = [
    ["Session", "session_initialization", "", 1, 0, 900, 0],
    run(1000, 90),  # the first one warms up
    node("body.conv", "Conv", 1000, 80),
    run(2000, 100),
    node("ReorderInput", "ReorderInput", 2000, 10, size=64),
    node("c_nchwc", "Conv", 2010, 50),
    node("ReorderOutput_token_4", "ReorderOutput", 2065, 5, size=32),
    node("body.relu", "Relu", 2070, 20),
]


def test_an_execution_is_read_and_its_parts_add_up() -> None:
    profile = read_profile(TRACE, nodes(), "here")
    assert profile.application.total_ps == 100 * US  # the 90 of the warm-up does not count
    assert {row.name: row.total_ps for row in profile.operators} == {
        "body.conv": 50 * US,
        "body.relu": 20 * US,
        "ReorderInput #1": 10 * US,
        "ReorderOutput #1": 5 * US,
    }
    assert (profile.parts.compute_ps, profile.parts.transfer_ps, profile.parts.wait_ps) == (
        70 * US,
        15 * US,
        15 * US,
    )
    # 5 us between the convolution and the copy, 10 us after the last node
    assert [(gap.start_ps // US, gap.length_ps // US) for gap in profile.graph.gaps] == [(60, 5), (90, 10)]
    assert profile.exact == {"kernel_count": 4.0}


def test_changes_of_layout_are_implicit_copies_with_their_bytes() -> None:
    profile = read_profile(TRACE, nodes(), "here")
    assert [(copy.direction, copy.size, copy.implicit) for copy in profile.copies] == [
        ("layout", 64, True),
        ("layout", 32, True),
    ]
    spots = {spot.name: spot for spot in summarise(profile).operators}
    assert (spots["ReorderInput #1"].copies, spots["ReorderInput #1"].copied_bytes) == (1, 64)
    assert spots["body.conv"].copies == 0


def test_an_operator_has_the_models_number_and_scope() -> None:
    rows = {row.name: row for row in read_profile(TRACE, nodes(), "here").operators}
    assert (rows["body.relu"].number, rows["body.relu"].scope, rows["body.relu"].op) == (1, "body", "Relu")
    assert rows["ReorderInput #1"].number >= 2


def test_a_loop_does_not_count_its_body_twice() -> None:
    trace = [
        run(0, 100),
        node("loop", "Loop", 0, 90),
        node("body.conv", "Conv", 10, 30),
        node("body.relu", "Relu", 50, 20),
        node("after", "Add", 90, 10),
    ]
    rows = {row.name: row.total_ps // US for row in read_profile(trace, nodes(), "here").operators}
    assert rows == {"Loop #1": 40, "body.conv": 30, "body.relu": 20, "Add #1": 10}


def test_threads_are_streams_of_their_own() -> None:
    trace = [
        run(0, 100),
        node("body.conv", "Conv", 0, 90, thread=1),
        node("body.relu", "Relu", 10, 30, thread=2),
    ]
    profile = read_profile(trace, nodes(), "here")
    assert profile.graph.streams == 2
    assert profile.parts.compute_ps == 90 * US  # the busiest one
    for stream in range(2):
        spent = sum(row.duration_ps for row in profile.kernels if row.stream == stream)
        idle = sum(gap.length_ps for gap in profile.graph.gaps if gap.stream == stream)
        assert spent + idle == 100 * US


def test_each_node_and_each_gap_is_taken_at_its_shortest() -> None:
    trace = [
        run(0, 9000),  # warms up
        node("body.conv", "Conv", 0, 8000),
        node("body.relu", "Relu", 8000, 900),
        run(10_000, 100),
        node("body.conv", "Conv", 10_010, 50),
        node("body.relu", "Relu", 10_060, 35),  # paused here, by 30 us
        run(20_000, 100),
        node("body.conv", "Conv", 20_002, 75),  # and there
        node("body.relu", "Relu", 20_080, 5),
    ]
    profile = read_profile(trace, nodes(), "here")
    assert {row.name: row.total_ps // US for row in profile.operators} == {"body.conv": 50, "body.relu": 5}
    assert profile.application.total_ps == (2 + 50 + 0 + 5 + 5) * US  # gaps of 10 and 2, 0 and 3, 5 and 15
    assert profile.parts.wait_ps == 7 * US


def test_executions_of_different_nodes_are_not_mixed() -> None:
    trace = [
        run(0, 90),
        run(100, 80),
        node("body.conv", "Conv", 100, 80),
        run(200, 70),
        node("body.relu", "Relu", 200, 70),
    ]
    profile = read_profile(trace, nodes(), "here")
    assert [(row.name, row.total_ps // US) for row in profile.operators] == [("body.relu", 70)]


def test_a_single_execution_is_taken_as_it_is() -> None:
    assert read_profile([run(0, 7)], nodes(), "here").application.total_ps == 7 * US


def test_a_trace_without_an_execution_is_refused() -> None:
    with pytest.raises(ValueError, match="no execution"):
        read_profile([node("body.conv", "Conv", 0, 9)], nodes(), "here")


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=1, max_size=30))
def test_on_one_thread_nodes_and_gaps_add_up_to_the_execution(pieces: list[tuple[int, int]]) -> None:
    now, trace = 0, []
    for number, (idle, length) in enumerate(pieces):
        trace.append(node(f"n{number}", "Add", now + idle, length))
        now += idle + length
    profile = read_profile([run(0, now + 1), *trace], nodes(), "here")
    spent = sum(row.duration_ps for row in profile.kernels)
    assert spent == sum(row.total_ps for row in profile.operators)
    assert spent + sum(gap.length_ps for gap in profile.graph.gaps) == (now + 1) * US
