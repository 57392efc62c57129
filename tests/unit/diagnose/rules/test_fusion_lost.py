from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfgate.core.execution_profile import SourceNode
from perfgate.core.pass_entry import PassEntry
from perfgate.diagnose.rules.fusion_lost import RULE
from tests.diagnose_sides import compare, drawn_profile, found, side, signals_of
from tests.graphs import Drawing
from tests.hand_profiles import MS, operator, profile

if TYPE_CHECKING:
    from perfgate.graph.ir import Graph


@pytest.mark.parametrize("device", ["ascend-310p-like", "a100-like"])
def test_a_hand_written_activation_that_no_fusion_knows_is_named_with_the_refusal(device: str) -> None:
    before, after = (side("custom_activation", preset, device=device) for preset in ("relu", "where"))
    suspects = found(RULE, compare(before, after))
    assert len(suspects) == 1
    assert suspects[0].sentence.startswith("Conv+Relu split at Net.layers.0.conv and 7 more: Where ")
    assert "unknown-op: Where is not an activation this fusion knows" in suspects[0].sentence
    assert suspects[0].remedies[0].advice.startswith("replace Where by an operator that the fusion knows")
    signals = compare(before, after)
    assert suspects[0].cost >= 0.9 * signals.delta  # nothing else differs


def test_a_pass_that_is_off_is_named_and_can_be_switched_on() -> None:
    off = side("custom_activation", "relu", flags={"--disable_pass": "fusion"})
    suspect = found(RULE, compare(side("custom_activation", "relu"), off))[0]
    assert suspect.sentence.endswith("switched-off: pass fusion is disabled")
    assert {item.name for item in suspect.remedies[0].settings} == {"--fusion_switch_file", "--disable_pass"}


def test_the_wait_for_an_allocation_is_not_the_price_of_the_lost_fusion() -> None:
    relu, where = (side("custom_activation", preset) for preset in ("relu", "where"))
    starved = side("custom_activation", "where", runtime={"memory_pool": "4kB"})
    alone, both = (found(RULE, compare(relu, after))[0].cost for after in (where, starved))
    assert both == alone


def test_equal_sides_and_a_model_with_fewer_operators_are_silent() -> None:
    same = side("custom_activation", "relu")
    assert found(RULE, compare(same, same)) == []
    fewer = side("custom_activation", "relu", sizes={"depth": 7})
    assert found(RULE, compare(same, fewer)) == []


def test_a_kernel_that_moved_to_a_twin_is_not_lost_and_one_with_a_new_reader_is() -> None:
    plain, repeated, between = (
        drawn_profile(_layer(kind), side()) for kind in ("plain", "repeat", "between")
    )
    assert found(RULE, signals_of(plain, repeated)) == []
    suspect = found(RULE, signals_of(plain, between))[0]
    assert suspect.sentence == "Conv+Relu split at conv: Softmax soft reads the result now"


def _layer(kind: str) -> Graph:
    """A convolution and its Relu, with nothing, a second convolution or a Softmax between them."""
    draw = Drawing()
    state = draw.conv(draw.input("x", 1, 64, 64, 64), "conv", 64)
    if kind == "repeat":
        state = draw.conv(state, "again", 64)
    if kind == "between":
        state = draw.add("Softmax", [state], "soft", axis=1)
    return draw.graph(draw.add("Relu", [state], "relu"))


@pytest.mark.parametrize(("added", "count"), [(2 * MS, 1), (MS // 2, 0)])
def test_a_lost_fusion_counts_from_one_per_cent_of_the_latency(added: int, count: int) -> None:
    nodes = tuple(SourceNode(f"net.op{number}", op, "net", (1,)) for number, op in ((1, "Conv"), (2, "Relu")))
    refused = PassEntry(
        "fusion", "", ("Conv net.op1", "Relu net.op2"), (), "multi-consumer: it has 2 users", applied=False
    )
    before = profile(98 * MS, operators=(operator(1, 50 * MS, sources=nodes),))
    after = profile(
        100 * MS, operators=(operator(1, 50 * MS), operator(2, added, op="Relu")), pass_log=(refused,)
    )
    assert len(found(RULE, signals_of(before, after))) == count
