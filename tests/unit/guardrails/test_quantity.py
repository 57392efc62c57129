"""Numbers with units: exact values, sizes as powers of 1024, times only with their unit."""

from __future__ import annotations

from fractions import Fraction

import pytest

from perfgate.guardrails.quantity import NumberType, read_as, read_quantity


@pytest.mark.parametrize(
    ("text", "value", "kind"),
    [
        ("3", Fraction(3), "int"),
        ("-3", Fraction(-3), "int"),
        ("2.50", Fraction(5, 2), "float"),
        (".5", Fraction(1, 2), "float"),
        ("1e3", Fraction(1000), "float"),
        ("2GB", Fraction(2 * 1024**3), "size"),
        ("2 GiB", Fraction(2 * 1024**3), "size"),
        ("1.5kb", Fraction(1536), "size"),
        ("7B", Fraction(7), "size"),
        ("33ms", Fraction(33, 1000), "time"),
        ("5us", Fraction(5, 10**6), "time"),
        ("2min", Fraction(120), "time"),
        ("1h", Fraction(3600), "time"),
        ("6.67%", Fraction(667, 100), "percent"),
    ],
)
def test_number_and_unit_are_read_exactly(text: str, value: Fraction, kind: str) -> None:
    quantity = read_quantity(text)
    assert quantity is not None
    assert (quantity.value, quantity.type, str(quantity)) == (value, kind, text)


@pytest.mark.parametrize(
    "text", ["", "fast", "3 4", "1.2.3", "2GBs", "0x10", "nan", "inf", "٣GB2", "1_000", "9" * 99, "5MS"]
)
def test_other_texts_are_no_numbers(text: str) -> None:
    assert read_quantity(text) is None


@pytest.mark.parametrize(
    ("text", "wanted", "is_read"),
    [
        ("3", NumberType.INT, True),
        ("3.0", NumberType.INT, False),
        ("3", NumberType.FLOAT, True),
        ("1024", NumberType.SIZE, True),  # bytes
        ("1.5", NumberType.SIZE, False),
        ("33", NumberType.TIME, False),  # tools differ in the unit they mean
        ("33ms", NumberType.TIME, True),
        ("33ms", NumberType.SIZE, False),
        ("80", NumberType.PERCENT, True),
    ],
)
def test_number_counts_only_as_its_own_type(text: str, wanted: NumberType, is_read: bool) -> None:  # noqa: FBT001 - a parameter of the table
    assert (read_as(text, wanted) is not None) is is_read
