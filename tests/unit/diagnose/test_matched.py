from __future__ import annotations

import pytest

from perfgate.diagnose.matched import match_operators
from tests.hand_profiles import MS, operator, profile


def test_every_operator_is_in_exactly_one_match_and_coverage_is_the_share_of_time_with_a_partner() -> None:
    before = profile(
        20 * MS, operators=(operator(0, 10 * MS), operator(1, 10 * MS, name="a.x", op="Erf", scope="a.x"))
    )
    after = profile(
        40 * MS, operators=(operator(0, 30 * MS), operator(1, 10 * MS, name="b.y", op="Exp", scope="b.y"))
    )
    matched, coverage = match_operators(before, after)
    pairs = [([row.name for row in item.before], [row.name for row in item.after]) for item in matched]
    assert pairs == [(["net.op0"], ["net.op0"]), (["a.x"], []), ([], ["b.y"])]
    assert coverage == pytest.approx(40 / 60)
    assert [item.delta_ps // MS for item in matched] == [20, -10, 10]


def test_profiles_without_operators_match_nothing_and_miss_nothing() -> None:
    assert match_operators(profile(1), profile(1)) == ((), 1.0)
