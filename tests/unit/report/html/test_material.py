"""Operators of both sides as the page knows them."""

from __future__ import annotations

import msgspec

from perfgate.core.execution_profile import SourceNode
from perfgate.report.html.material import full_name, pair_operators
from tests.page_profiles import HOSTILE_HERE, in_a_row, material, operator


def test_operators_stand_in_the_order_of_the_model_now_and_the_vanished_after_them() -> None:
    before = in_a_row({"one": 1, "old.thing": 2, "two": 3})
    after = in_a_row({"one": 4, "two": 5})
    found = pair_operators(before.operators, after.operators)
    names = [(item.row.name, item.before_ps // 1_000_000, item.after_ps // 1_000_000) for item in found]
    assert names == [("one", 1, 4), ("two", 3, 5), ("old.thing", 2, 0)]


def test_without_a_before_every_operator_is_alone() -> None:
    (only,) = pair_operators(None, in_a_row({"one": 4}).operators)
    assert (only.before, only.before_ps, only.rows_before) == (None, 0, ())


def test_operators_that_were_fused_are_one_with_the_time_of_all() -> None:
    conv = operator(0, "net.conv", 10, op="Conv", scope="net.conv")
    add = operator(1, "net.add", 4, op="Add", scope="net.add")
    nodes = tuple(SourceNode(row.name, row.op, row.scope, row.shape, row.number) for row in (conv, add))
    fused = msgspec.structs.replace(conv, sources=nodes, total_ps=11)
    (found,) = pair_operators([conv, add], [fused])
    assert (found.before_ps, found.after_ps) == (14, 11)
    assert found.label == "#0 net.conv"
    assert found.more_before == (add,)
    (back,) = pair_operators([fused], [conv, add])
    assert back.label == "#0 net.conv and 1 more"


def test_numbers_of_either_side_lead_to_the_page_s_operator() -> None:
    given = material(in_a_row({"gone.x": 1, "b": 1}), in_a_row({"b": 1}))
    assert given.operator_indices(after=True) == {0: 0}
    assert given.operator_indices(after=False) == {1: 0, 0: 1}


def test_a_name_is_not_repeated_behind_its_own_scope() -> None:
    assert full_name(operator(0, "net.conv", 1, scope="net")) == "net.conv"
    assert full_name(operator(0, "conv", 1, scope="net")) == "net.conv"
    assert full_name(operator(0, "conv", 1)) == "conv"


def test_a_label_is_safe_to_show() -> None:
    (only,) = pair_operators(None, [operator(3, HOSTILE_HERE[3], 1)])
    assert len(only.label) <= 125
