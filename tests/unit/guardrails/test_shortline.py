"""The grammar of short lines."""

from __future__ import annotations

from fractions import Fraction

import pytest

from perfgate.guardrails.shortline import LineError, parse_budget, parse_line
from perfgate.guardrails.value_test import Bound, NoneOf, OneOf, Sign


@pytest.mark.parametrize(
    ("text", "flag", "test"),
    [
        ("require --a", "--a", ()),
        ("require -o", "-o", ()),
        ("require mode", "mode", ()),
        ("require --a=NHWC", "--a", (OneOf(values=("NHWC",)),)),
        ("require --a={A, B}", "--a", (OneOf(values=("A", "B")),)),
        ('require --a="x y"', "--a", (OneOf(values=("x y",)),)),
        ("require --a='x:1;y'", "--a", (OneOf(values=("x:1;y",)),)),
        ("require --a=", "--a", (OneOf(values=("",)),)),
        ("require --a!=B", "--a", (NoneOf(values=("B",)),)),
        ("require --a=x:1,y:2", "--a", (OneOf(values=("x:1,y:2",)),)),
        ('require stages[0]."odd name"=1', 'stages[0]."odd name"', (OneOf(values=("1",)),)),
    ],
)
def test_spec(text: str, flag: str, test: tuple[object, ...]) -> None:
    (spec,) = parse_line(text).specs
    assert (spec.flag, spec.tests) == (flag, test)


@pytest.mark.parametrize("sign", list(Sign))
def test_comparison(sign: Sign) -> None:
    (spec,) = parse_line(f"forbid --pool{sign}2GB").specs
    (test,) = spec.tests
    assert isinstance(test, Bound)
    assert (test.sign, test.limit.value) == (sign, Fraction(2 * 1024**3))


def test_several_specs_know_their_offsets() -> None:
    line = parse_line("warn  require  --a=1   --b")
    assert (line.kind, line.severity) == ("require", "warn")
    assert [(spec.written, spec.offset) for spec in line.specs] == [("--a=1", 15), ("--b", 23)]


@pytest.mark.parametrize(
    ("text", "offset"),
    [
        ("", 0),
        ("warn", 4),
        ("demand --a", 0),
        ("require", 7),
        ("require =5", 8),
        ("require --a={A,}", 8),
        ("require --a={A", 8),
        ("forbid --a>x", 7),
        ('require --a="x', 8),
        ("require --a --b=1}", 12),
    ],
)
def test_mistake_names_its_offset(text: str, offset: int) -> None:
    with pytest.raises(LineError) as caught:
        parse_line(text)
    assert caught.value.offset == offset


@pytest.mark.parametrize(
    ("text", "sign", "limit", "band"),
    [
        ("<=33ms", "<=", "33ms", Fraction(0)),
        ("< 4 GB", "<", "4 GB", Fraction(0)),
        (">=30fps warn 8%", ">=", "30fps", Fraction(8, 100)),
        ("max 75W", "<=", "75W", Fraction(0)),
        ("min 30 warn 6.67%", ">=", "30", Fraction(667, 10_000)),
    ],
)
def test_budget(text: str, sign: str, limit: str, band: Fraction) -> None:
    line = parse_budget(text)
    assert (line.sign, line.limit, line.warn_band) == (sign, limit, band)


@pytest.mark.parametrize(
    "text", ["", "33ms", "<=", "maximum 3", "<=3 warn", "<=3 warn 8", "<=3 warn 101%", "=3"]
)
def test_what_is_no_budget(text: str) -> None:
    with pytest.raises(LineError):
        parse_budget(text)
