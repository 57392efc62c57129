"""Generated parts of names: counters go, words that somebody chose stay."""

from __future__ import annotations

import pytest

from perfgate.diagnose.names import plain_leaf, plain_scope


@pytest.mark.parametrize(
    ("leaf", "op", "plain"),
    [
        ("conv1_token_94", "Conv", "conv1"),  # ONNX Runtime
        ("conv1_copy_12", "Conv", "conv1"),
        ("conv1_copy_12_token_94", "Conv", "conv1"),
        ("Conv_17", "Conv", "Conv"),  # PyTorch's exporter to ONNX
        ("trans_Cast_5", "Cast", "trans_Cast"),  # inserted by Ascend's graph engine
        ("conv2d::123", "Conv", "conv2d"),  # PyTorch's scripts
        ("Conv2D-op45", "Conv2D", "Conv2D"),  # MindSpore
        ("Reorder #3", "Reorder", "Reorder"),
        ("Conv_17_token_4", "Conv", "Conv"),
    ],
)
def test_counters_are_stripped(leaf: str, op: str, plain: str) -> None:
    assert plain_leaf(leaf, op) == plain


@pytest.mark.parametrize(
    ("leaf", "op"),
    [
        ("conv2", "Conv"),
        ("conv3", "Conv"),
        ("conv_2", "Conv"),  # a module's own name; the exporter writes the type as it is
        ("linear_1", "MatMul"),
        ("0", "Concat"),
        ("Conv_17", "Relu"),  # the counter of another type
        ("Deconv_17", "conv"),
        ("token", "Gather"),
        ("conv_2", ""),
        ("Conv2", "Conv2"),
        ("", "Conv"),
    ],
)
def test_chosen_words_stay(leaf: str, op: str) -> None:
    assert plain_leaf(leaf, op) == leaf


def test_every_word_of_a_scope_loses_its_counter() -> None:
    assert plain_scope("unet_copy_3.block::7.conv2") == "unet.block.conv2"
    assert plain_scope("unet.block.2") == "unet.block.2"
