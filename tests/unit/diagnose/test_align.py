"""The alignment as a whole: the bounds of the design on tables with known answers, and what is left open."""

from __future__ import annotations

from functools import cache

import msgspec
import pytest

from perfgate.core.execution_profile import OperatorRow  # noqa: TC001 - the cached functions' annotations
from perfgate.diagnose.align import OpenScope, align_operators
from tests.operator_tables import (
    Edited,
    edited,
    network,
    operator,
    reverse,
    stated,
    without_scopes,
    without_sources,
)

COUNT = 10_000
PRECISION, RECALL, RECALL_BY_ORDER = (
    0.999,
    0.99,
    0.965,
)  # the design's; 3 % are fused, so order alone ends at 0.97


@cache
def table(made_up: float) -> Edited:
    return edited(network(COUNT), made_up=made_up)


def quality(
    before: list[OperatorRow], after: list[OperatorRow], truth: frozenset[tuple[int, int]]
) -> tuple[float, float]:
    """Share of what is stated that is true, and of what is true that is stated."""
    found = stated(align_operators(before, after))
    return len(found & truth) / len(found), len(found & truth) / len(truth)


@pytest.mark.parametrize("names", ["kept", "30 % made up", "all made up", "without scopes"])
def test_ten_thousand_operators_find_their_partners(names: str) -> None:
    case = table({"kept": 0.0, "30 % made up": 0.3}.get(names, 1.0))
    before, after = case.before, case.after
    if names == "without scopes":
        before, after = without_scopes(before), without_scopes(after)
    precision, recall = quality(before, without_sources(after), case.truth)
    assert precision >= PRECISION
    assert recall >= RECALL_BY_ORDER
    precision, recall = quality(before, after, case.truth)
    assert precision >= PRECISION
    assert recall >= RECALL


def test_an_unchanged_table_is_all_pairs() -> None:
    rows = table(0.0).after
    found = align_operators(rows, rows)
    assert found.pairs == tuple((at, at) for at in range(len(rows)))
    assert (found.groups, found.added, found.removed, found.scopes) == ((), (), (), ())
    assert found.coverage == 1


@pytest.mark.parametrize("made_up", [0.0, 0.3])
def test_in_reverse_order_only_true_pairs_are_stated(made_up: float) -> None:
    case = table(made_up)
    last = len(case.after) - 1
    truth = frozenset((i, last - j) for i, j in case.truth)
    precision, recall = quality(case.before, reverse(case.after), truth)
    assert precision >= PRECISION
    assert recall >= (1 - made_up) * 0.97  # what kept its name


def test_an_empty_side_adds_or_removes_all() -> None:
    rows = network(30)
    added = align_operators([], rows)
    assert added.added == tuple(range(30))
    assert added.scopes == (
        OpenScope(
            scope="", added=added.added, removed=(), before_ps=0, after_ps=sum(r.total_ps for r in rows)
        ),
    )
    assert align_operators(rows, []).removed == tuple(range(30))
    assert align_operators([], rows).coverage == 0
    assert align_operators([], []).coverage == 1


def test_five_thousand_equal_operators_of_one_scope_pair_in_order() -> None:
    rows = [operator("m.add", "Add") for _ in range(5_000)]
    assert align_operators(rows, rows).pairs == tuple((at, at) for at in range(5_000))
    fewer = align_operators(rows, rows[:-3])
    assert len(fewer.pairs) == 4_997
    assert len(fewer.removed) == 3


def test_a_scope_under_a_new_name_is_paired_whole_and_named() -> None:
    before = network(260)
    after = []
    for row in before:
        name = row.name.replace("model.", "net.core.", 1)
        after.append(msgspec.structs.replace(row, name=name, scope=name))
    found = align_operators(before, after)
    assert found.pairs == tuple((at, at) for at in range(260))
    assert ("model", "net.core") in found.renamed


def test_what_is_open_is_summed_in_the_smallest_shared_scope() -> None:
    """`mid.attention` is new in `mid`, which took 30 before and 30 + 40 + 5 after; `up` lost one of 7."""
    before = [
        operator("net.mid.conv", "Conv", total_ps=30),
        operator("net.up.conv", "Conv", total_ps=6),
        operator("net.up.resize", "Resize", total_ps=7),
    ]
    after = [
        operator("net.mid.conv", "Conv", total_ps=30),
        operator("net.mid.attention.query", "MatMul", total_ps=40),
        operator("net.mid.attention.softmax", "Softmax", total_ps=5),
        operator("net.up.conv", "Conv", total_ps=6),
    ]
    found = align_operators(before, after)
    assert found.scopes == (
        OpenScope(scope="net.mid", added=(1, 2), removed=(), before_ps=30, after_ps=75),
        OpenScope(scope="net.up", added=(), removed=(2,), before_ps=13, after_ps=6),
    )
    # 43 before and 81 after, of which 7 and 45 found no partner.
    assert found.coverage == pytest.approx(1 - 52 / 124)


def test_without_any_time_coverage_counts_operators() -> None:
    rows = [operator(f"m.{word}", word, total_ps=0) for word in ("Conv", "Relu", "Add")]
    assert align_operators(rows, rows[:2]).coverage == pytest.approx(4 / 5)


def test_operators_may_stand_in_any_order_on_a_side() -> None:
    """The sums per scope follow the operators, also where fused nodes put the nodes into another order."""
    case = edited(network(260), made_up=0.0)
    found = align_operators(case.before[::-1], case.after)
    assert stated(found) == {(len(case.before) - 1 - i, j) for i, j in case.truth}
