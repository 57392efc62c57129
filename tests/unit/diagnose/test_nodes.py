"""Nodes behind operators: scopes and words of names, and where fused nodes stand."""

from __future__ import annotations

import msgspec

from perfgate.core.execution_profile import SourceNode
from perfgate.diagnose.nodes import NO_ROW, list_nodes
from tests.operator_tables import fused, operator


def test_the_scope_is_what_contains_the_operator_however_the_backend_writes_it() -> None:
    simulated = operator("unet.mid.conv2")  # scope: the whole path
    exported = msgspec.structs.replace(operator("/unet/mid/Conv_7"), scope="unet.mid.Conv_7")
    traced = msgspec.structs.replace(operator("/unet/mid/Conv_7"), scope="unet.mid")
    nodes = list_nodes([simulated, exported, traced])
    assert nodes.scopes == ["unet.mid"] * 3
    assert nodes.leaves == ["conv2", "Conv", "Conv"]
    assert nodes.is_chosen == [True, False, False]


def test_a_copy_is_another_kind_than_what_it_copies() -> None:
    nodes = list_nodes([operator("mid.turn", "Transpose"), operator("mid.turn_copy_12", "Transpose")])
    assert nodes.leaves == ["turn", "turn"]
    assert nodes.kinds[0] != nodes.kinds[1]


def test_fused_nodes_stand_where_the_model_has_them() -> None:
    conv, shortcut, add = (
        operator(f"block.{word}", number=at) for at, word in enumerate(("conv", "cut", "add"))
    )
    nodes = list_nodes([fused(conv, add), shortcut])
    assert nodes.leaves == ["conv", "cut", "add"]
    assert nodes.rows == [0, 1, NO_ROW]
    assert nodes.hosts == {2: [0]}


def test_without_numbers_fused_nodes_stand_behind_their_kernel() -> None:
    conv = operator("block.conv", number=0)
    add = SourceNode("block.add", "Add", "block.add", (1, 8))
    rows = [msgspec.structs.replace(conv, sources=(add,)), operator("block.cut", number=1)]
    assert list_nodes(rows).leaves == ["conv", "add", "cut"]


def test_a_fused_node_with_a_row_of_its_own_is_one_node() -> None:
    """A node that runs fused and makes a copy of its own has both."""
    conv, relu = operator("block.conv", number=0), operator("block.relu", "Relu", number=1)
    nodes = list_nodes([fused(conv, relu), relu])
    assert nodes.rows == [0, 1]
    assert nodes.hosts == {1: [0]}


def test_a_name_that_several_operators_have_is_not_taken_for_the_fused_node() -> None:
    rows = [operator("block.add", "Add"), operator("block.add", "Add")]
    add = SourceNode("block.add", "Add", "block.add", (1, 8))
    nodes = list_nodes([*rows, msgspec.structs.replace(operator("block.conv"), sources=(add,))])
    assert nodes.rows == [0, 1, 2, NO_ROW]
    assert nodes.hosts == {3: [2]}
