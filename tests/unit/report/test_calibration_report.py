from __future__ import annotations

import pytest

from perfgate.diagnose.calibration_inputs import inputs_hash
from perfgate.diagnose.confidence import Bin, Calibration
from perfgate.report.calibration_report import calibration_lines, calibration_report


def table(*bins: Bin, inputs: str = "") -> Calibration:
    cases = sum(item.cases for item in bins)
    return Calibration(intercept=0.0, weights=(), bins=bins, inputs=inputs, cases=cases)


FIRST = Bin(low=0.0, stated=0.1, right=0, cases=20)
LAST = Bin(low=0.9, stated=0.95, right=201, cases=212)


def test_each_bin_shows_what_was_observed_with_its_exact_interval() -> None:
    report = calibration_report(table(FIRST, LAST, inputs=inputs_hash()))
    # 0 of 20: upper bound 1 - 0.025 ** (1 / 20) = 0.168; 201 of 212: 0.948
    low, high = report.rows
    assert low.observed == 0.0
    assert low.interval == pytest.approx((0.0, 1 - 0.025 ** (1 / 20)))
    assert high.observed == pytest.approx(201 / 212)
    assert high.interval is not None
    assert high.interval[0] < 201 / 212 < high.interval[1]
    assert report.is_current


def test_the_table_says_stated_observed_cases_and_interval() -> None:
    lines = calibration_lines(calibration_report(table(FIRST, LAST, inputs=inputs_hash())))
    assert lines[0].splitlines()[0].split() == ["stated", "observed", "cases", "95", "%", "interval"]
    assert lines[0].splitlines()[2].split() == ["0.10", "0.00", "20", "0.00..0.17"]
    assert lines[0].splitlines()[3].split()[:3] == ["0.95", "0.95", "212"]
    assert lines[1:] == ["fitted on 232 planted faults"]


def test_a_table_of_other_rules_says_so() -> None:
    report = calibration_report(table(LAST, inputs="of another version"))
    assert not report.is_current
    assert "make calibrate" in calibration_lines(report)[-1]


def test_a_table_without_cases_claims_nothing() -> None:
    report = calibration_report(table(Bin(low=0.0, stated=0.5, right=0, cases=0)))
    (row,) = report.rows
    assert (row.observed, row.interval) == (None, None)
    assert calibration_lines(report)[0].splitlines()[2].split() == ["0.50", "-", "0", "-"]
    assert "guesses" in calibration_lines(report)[1]
