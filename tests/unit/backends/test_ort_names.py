from __future__ import annotations

import onnx
import pytest
from onnx import TensorProto, helper

from perfgate.backends.ort_names import ModelNodes, plain_name


@pytest.fixture(scope="module")
def nodes() -> ModelNodes:
    """conv1 -> bn -> relu -> conv2 -> add(conv2, relu) -> norm."""
    made = [
        helper.make_node("Conv", ["x", "w"], ["c1"], name="conv1"),
        helper.make_node("BatchNormalization", ["c1", "s", "b", "m", "v"], ["n1"], name="bn"),
        helper.make_node("Relu", ["n1"], ["r1"], name="relu"),
        helper.make_node("Conv", ["r1", "w2"], ["c2"], name="conv2"),
        helper.make_node("Add", ["c2", "r1"], ["a"], name="add"),
        helper.make_node("Mul", ["a", "g"], ["y"], name="enc/norm"),
    ]
    value = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1])
    return ModelNodes(onnx.helper.make_model(helper.make_graph(made, "g", [value], [value])))


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("conv1_kernel_time", "conv1"),
        ("conv1_token_12", "conv1"),
        ("fused conv1", "conv1"),
        ("fused fused conv1_token_3_kernel_time", "conv1"),
        ("r2_nchwc_kernel_time", "r2"),
        ("norm/LayerNormFusion/", "norm"),
        ("mm/MatMulAddFusion", "mm"),
        ("Conv_7", "Conv_7"),
    ],
)
def test_what_onnx_runtime_adds_to_a_name_is_taken_off(name: str, plain: str) -> None:
    assert plain_name(name) == plain


@pytest.mark.parametrize(
    ("name", "op", "owner"),
    [
        ("conv2", "Conv", "conv2"),
        ("fused conv1_token_4", "FusedConv", "conv1"),
        # A blocked convolution has the name of the last tensor of its chain: back to the convolution itself.
        ("r1_nchwc_kernel_time", "Conv", "conv1"),
        ("c2_nchwc", "Conv", "conv2"),
        ("a_nchwc", "Conv", "conv2"),
        ("enc/norm/LayerNormFusion/", "LayerNormalization", "enc/norm"),
    ],
)
def test_an_executed_node_is_found_in_the_model(nodes: ModelNodes, name: str, op: str, owner: str) -> None:
    found = nodes.find(name, op)
    assert found is not None
    assert found.name == owner


def test_what_onnx_runtime_puts_in_is_not_in_the_model(nodes: ModelNodes) -> None:
    assert nodes.find("ReorderOutput_token_3_kernel_time", "ReorderOutput") is None
    assert len(nodes) == 6


def test_a_chain_without_the_operator_keeps_its_last_node(nodes: ModelNodes) -> None:
    found = nodes.find("r1_nchwc", "MaxPool")
    assert found is not None
    assert found.name == "relu"
