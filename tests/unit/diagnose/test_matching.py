"""Nodes of two programs: what anchors, order within scopes, and what order does not say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.diagnose.matching import match_nodes
from perfgate.diagnose.nodes import list_nodes
from tests.operator_tables import operator

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.core.execution_profile import OperatorRow


def row(text: str) -> OperatorRow:
    """`scope.word:Type` or `scope.word:Type:width`."""
    name, op, *width = text.split(":")
    return operator(name, op, shape=(1, int(width[0]) if width else 8))


def matched(before: str, after: str) -> dict[str, str]:
    """Names after by names before."""
    left, right = ([row(text) for text in side.split()] for side in (before, after))
    return {left[i].name: right[j].name for i, j in match_nodes(list_nodes(left), list_nodes(right))}


def names(texts: Sequence[str]) -> dict[str, str]:
    return {text: text for text in texts}


def test_names_that_differ_in_a_chosen_number_are_kept_apart() -> None:
    found = matched("m.conv1:Conv m.conv2:Conv m.conv3:Conv", "m.conv1:Conv m.conv3:Conv m.conv4:Conv")
    assert found == names(["m.conv1", "m.conv3"])


def test_generated_numbers_do_not_count_even_if_they_exist_on_both_sides() -> None:
    """The exporter counts on: what was 2 is 3, and 2 is another operator of the same kind."""
    found = matched("m.Conv_1:Conv m.Conv_2:Conv m.Relu_3:Relu", "m.Conv_2:Conv m.Conv_3:Conv m.Relu_4:Relu")
    assert found == {"m.Conv_1": "m.Conv_2", "m.Conv_2": "m.Conv_3", "m.Relu_3": "m.Relu_4"}


def test_a_copy_does_not_take_the_place_of_its_original() -> None:
    found = matched("m.turn:Transpose m.conv:Conv", "m.turn_copy_7:Transpose m.turn:Transpose m.conv:Conv")
    assert found == names(["m.turn", "m.conv"])


def test_order_pairs_made_up_names_inside_a_scope() -> None:
    found = matched("m.a:Conv m.b:Relu m.c:Conv m.d:Relu", "m.w:Conv m.x:Conv m.y:Cast m.z:Relu")
    assert found == {"m.a": "m.w", "m.c": "m.x", "m.d": "m.z"}


def test_no_pair_crosses_from_one_shared_scope_to_another() -> None:
    assert matched("m.a.x:Conv m.b.y:Relu", "m.a.u:Relu m.b.v:Conv") == {}


def test_a_moved_block_pairs_inside_and_breaks_nothing_outside() -> None:
    block = "m.b.p:Conv m.b.q:Relu m.b.r:Conv"
    moved = "m.b.u:Conv m.b.v:Relu m.b.w:Conv"
    rest = "m.a.x:Conv m.a.y:Add m.c.z:Conv"
    found = matched(f"{block} {rest}", f"{rest} {moved}")
    inside = {"m.b.p": "m.b.u", "m.b.q": "m.b.v", "m.b.r": "m.b.w"}
    assert found == {**inside, **names(["m.a.x", "m.a.y", "m.c.z"])}


def test_two_operators_that_change_places_keep_their_names() -> None:
    found = matched("m.query:MatMul m.key:MatMul m.out:Add", "m.key:MatMul m.query:MatMul m.out:Add")
    assert found == names(["m.query", "m.key", "m.out"])


def test_where_most_have_moved_order_pairs_nothing() -> None:
    """In reverse order a is d's kind and stands where d stood: without a name nobody knows which it is."""
    found = matched(
        "m.a:Conv m.b:Relu m.c:Add m.d:Conv m.e:Exp", "m.e:Exp m.w:Conv m.c:Add m.b:Relu m.z:Conv"
    )
    assert found == names(["m.b", "m.c", "m.e"])


def test_another_size_of_the_whole_model_changes_no_pair() -> None:
    before = "m.conv:Conv:8 m.a:Add:8 m.b:Add:8"
    after = "m.conv:Conv:16 m.x:Add:16 m.y:Add:16"
    assert matched(before, after) == {"m.conv": "m.conv", "m.a": "m.x", "m.b": "m.y"}


def test_operators_of_other_types_and_sizes_stay_open() -> None:
    assert matched("m.a:Conv:8 m.b:Relu:8", "m.x:Conv:16 m.y:Exp:8 m.z:Add:8") == {}


def test_what_lies_in_scopes_of_one_side_pairs_in_common_order() -> None:
    found = matched("in:Cast old.a:Conv old.b:Add out:Exp", "in:Cast x.p:Conv y.q:Add out:Exp")
    assert found == {"in": "in", "old.a": "x.p", "old.b": "y.q", "out": "out"}


def test_without_scopes_the_only_one_of_its_kind_is_an_anchor_in_order_alone() -> None:
    """`Exp` crosses what is certain by name, so its kind does not make it the same operator."""
    found = matched("a:Conv b:Conv c:Conv old:Exp", "new:Exp a:Conv b:Conv c:Conv")
    assert found == names(["a", "b", "c"])
