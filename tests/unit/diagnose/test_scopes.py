"""Scopes: new names of old scopes, and what two programs share."""

from __future__ import annotations

from perfgate.diagnose.nodes import NodeList, list_nodes
from perfgate.diagnose.scopes import rename, renamed_prefixes, scopes_with_parents, smallest_shared
from tests.operator_tables import operator


def nodes(*names: str) -> NodeList:
    return list_nodes([operator(name) for name in names])


def test_the_smallest_shared_scope_is_the_nearest_known_parent() -> None:
    known = scopes_with_parents(["unet.down.0", "unet.mid"])
    assert known == {"", "unet", "unet.down", "unet.down.0", "unet.mid"}
    assert smallest_shared("unet.down.0", known) == "unet.down.0"
    assert smallest_shared("unet.down.7.block", known) == "unet.down"
    assert smallest_shared("text.0", known) == ""


def test_a_prefix_that_went_away_is_a_new_name() -> None:
    left = nodes("model.unet.down.conv", "model.unet.up.conv", "model.unet.mid.conv")
    right = nodes("unet.down.conv", "unet.up.conv", "unet.mid.conv")
    assert renamed_prefixes(left, right) == (("model.unet", "unet"),)
    assert renamed_prefixes(right, left) == (("unet", "model.unet"),)


def test_a_word_in_the_middle_may_change() -> None:
    left = nodes("encoder.layers.0.a.conv", "encoder.layers.1.b.conv", "head.a.conv")
    right = nodes("encoder.blocks.0.a.conv", "encoder.blocks.1.b.conv", "head.a.conv")
    assert renamed_prefixes(left, right) == (("encoder.layers", "encoder.blocks"),)


def test_a_block_that_moved_to_another_scope_is_no_new_name() -> None:
    left = nodes("down.attention.query", "down.resnet.conv", "up.resnet.conv")
    right = nodes("down.resnet.conv", "up.resnet.conv", "up.attention.query")
    assert renamed_prefixes(left, right) == ()


def test_scopes_with_other_operators_are_no_new_name() -> None:
    left = list_nodes([operator("old.a.x", "Conv"), operator("old.a.y", "Relu"), operator("old.a.z", "Add")])
    right = list_nodes(
        [operator("new.a.x", "Gather"), operator("new.a.y", "Relu"), operator("new.a.z", "Exp")]
    )
    assert renamed_prefixes(left, right) == ()


def test_an_ambiguous_end_names_nothing() -> None:
    left = nodes("old.head.conv")
    right = nodes("new.head.conv", "other.head.conv")
    assert renamed_prefixes(left, right) == ()


def test_only_whole_words_of_known_scopes_are_renamed() -> None:
    prefixes = (("model.unet", "unet"),)
    assert rename("model.unet.down", prefixes, {"unet.down"}) == "unet.down"
    assert rename("model.unet", prefixes, {"unet"}) == "unet"
    assert rename("model.unet2.down", prefixes, {"unet2.down"}) == "model.unet2.down"
    assert rename("model.unet.gone", prefixes, {"unet.down"}) == "model.unet.gone"
