"""Rows of a validation out of verdicts, and what a diagnosis promises."""

from __future__ import annotations

import msgspec
import pytest

from perfgate.core.diagnosis import Focus
from perfgate.plan.validation_rows import change, promised_values, speedup_row
from tests.diagnoses import LAYOUT, NOW, diagnosis, fix, key
from tests.validations import row

LEAST = 0.01


def test_one_fix_promises_its_own_amount_in_the_metrics_unit() -> None:
    found = diagnosis(msgspec.structs.replace(fix(taken=(LAYOUT,)), peak_memory=600))
    assert promised_values(found, LEAST, ()) == {"latency": 2.23, "peak_memory": 600.0}


def test_energy_is_promised_in_joules() -> None:
    found = msgspec.structs.replace(
        diagnosis(fix(taken=(LAYOUT,), after=2_000_000_000)),
        focus=Focus.ENERGY,
        unit="nJ",
        amount=4_000_000_000,
    )
    assert promised_values(found, LEAST, ()) == {"energy_j": 2.0}


def test_all_fixes_promise_what_they_give_together_and_some_of_them_nothing() -> None:
    fixes = (fix(taken=(LAYOUT,)), fix(settings=(key("a", "1"),), after=NOW - 1))
    assert promised_values(diagnosis(*fixes, together=NOW // 2), LEAST, (2,)) == {"latency": NOW / 2 / 1e12}
    third = fix(settings=(key("b", "1"),), after=NOW - 1)
    assert promised_values(diagnosis(*fixes, third, together=1), LEAST, (2,)) == {}


def test_from_zero_there_is_no_change() -> None:
    assert change(0.0, 5.0) is None
    assert change(4.0, 1.0) == -0.75


def test_twice_as_fast_is_two() -> None:
    found = speedup_row([row("latency", 4.0, 2.0)])
    assert found is not None
    assert (found.before, found.after) == (1.0, 2.0)
    assert speedup_row([row("latency", 4.0, 0.0)]) is None
    assert speedup_row([]) is None


@pytest.mark.parametrize("predicted", [None, 0.0])
def test_without_a_prediction_nothing_is_missed(predicted: float | None) -> None:
    assert row("latency", 4.0, 2.0, predicted=predicted).deviation is None
