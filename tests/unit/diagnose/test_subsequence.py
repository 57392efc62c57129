"""Common order: against a table of all answers, hand-drawn lists, and lists longer than a window."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from perfgate.diagnose.subsequence import WINDOW, common_subsequence, longest_increasing, match_sequences

if TYPE_CHECKING:
    from collections.abc import Sequence

words = st.text("abc", max_size=9)


def numbers(text: str) -> list[int]:
    return [ord(letter) for letter in text]


def longest(left: Sequence[int], right: Sequence[int]) -> int:
    """Length of a longest common subsequence by the textbook's table."""
    row = [0] * (len(right) + 1)
    for mine in left:
        above = row
        row = [0]
        for at, yours in enumerate(right):
            row.append(above[at] + 1 if mine == yours else max(row[at], above[at + 1]))
    return row[-1]


def matched(left: str, right: str) -> list[tuple[int, int]]:
    return match_sequences(numbers(left), numbers(right))


@given(left=words, right=words)
def test_short_lists_give_a_longest_common_subsequence(left: str, right: str) -> None:
    mine, yours = numbers(left), numbers(right)
    for pairs in (common_subsequence(mine, yours), match_sequences(mine, yours)):
        assert all(left[i] == right[j] for i, j in pairs)
        assert all(i < k and j < n for (i, j), (k, n) in pairwise(pairs))
        assert len(pairs) == longest(mine, yours)


@given(values=st.lists(st.integers(0, 9), max_size=12))
def test_a_longest_increasing_run_is_the_common_part_with_the_sorted_values(values: list[int]) -> None:
    chain = longest_increasing(values)
    chosen = [values[at] for at in chain]
    assert chain == sorted(chain)
    assert all(low < high for low, high in pairwise(chosen))
    assert len(chain) == longest(values, sorted(set(values)))


def test_of_equal_neighbours_the_first_is_missing_and_the_last_is_new() -> None:
    assert matched("caad", "cad") == [(0, 0), (2, 1), (3, 2)]
    assert matched("cad", "caad") == [(0, 0), (1, 1), (2, 3)]


def test_a_missing_stretch_costs_nothing_around_it() -> None:
    # x r x r x r without the first r: ends are equal, the middle has one answer.
    assert matched("xrxrxr", "xxrxr") == [(0, 0), (2, 1), (3, 2), (4, 3), (5, 4)]


def test_beyond_a_window_edits_stay_local() -> None:
    """Ten windows of a repeated block; an element goes in each window, and another comes."""
    left = [element % 17 for element in range(10 * WINDOW)]
    right = list(left)
    for window in range(9, 0, -1):
        right[window * WINDOW : window * WINDOW + 1] = []
        right.insert(window * WINDOW - 100, 99)
    pairs = match_sequences(left, right)
    assert len(pairs) == len(left) - 9
    assert all(left[i] == right[j] for i, j in pairs)
    drift = [i - j for i, j in pairs]
    assert {abs(step) for step in drift} <= {0, 1}  # every insertion is undone by the deletion behind it


def test_sides_with_nothing_in_common_give_nothing() -> None:
    count = 4 * WINDOW
    assert match_sequences(list(range(count)), list(range(count, 2 * count))) == []
    assert match_sequences([], [1, 2]) == []
    # All elements in common and none in order: one pair is the answer, more edits than are worth the search.
    assert match_sequences(list(range(count)), list(range(count))[::-1]) == []
