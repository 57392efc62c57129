from __future__ import annotations

from perfgate.core.errors import NothingMeasuredError, PerfgateError, UnusableError, UsageError


def test_a_message_is_what_where_remedy() -> None:
    assert str(UsageError("the suite is empty", "perf_a.yaml:1:1", "add one")) == (
        "the suite is empty: perf_a.yaml:1:1: add one"
    )


def test_each_class_carries_the_exit_code_of_the_design() -> None:
    codes = [int(kind.exit_code) for kind in (PerfgateError, UsageError, NothingMeasuredError, UnusableError)]
    assert codes == [2, 2, 11, 12]
