"""Very many operators: the changed ones stay, and nothing is lost."""

from __future__ import annotations

from perfgate.report.html.largest import keep_largest
from perfgate.report.html.material import PageOperator
from tests.page_profiles import operator

OPERATORS = tuple(
    PageOperator(
        before=operator(number, f"net.{number % 2}.op{number}", 100, scope=f"net.{number % 2}.op{number}"),
        after=operator(
            number,
            f"net.{number % 2}.op{number}",
            100 + (50 if number in {3, 8} else 0),
            scope=f"net.{number % 2}.op{number}",
        ),
    )
    for number in range(10)
)


def test_few_operators_stay_as_they_are() -> None:
    assert keep_largest(OPERATORS, 10) is OPERATORS


def test_those_that_changed_most_stay_and_the_others_are_one_for_each_scope() -> None:
    found = keep_largest(OPERATORS, 2)
    assert [item.label for item in found] == [
        "#3 net.1.op3",
        "#8 net.0.op8",
        "#0 net.0.op0 and 3 more",
        "#1 net.1.op1 and 3 more",
    ]


def test_times_of_both_sides_are_kept_to_the_picosecond() -> None:
    for most in range(1, 10):
        found = keep_largest(OPERATORS, most)
        assert sum(item.before_ps for item in found) == 1000
        assert sum(item.after_ps for item in found) == 1100


def test_every_number_still_leads_to_an_operator() -> None:
    found = keep_largest(OPERATORS, 3)
    numbers = {row.number for item in found for row in item.rows_after}
    assert numbers == set(range(10))
