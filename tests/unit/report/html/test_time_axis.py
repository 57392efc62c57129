"""The unit of an axis."""

from __future__ import annotations

import pytest

from perfgate.report.html.time_axis import readable_ps, time_unit


@pytest.mark.parametrize(
    ("longest", "name"),
    [
        (2 * 10**12, "s"),
        (10**12, "s"),
        (10**12 - 1, "ms"),
        (5 * 10**6, "us"),
        (1500, "ns"),
        (3, "ps"),
        (0, "ps"),
    ],
)
def test_the_longest_time_fills_its_unit_at_least_once(longest: int, name: str) -> None:
    assert time_unit(longest).name == name


def test_a_time_is_shown_as_everywhere_else() -> None:
    assert readable_ps(1_840_000_000_000) == "1.84 s"
