"""ONNX models as graphs with shapes, FLOPs and bytes."""
