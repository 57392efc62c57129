"""Which fixes a plan takes; confidences and gains are those of the incident, or just beside a limit."""

from __future__ import annotations

import pytest

from perfgate.core.errors import UsageError
from perfgate.plan.choice import choose, gain
from tests.diagnoses import LAYOUT, NOW, cause, diagnosis, fix

LEAST = 0.01


def test_the_gain_is_the_share_of_now_that_goes_away() -> None:
    assert gain(diagnosis(), 2_230_000_000_000) == pytest.approx((9.13 - 2.23) / 9.13)
    assert gain(diagnosis(), None) is None


@pytest.mark.parametrize(
    ("after", "is_taken"),
    [(NOW * 98 // 100, True), (NOW * 99 // 100, False), (NOW, False), (NOW + 1, False), (None, False)],
)
def test_only_a_gain_above_the_minimum_effect_is_taken(after: int | None, is_taken: bool) -> None:  # noqa: FBT001 - a parameter
    (choice,) = choose(diagnosis(fix(taken=(LAYOUT,), after=after)), LEAST)
    assert (choice.reason == "") is is_taken


@pytest.mark.parametrize(("confidence", "is_taken"), [(0.5, True), (0.49, False)])
def test_only_a_likely_cause_is_mended(confidence: float, is_taken: bool) -> None:  # noqa: FBT001 - a parameter
    (choice,) = choose(diagnosis(causes=(cause(confidence),)), LEAST)
    assert (choice.reason == "") is is_taken


def test_a_fix_of_no_cause_is_not_taken_unasked() -> None:
    found = diagnosis(fix(taken=(LAYOUT,), cause=-1))
    reasons = [choice.reason for choice in choose(found, LEAST)]
    assert reasons == ["it belongs to no cause and has its own price"]
    assert [choice.reason for choice in choose(found, LEAST, (1,))] == [""]


def test_an_estimated_gain_is_not_taken_and_an_unreachable_one_says_so() -> None:
    found = diagnosis(fix(taken=(LAYOUT,), is_estimated=True), fix(taken=(LAYOUT,), after=NOW * 2))
    assert [choice.reason for choice in choose(found, LEAST)] == [
        "its gain of -75.6 % is estimated, not simulated",
        "its change of +100 % is not beyond the minimum effect, -1.0 %",
    ]


def test_a_fix_is_added_by_its_number_unless_it_sets_nothing() -> None:
    found = diagnosis(fix(taken=(LAYOUT,), after=NOW), fix(advice="split the model"))
    reasons = [choice.reason for choice in choose(found, LEAST, (1, 2))]
    assert reasons == ["", "it sets nothing: split the model"]


def test_a_number_that_the_diagnosis_does_not_have_is_refused() -> None:
    with pytest.raises(UsageError, match="no fix 2: --include: it has fixes 1 to 1"):
        choose(diagnosis(), LEAST, (2,))
