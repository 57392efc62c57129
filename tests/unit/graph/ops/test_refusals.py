"""Every operator says what does not fit, in shapes and axes; nothing is let through, no traceback."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec
import numpy as np
import pytest
from onnx import helper

from perfgate.graph import GraphError, ProblemCode, load

if TYPE_CHECKING:
    from tests.unit.graph.conftest import ModelBytes

Value: TypeAlias = Any  # an attribute or a weight


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """An operator on inputs of these shapes, then these weights; a part of the message."""

    op: str
    shapes: tuple[tuple[int, ...], ...] = ()
    weights: tuple[Value, ...] = ()
    attributes: dict[str, Value] = {}
    outputs: int = 1
    opset: int = 21
    message: str


MAP = (1, 8, 6, 6)
CASES = [
    Case(op="Add", shapes=((2, 3), (2, 4)), message="axis -1 is 3 against 4"),
    Case(op="Add", shapes=((2, 3),), message="input 1 is absent"),
    Case(op="PRelu", shapes=((2, 3), (4,)), message="do not broadcast: axis -1 is 3 against 4"),
    Case(op="PRelu", shapes=((1, 3), (2, 3)), message="slope [2, 3] does not stretch to [1, 3]"),
    Case(op="MatMul", shapes=((2, 3), (4, 5)), message="axis -1 is 3 but axis -2 is 4"),
    Case(op="MatMul", shapes=((3,), (4,)), message="axis -1 is 3 but axis -1 is 4"),
    Case(op="MatMul", shapes=((), (4,)), message="rank 1 or more"),
    Case(op="Gemm", shapes=((2, 3, 4), (4, 5)), message="Gemm takes matrices"),
    Case(op="Gemm", shapes=((2, 3), (4, 5)), message="inner sizes are 3 and 4"),
    Case(op="Gemm", shapes=((2, 3), (3, 5), (4,)), message="do not broadcast: axis -1 is 5 against 4"),
    Case(op="Gemm", shapes=((1, 3), (3, 5), (2, 5)), message="bias [2, 5] does not broadcast to [1, 5]"),
    Case(op="Conv", shapes=(MAP, (4, 8, 3)), message="must have one rank"),
    Case(op="Conv", shapes=(MAP, (4, 7, 3, 3)), message="has 8 channels (axis 1)"),
    Case(
        op="Conv",
        shapes=(MAP, (4, 8, 3, 3)),
        attributes={"kernel_shape": [5, 5]},
        message="differs from the weight",
    ),
    Case(
        op="Conv",
        shapes=(MAP, (4, 8, 9, 9)),
        message="a window of 9 (dilation 1) does not fit in spatial axis 0",
    ),
    Case(op="Conv", shapes=(MAP, (4, 8, 3, 3)), attributes={"strides": [0, 1]}, message="must be positive"),
    Case(
        op="Conv",
        shapes=(MAP, (4, 8, 3, 3)),
        attributes={"pads": [1, 1]},
        message="pads [1, 1] needs 4 entries",
    ),
    Case(op="ConvTranspose", shapes=(MAP, (4, 8, 3, 3)), message="has 8 channels (axis 1)"),
    Case(op="ConvTranspose", shapes=(MAP, (8, 8, 3)), message="must have one rank"),
    Case(
        op="ConvTranspose",
        shapes=(MAP, (8, 2, 1, 1)),
        attributes={"pads": [9, 9, 9, 9]},
        message="larger than",
    ),
    Case(op="MaxPool", shapes=((2, 3),), attributes={"kernel_shape": [2]}, message="rank 3 or more"),
    Case(op="MaxPool", shapes=(MAP,), message="kernel_shape is absent"),
    Case(
        op="MaxPool", shapes=(MAP,), attributes={"kernel_shape": [2]}, message="the data has 2 spatial axes"
    ),
    Case(op="GlobalMaxPool", shapes=((3,),), message="needs N and C axes"),
    Case(op="RoiAlign", shapes=(MAP, (3,), (3,)), message="RoI pooling takes"),
    Case(
        op="BatchNormalization",
        shapes=(MAP, (8,), (8,), (7,), (8,)),
        message="input 3 [7] does not match the 8",
    ),
    Case(op="BatchNormalization", shapes=((3,), (8,), (8,), (8,), (8,)), message="no channel axis"),
    Case(
        op="GroupNormalization",
        shapes=(MAP, (8,), (8,)),
        attributes={"num_groups": 3},
        message="into 3 groups",
    ),
    Case(op="LayerNormalization", shapes=((2, 6), (5,)), message="scale [5] does not broadcast to [2, 6]"),
    Case(
        op="LayerNormalization",
        shapes=((2, 6), (6,)),
        attributes={"axis": 4},
        message="axis 4 is outside rank 2",
    ),
    Case(op="Softmax", shapes=((2, 6),), attributes={"axis": -3}, message="axis -3 is outside rank 2"),
    Case(
        op="Reshape",
        shapes=((2, 6),),
        weights=([5, -1],),
        message="[2, 6] (12 elements) cannot become [5, -1]",
    ),
    Case(op="Reshape", shapes=((2, 6),), weights=([-1, -1],), message="cannot become [-1, -1]"),
    Case(op="Reshape", shapes=((2, 6),), weights=([2, 2, 0],), message="copies axis 2"),
    Case(op="Reshape", shapes=((2, 6),), weights=([13],), message="cannot become [13]"),
    Case(op="Flatten", shapes=((2, 6),), attributes={"axis": 3}, message="axis 3 is outside rank 2"),
    Case(
        op="Squeeze",
        shapes=((2, 1),),
        weights=([0],),
        message="axis 0 of [2, 1] is 2, only 1 can be squeezed",
    ),
    Case(op="Unsqueeze", shapes=((2, 1),), message="axes are absent"),
    Case(op="Unsqueeze", shapes=((2, 1),), weights=([0, 0],), message="repeat"),
    Case(
        op="Transpose", shapes=((2, 1),), attributes={"perm": [0, 0]}, message="is not an order of the 2 axes"
    ),
    Case(
        op="Concat", shapes=((2, 3), (3, 3)), attributes={"axis": 1}, message="along axis 1: axes [0] differ"
    ),
    Case(op="Concat", shapes=((2, 3), (2,)), attributes={"axis": 1}, message="the ranks differ"),
    Case(op="Split", shapes=((5,),), weights=([2, 2],), outputs=2, message="does not add up to 5"),
    Case(op="Split", shapes=((5,),), attributes={"num_outputs": 3}, outputs=2, message="num_outputs is 3"),
    Case(op="Slice", shapes=((5,),), weights=([0], [1, 2]), message="differ in length"),
    Case(op="Slice", shapes=((5,),), weights=([0], [3], [0], [0]), message="a step of 0"),
    Case(op="Expand", shapes=((2, 3),), weights=([2, 4],), message="do not broadcast"),
    Case(op="Tile", shapes=((2, 3),), weights=([2],), message="do not fit [2, 3]"),
    Case(op="Pad", shapes=((2, 3),), weights=([1, 1],), message="need 4 entries"),
    Case(op="Pad", shapes=((2, 3),), weights=([-9, 0, 0, 0],), message="pads cut [2, 3] down"),
    Case(op="Range", weights=(np.array(0), np.array(5), np.array(0)), message="a delta of 0"),
    Case(
        op="Gather",
        shapes=((2, 3),),
        weights=([0],),
        attributes={"axis": 2},
        message="axis 2 is outside rank 2",
    ),
    Case(op="GatherElements", shapes=((2, 3),), weights=([0],), message="need the rank"),
    Case(op="GatherND", shapes=((2, 3),), weights=([[0, 0, 0]],), message="do not address [2, 3]"),
    Case(
        op="ScatterElements",
        shapes=((2, 3),),
        weights=([[0]], np.ones((1, 2), np.float32)),
        message="one shape",
    ),
    Case(
        op="ScatterND",
        shapes=((2, 3),),
        weights=([[0]], np.ones((3,), np.float32)),
        message="should be [1, 3]",
    ),
    Case(
        op="ScatterND",
        shapes=((2, 3),),
        weights=([[0, 0, 0]], np.ones(1, np.float32)),
        message="do not address",
    ),
    Case(op="TensorScatter", shapes=((2, 3), (2,)), opset=24, message="needs the rank of the cache"),
    Case(op="OneHot", weights=([0], np.array(-1), [0.0, 1.0]), message="depth -1 is negative"),
    Case(op="NonMaxSuppression", shapes=((1, 9, 3), (1, 2, 9)), message="must be B,N,4 and B,C,N"),
    Case(op="TopK", shapes=((2, 3),), weights=([4],), message="k = 4 is outside axis 1 of [2, 3]"),
    Case(op="Resize", shapes=(MAP,), message="neither scales nor sizes"),
    Case(op="Resize", shapes=(MAP, (0,)), weights=(np.ones(3, np.float32),), message="do not fit the 4 axes"),
    Case(
        op="Resize",
        shapes=(MAP, (0,)),
        weights=(np.array([1, 1, 0, 1], np.float32),),
        message="is not positive",
    ),
    Case(op="Resize", shapes=(MAP, (0,), (0,)), weights=([1, 1],), message="sizes [1, 1] do not fit"),
    Case(op="GridSample", shapes=(MAP, (1, 4, 4, 3)), message="does not address"),
    Case(op="DepthToSpace", shapes=(MAP,), attributes={"blocksize": 3}, message="blocks of 3 x 3"),
    Case(op="SpaceToDepth", shapes=(MAP,), attributes={"blocksize": 4}, message="blocks of 4 x 4"),
    Case(op="SpaceToDepth", shapes=((2, 3),), attributes={"blocksize": 1}, message="must be N,C,H,W"),
    Case(op="AffineGrid", shapes=((1, 2, 3),), weights=([1, 2, 3],), message="neither N,C,H,W"),
    Case(op="CenterCropPad", shapes=((2, 3),), weights=([2],), message="does not fit the axes"),
    Case(op="Col2Im", shapes=((1, 5, 4),), weights=([4, 4], [2, 2]), message="do not fit blocks of [2, 2]"),
    Case(
        op="LSTM",
        shapes=((7, 2, 5), (1, 32, 6), (1, 32, 8)),
        attributes={"hidden_size": 8},
        message="should be [1, 32, 5]",
    ),
    Case(op="GRU", shapes=((7, 5), (1, 24, 5), (1, 24, 8)), message="must have rank 3"),
    Case(op="Attention", shapes=((1, 2, 3, 8), (1, 2, 3, 4), (1, 2, 3, 8)), opset=23, message="do not fit"),
    Case(
        op="Attention",
        shapes=((1, 3, 8),) * 3,
        attributes={"q_num_heads": 3, "kv_num_heads": 3},
        opset=23,
        message="does not split into 3 heads",
    ),
    Case(op="Einsum", shapes=((2, 3), (3, 4)), attributes={"equation": "ij->ij"}, message="names 1 operands"),
    Case(
        op="Einsum",
        shapes=((2, 3), (4, 4)),
        attributes={"equation": "ij,jk->ik"},
        message="index 'j' is 3 and 4",
    ),
    Case(op="Einsum", shapes=((2, 3),), attributes={"equation": "ijk->i"}, message="does not fit [2, 3]"),
    Case(
        op="Einsum",
        shapes=((2, 3),),
        attributes={"equation": "ij->z"},
        message="result index that no operand has",
    ),
    Case(op="Cast", shapes=((2,),), message="attribute 'to' is absent"),
    Case(op="RandomNormal", message="attribute 'shape' is absent"),
    Case(op="Multinomial", shapes=((2,),), message="must be batch, classes"),
    Case(op="Det", shapes=((2, 3),), message="no square matrix"),
    Case(
        op="STFT",
        shapes=((1, 8, 1),),
        weights=(np.array(0), np.ones(4, np.float32)),
        message="do not fit the signal",
    ),
    Case(op="NegativeLogLikelihoodLoss", shapes=((2, 3), (2, 3)), message="need one axis less"),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.op}: {case.message}")
def test_what_does_not_fit_is_named(case: Case, model_bytes: ModelBytes) -> None:
    inputs = {f"x{position}": shape for position, shape in enumerate(case.shapes)}
    weights = {f"w{position}": np.asarray(value) for position, value in enumerate(case.weights)}
    outputs = [f"y{position}" for position in range(case.outputs)]
    node = helper.make_node(case.op, [*inputs, *weights], outputs, **case.attributes)
    content = model_bytes([node], inputs=inputs, outputs=outputs, weights=weights, opsets={"": case.opset})
    with pytest.raises(GraphError) as caught:
        load(content)
    (problem,) = caught.value.problems
    assert problem.code is ProblemCode.SHAPE_MISMATCH
    assert case.message in problem.what
    assert case.op in problem.where
    assert problem.remedy
