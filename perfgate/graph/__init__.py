"""ONNX models as graphs with shapes, FLOPs and bytes."""

from perfgate.graph.loading import load
from perfgate.graph.problems import GraphError, Problem, ProblemCode

__all__ = ["GraphError", "Problem", "ProblemCode", "load"]
