from __future__ import annotations

import pytest

from perfgate.core.units import percent, read_unit, readable


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (2.23, "s", "2.23 s"),
        (0.0341, "s", "34.1 ms"),
        (4.31e-3, "s", "4.31 ms"),
        (99.96e-3, "s", "100 ms"),
        (5e-13, "s", "0.50 ps"),
        (0.0, "s", "0 s"),
        (0.0, "B", "0 B"),
        (2_339_635_200, "B", "2.34 GB"),
        (408, "B", "408 B"),
        (217, "count", "217"),
        (1_500_000, "cycles", "1.50 M cycles"),
        (30.0, "1/s", "30.0 1/s"),
        (12.34, "J", "12.3 J"),
    ],
)
def test_values_show_three_significant_digits(value: float, unit: str, text: str) -> None:
    assert readable(value, unit) == text


@pytest.mark.parametrize(
    ("relative", "text"),
    [(3.09, "+309 %"), (-0.077, "-7.7 %"), (0.124, "+12.4 %"), (0.0, "+0.0 %"), (1.0, "+100 %")],
)
def test_changes_are_signed_percents(relative: float, text: str) -> None:
    assert percent(relative) == text


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("ns", ("s", 1e-9)),
        ("min", ("s", 60.0)),
        ("MiB", ("B", 1048576.0)),
        ("kB", ("B", 1000.0)),
        ("count", ("count", 1.0)),
        ("1/s", ("1/s", 1.0)),
        ("images/s", ("1/s", 1.0)),
        ("1/ms", ("1/s", 1000.0)),
        ("MB/s", ("B/s", 1e6)),
        ("mJ", ("J", 1e-3)),
    ],
)
def test_a_unit_of_a_suite_is_a_stored_unit_times_a_factor(text: str, stored: tuple[str, float]) -> None:
    found = read_unit(text)
    assert found is not None
    assert found[0] == stored[0]
    assert found[1] == pytest.approx(stored[1])


@pytest.mark.parametrize("text", ["", "parsec", "Ms", "1/parsec", "s/1", "mib", "ms ms"])
def test_an_unknown_unit_is_none(text: str) -> None:
    assert read_unit(text) is None


def test_a_rate_of_bytes_is_read_like_bytes() -> None:
    assert readable(2.5e9, "B/s") == "2.50 GB/s"
