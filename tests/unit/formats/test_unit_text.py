"""Units of other tools: factor, direction, and no guess."""

from __future__ import annotations

import pytest

from perfgate.formats.unit_text import metric_name, scale_of, seconds


@pytest.mark.parametrize(
    ("text", "unit", "factor", "direction"),
    [
        ("s", "s", 1.0, "lower"),
        ("seconds", "s", 1.0, "lower"),
        ("ms", "s", 1e-3, "lower"),
        ("µs", "s", 1e-6, "lower"),
        ("μs", "s", 1e-6, "lower"),
        ("ns/op", "s", 1e-9, "lower"),
        ("ns/iter", "s", 1e-9, "lower"),
        ("ops/s", "1/s", 1.0, "higher"),
        ("ops/ms", "1/s", 1e3, "higher"),
        ("iter/sec", "1/s", 1.0, "higher"),
        ("requests per second", "1/s", 1.0, "higher"),
        ("MB/s", "B/s", 1e6, "higher"),
        ("MiB", "B", 2.0**20, "lower"),
        ("B/op", "B", 1.0, "lower"),
        ("allocs/op", "count", 1.0, "lower"),
    ],
)
def test_a_known_unit_has_one_meaning(text: str, unit: str, factor: float, direction: str) -> None:
    scale = scale_of(text)
    assert scale is not None
    assert (scale.unit, scale.direction) == (unit, direction)
    assert scale.factor == pytest.approx(factor)


@pytest.mark.parametrize("text", ["", "points", "%", "Mb", "Mb/s", "s/s", "furlongs"])
def test_another_unit_is_not_guessed(text: str) -> None:
    assert scale_of(text) is None


def test_only_units_of_time_have_seconds() -> None:
    assert seconds("ms") == pytest.approx(1e-3)
    assert seconds("cycles") is None
    assert seconds("MB") is None


def test_names_of_metrics_hold_no_signs() -> None:
    assert metric_name("req/s") == "req_per_s"
    assert metric_name("%") == "value"
