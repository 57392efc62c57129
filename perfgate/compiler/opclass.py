"""What kinds of operators the passes tell apart."""

from __future__ import annotations

from perfgate.graph.ops.elementwise import BINARY, UNARY

CONVOLUTIONS = frozenset({"Conv", "ConvTranspose", "ConvInteger", "QLinearConv", "DeformConv"})
PRODUCTS = frozenset({"Gemm", "MatMul", "MatMulInteger", "QLinearMatMul", "Einsum"})
RECURRENT = frozenset({"LSTM", "GRU", "RNN"})
MATRIX = CONVOLUTIONS | PRODUCTS | RECURRENT | {"Attention"}

ACTIVATIONS = frozenset({
    "Relu", "Clip", "LeakyRelu", "PRelu", "Elu", "Selu", "Celu", "Sigmoid", "HardSigmoid", "HardSwish",
    "Tanh", "Softplus", "Gelu", "Mish", "Swish", "ThresholdedRelu", "Softsign",
})  # fmt: skip
NORMS = frozenset({
    "BatchNormalization", "InstanceNormalization", "GroupNormalization", "LayerNormalization",
    "RMSNormalization", "MeanVarianceNormalization", "LpNormalization", "LRN",
})  # fmt: skip
SOFTMAXES = frozenset({"Softmax", "LogSoftmax", "Hardmax"})

# Operators of one pass without reductions; a chain of them is one vector kernel.
ELEMENTWISE = (
    frozenset(UNARY) | frozenset(BINARY) | {"Min", "Max", "Sum", "Mean", "Where", "Gelu", "Cast", "CastLike"}
) - {"Bernoulli"}

VIEWS = frozenset({"Reshape", "Flatten", "Squeeze", "Unsqueeze"})
CONTROL = frozenset({"If", "Loop", "Scan", "SequenceMap"})
BORDERS = frozenset({"LoopEnter", "LoopExit"})  # of a loop body that the importer made flat

# SIMULATOR section 5: these have a layout of their own when one is pinned.
SENSITIVE_VECTOR = frozenset({
    "MaxPool", "AveragePool", "LpPool", "GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool", "MaxUnpool",
    "Resize", "Upsample", "GridSample", "RoiAlign", "MaxRoiPool", "LRN",
    "BatchNormalization", "InstanceNormalization", "GroupNormalization", "DepthToSpace", "SpaceToDepth",
})  # fmt: skip

# These see elements in logical order, so a 4-D operand must be stored that way.
LOGICAL_ORDER = VIEWS | PRODUCTS | RECURRENT | CONTROL | {
    "Attention", "Gather", "GatherElements", "GatherND", "Scatter", "ScatterElements", "ScatterND", "Expand",
    "Tile", "OneHot", "NonZero", "Compress", "LoopEnter", "LoopExit", "NonMaxSuppression", "TopK", "Unique",
    "ReverseSequence", "CumSum",
}  # fmt: skip
