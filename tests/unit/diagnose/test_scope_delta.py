from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfgate.diagnose.scope_delta import regressed_scope
from tests.hand_profiles import MS, operator, profile

if TYPE_CHECKING:
    from perfgate.core.execution_profile import Profile


def drawn(**times: int) -> Profile:
    """Operators by path (`__` for the dot), in milliseconds."""
    rows = tuple(
        operator(number, time * MS, name=path.replace("__", "."), scope=path.replace("__", "."))
        for number, (path, time) in enumerate(times.items())
    )
    return profile(sum(times.values()) * MS, operators=rows)


def test_the_deepest_part_with_more_than_half_of_the_growth_is_named() -> None:
    before = drawn(net__down__conv=40, net__mid__conv1=20, net__mid__conv2=20, net__up__conv=20)
    after = drawn(net__down__conv=50, net__mid__conv1=60, net__mid__conv2=70, net__up__conv=20)
    found = regressed_scope(before, after)  # 90 of 100 ms in net.mid, 50 in its conv2
    assert found is not None
    assert (found.scope, found.before, found.after) == ("net.mid", 40 * MS, 130 * MS)
    assert (found.share_before, found.share_after) == pytest.approx((0.4, 0.65))


def test_an_operator_is_no_part_and_a_numbered_list_neither() -> None:
    before = drawn(net__blocks__0__conv=10, net__blocks__1__conv=10)
    after = drawn(net__blocks__0__conv=10, net__blocks__1__conv=90)
    found = regressed_scope(before, after)
    assert found is not None
    assert found.scope == "net.blocks.1"
    both = regressed_scope(before, drawn(net__blocks__0__conv=50, net__blocks__1__conv=50))
    assert both is not None
    assert both.scope == "net"  # not `net.blocks`, which is only the list


def test_half_is_not_enough_and_without_growth_there_is_no_part() -> None:
    before = drawn(a__x=10, b__x=10)
    assert regressed_scope(before, drawn(a__x=20, b__x=20)) is None
    assert regressed_scope(before, before) is None
    assert regressed_scope(before, drawn(a__x=5, b__x=10)) is None


def test_a_new_part_came_from_nothing() -> None:
    found = regressed_scope(drawn(a__x=10), drawn(a__x=10, b__x=30))
    assert found is not None
    assert (found.scope, found.before, found.share_before) == ("b", 0, 0.0)
