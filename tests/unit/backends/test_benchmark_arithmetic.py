"""The lines of `record --explain` beyond the times."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from perfgate.backends.benchmark_arithmetic import unused_lines


def test_each_unused_part_is_a_line_of_the_explanation() -> None:
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        [helper.make_node("Relu", ["x"], ["y"]), helper.make_node("Abs", ["left"], ["z"], name="dead")],
        "made",
        [value("x", TensorProto.FLOAT, [4])],
        [value("y", TensorProto.FLOAT, [4])],
        [numpy_helper.from_array(np.ones((8, 4), np.float32), "left")],
    )
    imports = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=imports).SerializeToString()
    assert [(line.quantity, line.arithmetic, line.result) for line in unused_lines(model)] == [
        ("unused initialiser", "left", "128 B"),
        ("unused node", "Abs dead", "reaches no output"),
        ("unused operator set", "com.microsoft", "no node is from it"),
    ]
