from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfgate.report.amount_column import AmountColumn, amount_column, largest_remainder, round_half_up

S, MS = 10**12, 10**9  # picoseconds
AMOUNTS = st.integers(-(10**15), 10**15)


@pytest.mark.parametrize(
    ("unit", "scale", "text"),
    [
        ("ps", 9_130 * MS, "9.13 s"),
        ("ps", 12_345 * MS, "12.3 s"),
        ("ps", 123_456 * MS, "123 s"),
        ("ps", 1_234_567 * MS, "1235 s"),
        ("ps", 999 * MS, "999 ms"),
        ("ps", 15_230, "15.2 ns"),
        ("ps", 7, "7 ps"),
        ("ps", 0, "0 ps"),
        ("B", 2_340_000_000, "2.34 GB"),
        ("B", 999, "999 B"),
        ("nJ", 72_300_000_000, "72.3 J"),
        ("nJ", 29_400_000, "29.4 mJ"),
    ],
)
def test_the_largest_amount_has_three_digits_in_the_unit_a_person_would_choose(
    unit: str, scale: int, text: str
) -> None:
    assert amount_column(unit, scale).text(scale) == text
    assert amount_column(unit, -scale) == amount_column(unit, scale)


def test_smaller_amounts_keep_the_unit_of_the_column() -> None:
    column = amount_column("ps", 9 * S)
    assert column == AmountColumn(S, "s", 2)
    assert [column.text(amount) for amount in (4 * MS, 5 * MS, 0)] == ["0.00 s", "0.01 s", "0.00 s"]


def test_a_sign_is_printed_where_it_is_asked_for_and_nought_is_not_negative() -> None:
    column = amount_column("ps", 9 * S)
    assert column.text(S, signed=True) == "+1.00 s"
    assert column.text(-S, signed=True) == "-1.00 s"
    assert column.text(-4 * MS, signed=True) == "+0.00 s"


def test_printed_parts_sum_to_the_printed_total() -> None:
    # 3 x 1.004 s are 3.012 s: printed 3.01, so one of the parts has the hundredth more.
    column = amount_column("ps", 9 * S)
    assert column.parts([1004 * MS] * 3, 3012 * MS) == ["+1.01 s", "+1.00 s", "+1.00 s"]


def test_halves_go_away_from_nought() -> None:
    assert [round_half_up(amount, 10) for amount in (4, 5, 14, 15, -4, -5, -15)] == [0, 1, 1, 2, 0, -1, -2]


@given(amounts=st.lists(AMOUNTS, min_size=1, max_size=12), step=st.integers(1, 10**10))
def test_largest_remainders_sum_to_the_rounded_total_and_move_no_part_by_a_step(
    amounts: list[int], step: int
) -> None:
    steps = largest_remainder(amounts, sum(amounts), step)
    assert sum(steps) == round_half_up(sum(amounts), step)
    assert all(abs(got * step - amount) < step for got, amount in zip(steps, amounts, strict=True))


@given(amounts=st.lists(AMOUNTS, min_size=1, max_size=12), step=st.integers(1, 10**10))
def test_what_is_whole_already_stays_as_it_is(amounts: list[int], step: int) -> None:
    whole = [amount * step for amount in amounts]
    assert largest_remainder(whole, sum(whole), step) == amounts


@given(amounts=st.lists(AMOUNTS, min_size=1, max_size=8), unit=st.sampled_from(["ps", "B", "nJ"]))
def test_the_printed_column_adds_up_as_a_reader_would_check_it(amounts: list[int], unit: str) -> None:
    total = sum(amounts)
    column = amount_column(unit, max(abs(total), *map(abs, amounts)))
    printed = [float(text.split()[0]) for text in column.parts(amounts, total)]
    assert sum(printed) == pytest.approx(float(column.text(total).split()[0]), abs=1e-6)
