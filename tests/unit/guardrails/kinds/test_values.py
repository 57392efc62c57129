"""Each cell of the column `values`, `range` in the table of the design, and the forms of allowed values."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.guard_facts import answer, command, default, flag, one_of, sometimes, unknown

if TYPE_CHECKING:
    from perfgate.config.facts import Command

VALUES = "rules: [{id: v, target: atc, values: {--f: [A, C]}}]"
RANGE = "rules: [{id: r, target: atc, range: {--f: {min: 2, max: 4, type: int}}}]"
SIZE = "rules: [{id: r, target: atc, range: {--f: {min: 1.5GB, type: size}}}]"
TIME = "rules: [{id: r, target: atc, range: {--f: {max: 33ms, type: time}}}]"


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (command(flag("--f", "A")), "pass"),
        (command(flag("--f", "C")), "pass"),
        (command(flag("--f", "B")), "fail"),
        (command(flag("--f", one_of("A", "C"))), "pass"),
        (command(flag("--f", one_of("A", "B"))), "fail"),
        (command(flag("--f", unknown())), "unknown"),
        (command(flag("--f", unknown("B", None))), "fail"),
        (command(flag("--f", default("A"))), "unknown"),
        (command(flag("--f", default("B"))), "fail"),
        (command(sometimes(flag("--f", "A"))), "pass"),
        (command(sometimes(flag("--f", "B"))), "fail"),
        (command(), "pass"),
        (command(is_open=True), "unknown"),
        (command(flag("--f", "A"), is_open=True), "pass"),
        (command(replace(flag("--f", "B"), overridden=True), flag("--f", "A")), "pass"),
        (command(replace(flag("--f", "B"), overridden=True), sometimes(flag("--f", "A"))), "fail"),
    ],
)
def test_value_where_the_flag_is_there(call: Command, expected: str) -> None:
    assert answer(VALUES, call) == expected


@pytest.mark.parametrize(("value", "expected"), [("B", "fail"), ("A", "unknown"), (None, "unknown")])
def test_only_a_wrong_value_is_seen_in_a_file_not_read_to_its_end(value: str | None, expected: str) -> None:
    flags = () if value is None else (flag("--f", value),)
    assert answer(VALUES, command(*flags), incomplete=True) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [("2", "pass"), ("4", "pass"), ("1", "fail"), ("5", "fail"), ("2.5", "fail"), ("two", "fail")],
)
def test_range_fails_outside_and_for_another_type(value: str, expected: str) -> None:
    assert answer(RANGE, command(flag("--f", value))) == expected


def test_unknown_number_is_unknown() -> None:
    assert answer(RANGE, command(flag("--f", unknown()))) == "unknown"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("1536MB", "pass"),  # 1.5 x 1024 MB
        ("1.5GiB", "pass"),
        ("1500MB", "fail"),
        ("1610612736", "pass"),  # 1.5 x 1024^3 bytes
        ("1.5G", "fail"),  # no unit anybody agreed on
    ],
)
def test_sizes_are_powers_of_1024(value: str, expected: str) -> None:
    assert answer(SIZE, command(flag("--f", value))) == expected


@pytest.mark.parametrize(
    ("value", "expected"), [("33ms", "pass"), ("0.033s", "pass"), ("34000us", "fail"), ("20", "fail")]
)
def test_times_need_their_unit(value: str, expected: str) -> None:
    assert answer(TIME, command(flag("--f", value))) == expected


@pytest.mark.parametrize(
    ("allowed", "value", "expected"),
    [
        ('{each: [a, b], sep: ","}', "a,b,a", "pass"),
        ("{each: [a, b]}", "a,c", "fail"),
        ('{each: [a, b], sep: ";"}', "a;b", "pass"),
        ('{glob: "fp16:*"}', "fp16:chw", "pass"),
        ('{glob: "fp16:*"}', "fp32:chw", "fail"),
        ('{glob: ["fp16:*", "fp32:chw"]}', "fp32:chw", "pass"),
    ],
)
def test_lists_and_globs(allowed: str, value: str, expected: str) -> None:
    rule = f"rules: [{{id: v, target: atc, values: {{--f: {allowed}}}}}]"
    assert answer(rule, command(flag("--f", value))) == expected
