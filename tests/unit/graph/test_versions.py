from __future__ import annotations

from typing import TYPE_CHECKING

import onnx.defs
import pytest
from onnx import helper

from perfgate.graph import GraphError, ProblemCode, load

if TYPE_CHECKING:
    from tests.unit.graph.conftest import ModelBytes


def relu_model(model_bytes: ModelBytes, opset: int) -> bytes:
    return model_bytes(
        [helper.make_node("Relu", ["x"], ["y"])], inputs={"x": (2,)}, outputs=["y"], opsets={"": opset}
    )


@pytest.mark.parametrize("opset", range(7, 25))
def test_opsets_7_to_24_load_without_a_remark(model_bytes: ModelBytes, opset: int) -> None:
    graph = load(relu_model(model_bytes, opset))
    assert graph.opset == opset
    assert graph.remarks == ()


@pytest.mark.parametrize("opset", [1, 6, 99])
def test_other_opsets_are_refused_with_version_and_range(model_bytes: ModelBytes, opset: int) -> None:
    with pytest.raises(GraphError) as caught:
        load(relu_model(model_bytes, opset))
    (problem,) = caught.value.problems
    assert problem.code is ProblemCode.UNSUPPORTED_OPSET
    assert f"opset {opset} of ai.onnx is outside 7-24" in problem.what
    assert "version_converter" in problem.remedy


@pytest.mark.skipif(
    onnx.defs.onnx_opset_version() < 25, reason="the installed onnx knows nothing newer than the table"
)
def test_a_newer_opset_whose_operators_are_known_loads_with_a_remark(model_bytes: ModelBytes) -> None:
    (remark,) = load(relu_model(model_bytes, 25)).remarks
    assert remark.code == "newer-opset"


@pytest.mark.skipif(onnx.defs.onnx_opset_version() < 28, reason="SwiGLU is new in opset 28")
def test_a_newer_opset_with_a_new_operator_names_it(model_bytes: ModelBytes) -> None:
    node = helper.make_node("SwiGLU", ["x"], ["y"])
    with pytest.raises(GraphError, match="changes SwiGLU"):
        load(model_bytes([node], inputs={"x": (2,)}, outputs=["y"], opsets={"": 28}))


def test_a_model_of_foreign_operators_needs_no_default_opset(model_bytes: ModelBytes) -> None:
    node = helper.make_node("Magic", ["x"], ["y"], domain="own")
    content = model_bytes(
        [node], inputs={"x": (2,)}, outputs=["y"], output_shapes={"y": (2,)}, opsets={"own": 3}
    )
    graph = load(content)
    assert graph.nodes[0].is_estimated
    assert graph.nodes[0].opset == 3
