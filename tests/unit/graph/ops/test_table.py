"""The whole table against other people's answers: onnx's own node test cases and its shape inference."""

from __future__ import annotations

import csv
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from perfgate.graph import GraphError, ProblemCode, load, ops
from perfgate.graph.importer import SPECIAL
from perfgate.graph.ops.table import TABLE

if TYPE_CHECKING:
    from perfgate.graph.ir import Tensor

Message: TypeAlias = Any  # onnx ships no types
DATA = Path(__file__).parents[3] / "data"
LIGHT = Path(onnx.__file__).parent / "backend/test/data/light"
ROWS = list(csv.DictReader((DATA / "onnx_light_macs.csv").read_text(encoding="utf-8").splitlines()))

SECTION_2 = """
Conv ConvTranspose Gemm MatMul MatMulInteger ConvInteger QLinearConv QLinearMatMul Einsum Attention LSTM
GRU RNN BatchNormalization InstanceNormalization GroupNormalization LayerNormalization RMSNormalization
LRN LpNormalization Softmax LogSoftmax Hardmax ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd
ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceSumSquare ArgMax ArgMin CumSum TopK MaxPool
AveragePool GlobalAveragePool GlobalMaxPool GlobalLpPool LpPool Resize Upsample GridSample DepthToSpace
SpaceToDepth RoiAlign Add Sub Mul Div Pow Min Max Sum Mean Mod Neg Abs Sqrt Reciprocal Exp Log Erf Sin
Cos Floor Ceil Round Sign Clip Relu LeakyRelu PRelu Elu Selu Celu Sigmoid HardSigmoid HardSwish Tanh
Softplus Gelu Mish Swish Where Equal Less LessOrEqual Greater GreaterOrEqual And Or Not Xor IsNaN Cast
CastLike Identity Dropout Reshape Flatten Squeeze Unsqueeze Transpose Concat Split Slice Gather
GatherElements GatherND Scatter ScatterElements ScatterND Expand Tile Pad Shape Size Range
ConstantOfShape OneHot EyeLike NonZero Compress NonMaxSuppression QuantizeLinear DequantizeLinear
DynamicQuantizeLinear
"""

# Cases of onnx that no cost can be given for, with the code they are refused by.
REFUSED = {
    ProblemCode.UNKNOWN_OPERATOR: "sequence or optional inputs and outputs, text of unknown length",
    ProblemCode.UNSUPPORTED_OPSET: "operators newer than opset 24 or older than 7",
    ProblemCode.MISSING_VALUE: "a slice by a loop's counter; a range of bfloat16",
    ProblemCode.UNBOUND_LOOP: "the same range, written as a loop",
}
UPPER_LIMIT = "test_unique"  # the number of distinct elements depends on data: the limit is taken


@pytest.mark.parametrize("op", SECTION_2.split())
def test_the_table_has_every_operator_of_the_design(op: str) -> None:
    assert op in TABLE or op in SPECIAL  # some become weights or other nodes


@pytest.fixture(scope="module")
def graphs() -> dict[str, Any]:
    return {name: load(LIGHT / f"{name}.onnx") for name in {row["model"] for row in ROWS}}


def test_macs_equal_on_every_reference_row(graphs: dict[str, Any]) -> None:
    wrong = []
    for row in ROWS:
        graph = graphs[row["model"]]
        node = next(node for node in graph.nodes if row["output"] in node.outputs)
        facts = ops.facts(node, graph.tensors)
        if (facts.macs, node.op) != (int(row["macs"]), row["op"]):
            wrong.append((row["model"], row["output"], facts.macs, row["macs"]))
    assert len(ROWS) == 130
    assert not wrong


def test_bias_shows_in_flops_as_the_other_convention_counts_it(graphs: dict[str, Any]) -> None:
    for row in ROWS:
        graph = graphs[row["model"]]
        node = next(node for node in graph.nodes if row["output"] in node.outputs)
        facts = ops.facts(node, graph.tensors)
        assert facts.flops - facts.macs == int(row["macs_with_bias"])


def test_nodes_keep_their_position_in_the_model(graphs: dict[str, Any]) -> None:
    for row in ROWS:
        nodes = graphs[row["model"]].nodes
        assert next(node.index for node in nodes if row["output"] in node.outputs) == int(row["node_index"])


def test_outputs_equal_those_of_the_shipped_node_cases() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the generators of some cases divide by zero on purpose
        from onnx.backend.test.case.node import collect_testcases  # noqa: PLC0415 - its import warns

        cases = collect_testcases(None)
    wrong, checked = [], 0
    for case in cases:
        for inputs, outputs in case.data_sets or []:
            found = _differences(case.model, inputs, outputs)
            checked += 1
            if found and not case.name.startswith(UPPER_LIMIT):
                wrong.append((case.name, found))
    assert not wrong
    assert checked > 1000


def _differences(model: Message, inputs: list[Any], outputs: list[Any]) -> list[str]:
    arrays = {
        entry.name: _array(item)
        for entry, item in zip(model.graph.input, inputs, strict=False)
        if item is not None and not isinstance(item, list)
    }
    values = {name: array for name, array in arrays.items() if array.dtype.kind in "iubf"}
    try:
        graph = load(
            model.SerializeToString(),
            values=values,
            bindings={name: array.shape for name, array in arrays.items()},
        )
    except GraphError as error:
        return [] if error.problems[0].code in REFUSED else [str(error)]
    found = []
    for name, item in zip(graph.outputs, outputs, strict=True):
        if item is None or isinstance(item, list):
            continue
        found += _difference(graph.tensors[name], _array(item))
    for node in graph.nodes:
        ops.facts(node, graph.tensors)  # must not raise
    return found


def _array(item: Message) -> np.ndarray:
    return np.asarray(numpy_helper.to_array(item) if isinstance(item, onnx.TensorProto) else item)


def _difference(tensor: Tensor, expected: np.ndarray) -> list[str]:
    found = []
    if tensor.shape != expected.shape:
        found.append(f"{tensor.name}: {tensor.shape} instead of {expected.shape}")
    elif expected.dtype != object and expected.dtype.kind not in "US" and tensor.dtype != expected.dtype.name:
        found.append(f"{tensor.name}: {tensor.dtype} instead of {expected.dtype.name}")
    elif tensor.value is not None and expected.dtype.kind in "iubf":
        # Values steer shapes: half precision is good to three digits, the rest to four.
        tolerance = 1e-2 if expected.dtype == np.float16 else 1e-4
        if not np.allclose(tensor.value, expected, rtol=tolerance, equal_nan=True):
            found.append(f"{tensor.name}: {tensor.value} instead of {expected}")
    return found


def test_steering_operands_are_no_data() -> None:
    graph = load(LIGHT / "light_shufflenet.onnx")
    reshape = next(node for node in graph.nodes if node.op == "Reshape")
    assert ops.data_inputs(reshape) == reshape.inputs[:1]
    assert ops.facts(reshape, graph.tensors).kind is ops.OpKind.FREE
