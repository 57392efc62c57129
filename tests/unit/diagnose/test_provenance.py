"""Fused kernels: compared with all of their sources, never with one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.diagnose.align import Alignment, align_operators
from perfgate.diagnose.provenance import MOST_HOSTS, Group
from tests.operator_tables import fused, operator

if TYPE_CHECKING:
    from perfgate.core.execution_profile import OperatorRow

CONV = operator("block.conv", "Conv", number=0)
NORM = operator("block.norm", "BatchNormalization", number=1)
RELU = operator("block.relu", "Relu", number=2)
POOL = operator("block.pool", "MaxPool", number=3)


def open_positions(alignment: Alignment) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return alignment.removed, alignment.added


def test_a_fused_kernel_meets_the_group_of_its_sources() -> None:
    found = align_operators([CONV, NORM, RELU, POOL], [fused(CONV, NORM, RELU), POOL])
    assert found.pairs == ((3, 1),)
    assert found.groups == (Group((0, 1, 2), (0,)),)
    assert open_positions(found) == ((), ())


def test_a_split_kernel_likewise() -> None:
    found = align_operators([fused(CONV, NORM, RELU), POOL], [CONV, NORM, RELU, POOL])
    assert found.groups == (Group((0,), (0, 1, 2)),)
    assert open_positions(found) == ((), ())


def test_names_made_up_anew_do_not_hide_what_is_fused() -> None:
    other = [
        operator("block.k1", "Conv", number=0),
        operator("block.k2", "BatchNormalization", number=1),
        operator("block.k3", "Relu", number=2),
    ]
    assert align_operators([CONV, NORM, RELU], [fused(*other)]).groups == (Group((0, 1, 2), (0,)),)


def test_the_same_fusion_on_both_sides_is_a_pair() -> None:
    rows = [fused(CONV, NORM, RELU), POOL]
    found = align_operators(rows, rows)
    assert found.pairs == ((0, 0), (1, 1))
    assert found.groups == ()


def test_a_node_that_changes_its_kernel_connects_both_kernels() -> None:
    """Norm ran with conv and now runs with relu and pool: neither kernel has a partner of its own."""
    found = align_operators([fused(CONV, NORM), fused(RELU, POOL)], [CONV, fused(NORM, RELU, POOL)])
    assert found.groups == (Group((0, 1), (0, 1)),)


def test_a_source_that_left_no_kernel_on_the_other_side_leaves_a_pair() -> None:
    """The norm was folded into the weights before: nothing is left of it to compare."""
    found = align_operators([CONV, RELU], [fused(CONV, NORM), RELU])
    assert found.pairs == ((0, 0), (1, 1))


def test_copies_of_a_fused_node_are_new_and_leave_the_kernel_its_partner() -> None:
    """Relu runs fused on both sides; afterwards it also needs copies, which have a row named after it."""
    found = align_operators([fused(CONV, RELU)], [fused(CONV, RELU), RELU])
    assert found.pairs == ((0, 0),)
    assert found.added == (1,)
    both = [fused(CONV, RELU), RELU]
    assert align_operators(both, both).pairs == ((0, 0), (1, 1))


def test_copies_of_a_fused_node_belong_to_the_group_when_it_runs_alone_elsewhere() -> None:
    found = align_operators([CONV, RELU], [fused(CONV, RELU), RELU])
    assert found.groups == (Group((0, 1), (0, 1)),)


def shared_cast(users: int) -> tuple[list[OperatorRow], list[OperatorRow]]:
    """A cast and its users, and the users that each compute it for themselves."""
    cast = operator("block.cast", "Cast", number=0)
    rows = [operator(f"block.user{number}", "MatMul", number=number) for number in range(1, users + 1)]
    return [cast, *rows], [fused(row, cast) for row in rows]


def test_a_node_that_went_into_several_kernels_connects_them_all() -> None:
    apart, inside = shared_cast(2)
    assert align_operators(apart, inside).groups == (Group((0, 1, 2), (0, 1)),)
    assert align_operators(inside, apart).groups == (Group((0, 1), (0, 1, 2)),)


def test_a_node_in_very_many_kernels_does_not_hide_them_in_one_group() -> None:
    apart, inside = shared_cast(MOST_HOSTS + 1)
    found = align_operators(apart, inside)
    assert found.pairs == tuple((at + 1, at) for at in range(MOST_HOSTS + 1))
    assert found.removed == (0,)


def test_one_kernel_more_that_computes_a_shared_node_keeps_the_others_apart() -> None:
    _, inside = shared_cast(3)
    found = align_operators(inside[:2], inside)
    assert found.pairs == ((0, 0), (1, 1))
    assert found.added == (2,)
