from __future__ import annotations

import pytest

from perfgate import zoo
from perfgate.core.errors import UsageError
from perfgate.graph import load, ops

SIZE_LIMIT = 200_000  # bytes, SIMULATOR section 11
EVERY_PRESET = [(name, preset) for name in zoo.names() for preset in zoo.presets(name)]


def macs(content: bytes) -> int:
    graph = load(content)
    return sum(ops.facts(node, graph.tensors).macs * node.repeat for node in graph.nodes)


def test_the_models_of_the_design_are_there_each_with_a_tiny_preset() -> None:
    assert set(zoo.names()) == {
        "resnet50", "mobilenetv2", "sd_unet", "bert_base", "llm_decoder", "detector", "custom_activation",
        "odd_stride", "redundant",
    }  # fmt: skip
    assert all("tiny" in zoo.presets(name) for name in zoo.names())


@pytest.mark.parametrize(("name", "preset"), EVERY_PRESET)
def test_every_preset_is_small_and_loads(name: str, preset: str) -> None:
    content = zoo.build(name, preset).SerializeToString()
    assert len(content) < SIZE_LIMIT
    graph = load(content)
    assert not any(node.is_estimated for node in graph.nodes)
    assert all(tensor.value is None or tensor.elements < 100 for tensor in graph.tensors.values())


@pytest.mark.parametrize(("name", "preset"), EVERY_PRESET)
def test_every_node_has_a_source_place_in_the_builder_and_a_unique_name(name: str, preset: str) -> None:
    graph = load(zoo.build(name, preset).SerializeToString())
    written = [node for node in graph.nodes if node.domain != "perfgate"]
    assert {node.place.file for node in written} == {f"perfgate/zoo/{name}.py"}
    assert all(node.place.line > 0 and node.place.column > 0 for node in written)
    assert len({node.name for node in written}) == len(written)


def test_building_twice_gives_the_same_bytes() -> None:
    assert (
        zoo.build("sd_unet", "tiny").SerializeToString() == zoo.build("sd_unet", "tiny").SerializeToString()
    )


def test_parameters_change_the_preset() -> None:
    small = macs(zoo.build("resnet50", "tiny").SerializeToString())
    assert macs(zoo.build("resnet50", "tiny", batch=4).SerializeToString()) == 4 * small


def test_lists_stand_for_tuples() -> None:
    deeper = zoo.build("resnet50", "tiny", blocks=[2, 2])
    assert len(deeper.graph.node) > len(zoo.build("resnet50", "tiny").graph.node)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("resnet5",), "unknown model 'resnet5': zoo:resnet5: did you mean 'resnet50'"),
        (("sd_unet", "postr"), "unknown preset 'postr': zoo:sd_unet: did you mean 'poster'"),
        (("quark",), "choose from resnet50"),
    ],
)
def test_unknown_names_are_answered_with_the_nearest(arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        zoo.build(*arguments)
    assert message in str(caught.value)


def test_unknown_parameters_and_wrong_values_are_usage_errors() -> None:
    with pytest.raises(UsageError, match="did you mean 'batch'"):
        zoo.build("resnet50", bach=2)
    with pytest.raises(UsageError, match="parameter does not fit"):
        zoo.build("resnet50", batch="two")
    with pytest.raises(UsageError, match="unknown model"):
        zoo.presets("resnet")


@pytest.mark.parametrize(
    ("name", "preset", "expected"),
    [
        (
            "resnet50",
            "imagenet",
            4_089_184_256,
        ),  # 4.09 GMAC, the published count of the form with strides in 3x3
        ("mobilenetv2", "imagenet", 300_774_272),  # 300 million, as the paper has it
        # 12 layers of 12 h^2 products a token and 2 l h a token for scores, plus the pooler: h = 768, l = 128
        ("bert_base", "ops", 12 * (128 * 12 * 768**2 + 2 * 128**2 * 768) + 768**2),
        ("bert_base", "base", 12 * (128 * 12 * 768**2 + 2 * 128**2 * 768) + 768**2),
        # 16 layers: q and o 2 h^2, k and v 2 h (h / 4), three h x 5632; scores over 2048 places; 32,000 words
        (
            "llm_decoder",
            "decode",
            16 * (2 * 2048**2 + 2 * 2048 * 512 + 3 * 2048 * 5632 + 2 * 2048 * 2048) + 2048 * 32000,
        ),
        ("custom_activation", "where", 8 * 56 * 56 * 64 * 64 * 9),
        ("odd_stride", "odd", 4 * 25 * 41 * 64 * 64 * 9),
    ],
)
def test_products_equal_the_published_or_hand_counted_number(name: str, preset: str, expected: int) -> None:
    assert macs(zoo.build(name, preset).SerializeToString()) == expected


def test_a_hand_written_activation_computes_what_the_operator_does() -> None:
    assert macs(zoo.build("custom_activation", "where").SerializeToString()) == macs(
        zoo.build("custom_activation", "relu").SerializeToString()
    )


def test_the_odd_map_has_a_stride_of_1025() -> None:
    graph = load(zoo.build("odd_stride").SerializeToString())
    *_, height, width = graph.tensors[graph.inputs[0]].shape
    assert height * width == 1025


def test_waste_is_planted_and_can_be_left_out() -> None:
    wasteful = load(zoo.build("redundant", "wasteful").SerializeToString())
    clean = load(zoo.build("redundant", "clean").SerializeToString())
    # four layers with a second gate and two dead nodes each, and one invariant product in the loop
    assert len(wasteful.nodes) - len(clean.nodes) == 4 * 3 + 1
    assert {node.repeat for node in wasteful.nodes} == {1, 10}


def test_a_decoder_writes_its_caches_in_place() -> None:
    graph = load(zoo.build("llm_decoder", "decode").SerializeToString())
    scatter = next(node for node in graph.nodes if node.op == "TensorScatter")
    assert graph.tensors[scatter.inputs[0]].shape == graph.tensors[scatter.outputs[0]].shape
    # one token: 8 heads of 64 numbers of 2 bytes
    assert ops.facts(scatter, graph.tensors).write_bytes == 8 * 64 * 2


def test_sizes_that_cannot_be_built_are_usage_errors() -> None:
    with pytest.raises(UsageError, match="multiples of 64 pixels"):
        zoo.build("sd_unet", height=1000)
    with pytest.raises(UsageError, match="multiples of 32"):
        zoo.build("detector", size=100)
    with pytest.raises(UsageError, match="let heads divide hidden"):
        zoo.build("llm_decoder", heads=7)
