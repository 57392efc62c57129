"""The op table: shapes, values and cost of each ONNX operator."""

from perfgate.graph.ops.rows import OpFacts, OpKind
from perfgate.graph.ops.table import data_inputs, facts

__all__ = ["OpFacts", "OpKind", "data_inputs", "facts"]
