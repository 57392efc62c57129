from __future__ import annotations

import datetime as dt

import pytest

from perfgate.report.age import age

NOW = dt.datetime(2026, 11, 29, 12, 0, 0, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("date", "text"),
    [
        ("2026-11-29T11:59:30+00:00", "just now"),
        ("2026-11-29T11:58:00+00:00", "2 minutes ago"),
        ("2026-11-29T12:30:00+02:00", "1 hour ago"),
        ("2026-11-26T09:00:00+00:00", "3 days ago"),
        ("2026-09-29T09:00:00+00:00", "2 months ago"),
        ("2024-11-28T09:00:00+00:00", "2 years ago"),
        ("2027-01-01T00:00:00+00:00", "in the future"),
        ("no date", ""),
        ("2026-11-26T09:00:00", ""),
    ],
)
def test_an_age_is_told_in_its_largest_unit(date: str, text: str) -> None:
    assert age(date, NOW) == text
