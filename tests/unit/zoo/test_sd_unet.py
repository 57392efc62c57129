"""The figures of SIMULATOR section 5 that follow from the model alone."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from perfgate import zoo
from perfgate.graph import load, ops

if TYPE_CHECKING:
    from perfgate.graph.ir import Graph, Node

CONV2 = "UNet.mid_block.resnet.1.conv2"


@pytest.fixture(scope="module")
def poster() -> Graph:
    return load(zoo.build("sd_unet", "poster").SerializeToString())


def named(graph: Graph, name: str) -> Node:
    return next(node for node in graph.nodes if node.name == name)


def test_a_step_counts_1397_gmac(poster: Graph) -> None:
    total = sum(ops.facts(node, poster.tensors).macs for node in poster.nodes)
    assert round(total / 1e9) == 1397
    assert round(total / 8e9) == 175  # a sample


def test_the_levels_have_the_maps_of_the_table(poster: Graph) -> None:
    shapes = [poster.tensors[f"UNet.down_blocks.{level}.resnet.0.conv2"].shape for level in range(3)] + [
        poster.tensors[CONV2].shape
    ]
    assert shapes == [(8, 160, 136, 96), (8, 320, 68, 48), (8, 640, 34, 24), (8, 1280, 17, 12)]
    # channel stride in bytes over 32: whole numbers but in the middle
    assert [height * width * 2 / 32 for *_, height, width in shapes] == [816, 204, 51, 12.75]


def test_only_the_middle_lies_at_the_lowest_resolution(poster: Graph) -> None:
    low = [node for node in poster.nodes if poster.tensors[node.outputs[0]].shape[-2:] == (17, 12)]
    outside = {node.name for node in low if not node.name.startswith("UNet.mid_block")}
    assert outside == {"UNet.down_blocks.2.downsampler.conv"}


def test_attention_is_entered_and_left_by_transpose_at_all_levels_but_the_first(poster: Graph) -> None:
    places = [node.scope for node in poster.nodes if node.name.endswith((".enter", ".leave"))]
    assert len(places) == 2 * 7  # one on the way down and two on the way up at two levels, and the middle
    assert not any(scope.startswith(("UNet.down_blocks.0", "UNet.up_blocks.2")) for scope in places)


def test_the_residual_of_the_second_block_comes_from_attention(poster: Graph) -> None:
    add = named(poster, "UNet.mid_block.resnet.1.add")
    assert add.inputs == (CONV2, "UNet.mid_block.attention.0.leave")
    assert named(poster, "UNet.mid_block.resnet.0.add").inputs[1] == "UNet.down_blocks.2.downsampler.conv"


def test_a_crossing_moves_the_bytes_of_the_table(poster: Graph) -> None:
    assert poster.tensors[CONV2].elements * 2 == 4_177_920
    assert 4_177_920 * 10 * 28 * 2 == 2_339_635_200


def test_the_operator_number_is_stable(poster: Graph) -> None:
    node = named(poster, CONV2)
    assert poster.nodes[node.index] is node
    assert named(load(zoo.build("sd_unet", "poster_1024").SerializeToString()), CONV2).index == node.index


def test_the_cached_region_is_all_but_the_outer_level(poster: Graph) -> None:
    assert poster.metadata["iterations"] == "28"
    cache = json.loads(poster.metadata["step_cache"])
    inside = [node for node in poster.nodes if any(node.scope.startswith(f"{s}.") for s in cache["scopes"])]
    outside = [node for node in poster.nodes if node not in inside]
    made = {name for node in inside for name in node.outputs}
    # what leaves the region is the one tensor that is kept
    assert {name for node in outside for name in node.inputs if name in made} == {cache["tensor"]}
    assert not any("down_blocks.0.resnet" in node.scope or "up_blocks.2" in node.scope for node in inside)


def test_the_wide_variant_has_the_same_middle_map() -> None:
    graph = load(zoo.build("sd_unet", "full_width").SerializeToString())
    assert graph.tensors[CONV2].shape == (8, 1280, 17, 12)
    assert "UNet.down_blocks.0.resnet.1.conv1" in graph.tensors


def test_the_harmless_size_has_an_aligned_middle() -> None:
    graph = load(zoo.build("sd_unet", "poster_1024").SerializeToString())
    *_, height, width = graph.tensors[CONV2].shape
    assert (height, width) == (16, 16)
    assert height * width * 2 % 32 == 0
