"""What a model's file carries and nobody uses, on models made for it."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from perfgate.graph.unused import UnusedParts, unused_parts


def model(extra_nodes: tuple[object, ...] = (), domains: tuple[str, ...] = ("",)) -> bytes:
    nodes = [helper.make_node("MatMul", ["x", "weight"], ["y"], name="product"), *extra_nodes]
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes,
        "made",
        [value("x", TensorProto.FLOAT, [4, 4])],
        [value("y", TensorProto.FLOAT, [4, 4])],
        [
            numpy_helper.from_array(np.ones((4, 4), np.float32), "weight"),
            numpy_helper.from_array(np.ones((8, 4), np.float32), "left"),
            numpy_helper.from_array(np.ones(2, np.float16), "over"),
        ],
    )
    imports = [helper.make_opsetid(domain, 21 if not domain else 1) for domain in domains]
    return bytes(helper.make_model(graph, opset_imports=imports).SerializeToString())


def test_initialisers_that_nobody_reads_are_named_with_their_bytes_the_largest_first() -> None:
    # 8 x 4 elements of 4 bytes, 2 elements of 2 bytes
    assert unused_parts(model()) == UnusedParts(initialisers=(("left", 128), ("over", 4)))


def test_a_node_that_reaches_no_output_is_unused_with_what_only_it_reads() -> None:
    chain = (
        helper.make_node("Relu", ["left"], ["a"], name="dead"),
        helper.make_node("Abs", ["a"], ["b"]),
    )
    parts = unused_parts(model(chain))
    assert parts.nodes == ("Relu dead", "Abs b")
    assert [name for name, _ in parts.initialisers] == ["left", "over"]


def test_an_operator_set_that_no_node_comes_from_is_named() -> None:
    custom = helper.make_node("Own", ["x"], ["z"], domain="com.ours")
    assert unused_parts(model(domains=("", "com.microsoft"))).domains == ("com.microsoft",)
    assert unused_parts(model((custom,), domains=("", "com.ours"))).domains == ()


def test_what_only_the_body_of_a_branch_reads_is_used() -> None:
    value = helper.make_tensor_value_info
    bodies = [
        helper.make_graph(
            [helper.make_node("Identity", [name], [f"{name}_out"])],
            f"take_{name}",
            [],
            [value(f"{name}_out", TensorProto.FLOAT, None)],
        )
        for name in ("left", "over")
    ]
    branch = helper.make_node("If", ["c"], ["y2"], then_branch=bodies[0], else_branch=bodies[1])
    graph = helper.make_graph(
        [branch],
        "branches",
        [value("c", TensorProto.BOOL, [])],
        [value("y2", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(np.ones(2, np.float32), name) for name in ("left", "over")],
    )
    assert unused_parts(helper.make_model(graph).SerializeToString()) == UnusedParts()
