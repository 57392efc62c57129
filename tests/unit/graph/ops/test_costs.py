"""Work of single operators against hand counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import onnx
import pytest
from onnx import helper

from perfgate.graph import load, ops
from perfgate.graph.ops import OpFacts, OpKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.unit.graph.conftest import ModelBytes

Value: TypeAlias = Any  # an attribute or a weight


class Bench:
    """Facts of a one-node model."""

    def __init__(self, model_bytes: ModelBytes) -> None:
        self.model_bytes = model_bytes

    def facts(
        self,
        op: str,
        shapes: Sequence[tuple[int, ...]],
        *,
        weights: dict[str, Value] | None = None,
        opset: int = 21,
        **attributes: Value,
    ) -> OpFacts:
        """Inputs are called a, b, c ... in the order of `shapes`; weights follow as further operands."""
        outputs = attributes.pop("outputs", ["y"])
        inputs = dict(zip("abcdef", shapes, strict=False))
        node = helper.make_node(op, [*inputs, *(weights or {})], outputs, **attributes)
        content = self.model_bytes(
            [node], inputs=inputs, outputs=outputs, weights=weights, opsets={"": opset}
        )
        graph = load(content)
        return ops.facts(graph.nodes[0], graph.tensors)


@pytest.fixture
def bench(model_bytes: ModelBytes) -> Bench:
    return Bench(model_bytes)


def size(facts: OpFacts) -> tuple[int, int, int, int]:
    assert facts.m * facts.n * facts.k * facts.count == facts.macs
    return facts.m, facts.n, facts.k, facts.count


def test_a_convolution_is_a_product_of_pixels_and_filters(bench: Bench) -> None:
    facts = bench.facts("Conv", [(2, 8, 10, 10), (16, 8, 3, 3)], pads=[1, 1, 1, 1])
    assert size(facts) == (2 * 100, 16, 8 * 9, 1)
    assert facts.kind is OpKind.MATRIX


def test_a_grouped_convolution_is_one_product_for_each_group(bench: Bench) -> None:
    assert size(bench.facts("Conv", [(1, 8, 5, 5), (8, 1, 3, 3)], group=8)) == (9, 1, 9, 8)


def test_a_transposed_convolution_spreads_every_input_pixel(bench: Bench) -> None:
    facts = bench.facts("ConvTranspose", [(1, 8, 5, 5), (8, 4, 2, 2)], strides=[2, 2])
    assert size(facts) == (25, 4 * 4, 8, 1)


def test_a_weight_without_batch_folds_the_batch_into_rows(bench: Bench) -> None:
    assert size(bench.facts("MatMul", [(2, 3, 4, 5), (5, 6)])) == (24, 6, 5, 1)


def test_a_batched_product_counts_its_batch(bench: Bench) -> None:
    assert size(bench.facts("MatMul", [(2, 3, 4, 5), (3, 5, 6)])) == (4, 6, 5, 6)
    assert size(bench.facts("MatMul", [(5,), (3, 5, 6)])) == (1, 6, 5, 3)


def test_gemm_honours_its_transpositions(bench: Bench) -> None:
    facts = bench.facts("Gemm", [(5, 4), (6, 5), (6,)], transA=1, transB=1)
    assert size(facts) == (4, 6, 5, 1)
    assert facts.flops == 2 * 120 + 24  # the bias is an addition for each output


@pytest.mark.parametrize(("op", "gates"), [("LSTM", 4), ("GRU", 3), ("RNN", 1)])
def test_a_recurrent_network_multiplies_input_and_state_at_each_step(
    bench: Bench, op: str, gates: int
) -> None:
    shapes = [(7, 2, 5), (2, gates * 8, 5), (2, gates * 8, 8)]
    facts = bench.facts(op, shapes, hidden_size=8, direction="bidirectional")
    assert size(facts) == (2, gates * 8, 5 + 8, 7 * 2)


def test_attention_multiplies_twice(bench: Bench) -> None:
    facts = bench.facts("Attention", [(2, 4, 6, 16), (2, 2, 9, 16), (2, 2, 9, 8)], opset=23)
    assert facts.macs == 2 * 4 * 6 * 9 * (16 + 8)
    assert facts.row == 9


def test_attention_counts_the_past(bench: Bench) -> None:
    shapes = [(1, 1, 32), (1, 1, 32), (1, 1, 32)]
    node = helper.make_node(
        "Attention", ["q", "k", "v", "", "pk", "pv"], ["y", "nk", "nv"], q_num_heads=4, kv_num_heads=4
    )
    past = (1, 4, 10, 8)
    content = bench.model_bytes(
        [node],
        inputs={**dict(zip("qkv", shapes, strict=True)), "pk": past, "pv": past},
        outputs=["y", "nk", "nv"],
        opsets={"": 23},
    )
    graph = load(content)
    assert ops.facts(graph.nodes[0], graph.tensors).macs == 4 * 11 * (8 + 8)
    assert graph.tensors["nk"].shape == (1, 4, 11, 8)
    assert graph.tensors["y"].shape == (1, 1, 32)


@pytest.mark.parametrize(
    ("op", "shapes", "attributes", "row"),
    [
        ("Softmax", [(4, 6, 10)], {"axis": -1}, 10),
        ("LayerNormalization", [(4, 6, 10), (10,)], {"axis": -1}, 10),
        ("GroupNormalization", [(1, 8, 6, 5), (8,), (8,)], {"num_groups": 2}, 4 * 30),
        ("InstanceNormalization", [(1, 8, 6, 5), (8,), (8,)], {}, 30),
        ("GlobalAveragePool", [(1, 8, 6, 5)], {}, 30),
        ("ArgMax", [(4, 10)], {"axis": 1}, 10),
    ],
)
def test_rows_are_what_is_reduced_together(
    bench: Bench, op: str, shapes: Sequence[tuple[int, ...]], attributes: dict[str, Value], row: int
) -> None:
    facts = bench.facts(op, shapes, **attributes)
    assert facts.row == row
    assert facts.kind is OpKind.VECTOR


def test_softmax_before_opset_13_reduces_everything_behind_its_axis(bench: Bench) -> None:
    assert bench.facts("Softmax", [(4, 6, 10)], opset=11).row == 60
    assert bench.facts("Softmax", [(4, 6, 10)], opset=13).row == 10


@pytest.mark.parametrize(
    ("op", "work"),
    [("Add", 1), ("Mul", 1), ("Div", 4), ("Exp", 8), ("Erf", 12), ("Sqrt", 4), ("Sigmoid", 13)],
)
def test_vector_work_has_the_weights_of_the_design(bench: Bench, op: str, work: int) -> None:
    shapes = [(3, 5)] * (2 if op in {"Add", "Mul", "Div"} else 1)
    facts = bench.facts(op, shapes)
    assert facts.vector_work == work * 15
    assert facts.read_bytes == 60 * len(shapes)
    assert facts.write_bytes == 60


def test_a_gather_reads_what_it_writes(bench: Bench) -> None:
    facts = bench.facts("Gather", [(30000, 8)], weights={"i": np.array([1, 2, 3])})
    assert facts.kind is OpKind.MOVE
    assert (facts.read_bytes, facts.write_bytes) == (3 * 8 * 4 + 3 * 8, 3 * 8 * 4)


def test_steering_operands_are_not_read(bench: Bench) -> None:
    facts = bench.facts("Pad", [(4, 4)], weights={"p": np.array([1, 1, 1, 1])})
    assert (facts.read_bytes, facts.write_bytes) == (64, 144)


def test_views_are_free(bench: Bench) -> None:
    assert bench.facts("Reshape", [(4, 4)], weights={"s": np.array([16])}) == OpFacts(kind=OpKind.FREE)
    assert bench.facts("Cast", [(4, 4)], to=onnx.TensorProto.FLOAT).kind is OpKind.FREE
    assert bench.facts("Cast", [(4, 4)], to=onnx.TensorProto.FLOAT16).kind is OpKind.VECTOR


def test_nearest_resizing_moves_and_linear_resizing_computes(bench: Bench) -> None:
    scales = {"r": np.array([], np.float32), "s": np.array([1, 1, 2, 2], np.float32)}
    nearest = bench.facts("Resize", [(1, 2, 3, 3)], weights=scales, mode="nearest")
    linear = bench.facts("Resize", [(1, 2, 3, 3)], weights=scales, mode="linear")
    assert (nearest.kind, linear.kind) == (OpKind.MOVE, OpKind.VECTOR)
    assert nearest.write_bytes == linear.write_bytes == 2 * 36 * 4


def test_a_foreign_operator_is_a_vector_pass_over_inputs_and_outputs(model_bytes: ModelBytes) -> None:
    node = helper.make_node("Magic", ["x"], ["y"], domain="own")
    graph = load(
        model_bytes(
            [node], inputs={"x": (2, 3)}, outputs=["y"], output_shapes={"y": (4,)}, opsets={"": 17, "own": 1}
        )
    )
    facts = ops.facts(graph.nodes[0], graph.tensors)
    assert facts.is_estimated
    assert (facts.vector_work, facts.read_bytes, facts.write_bytes) == (6 + 4, 24, 16)
