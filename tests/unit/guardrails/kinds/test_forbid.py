"""Each cell of the column `forbid` in the table of the design."""

from __future__ import annotations

from dataclasses import replace

import pytest

from perfgate.config.facts import Command, EnvOperation, Value
from tests.guard_facts import (
    answer,
    by_rules,
    command,
    default,
    facts,
    flag,
    judged,
    one_of,
    setting,
    sometimes,
    unknown,
)

RULE = "atc: forbid --f=A"
ANY_VALUE = "atc: forbid --f"


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (command(flag("--f", "A")), "fail"),
        (command(flag("--f", "B")), "pass"),
        (command(flag("--f", one_of("A", "B"))), "fail"),
        (command(flag("--f", one_of("C", "B"))), "pass"),
        (command(flag("--f", unknown())), "unknown"),
        (command(flag("--f", unknown("B", None))), "pass"),  # no text that begins with B is A
        (command(flag("--f", default("A"))), "fail"),
        (command(flag("--f", default("B"))), "unknown"),
        (command(sometimes(flag("--f", "A"))), "fail"),  # as if present
        (command(sometimes(flag("--f", "B"))), "pass"),
        (command(), "pass"),
        (command(is_open=True), "unknown"),
        (command(flag("--f", "B"), is_open=True), "pass"),
        (command(replace(flag("--f", "A"), overridden=True), flag("--f", "B")), "pass"),
        (command(replace(flag("--f", "A"), overridden=True), sometimes(flag("--f", "B"))), "fail"),
        (command(flag("--f", "B"), flag("--f", "A")), "fail"),
    ],
)
def test_forbidden_value(call: Command, expected: str) -> None:
    assert answer(RULE, call) == expected


@pytest.mark.parametrize("value", ["A", unknown(), default("B"), one_of("A", "B"), None])
def test_presence_alone_breaks_a_rule_without_a_value(value: Value | str | None) -> None:
    assert answer(ANY_VALUE, command(flag("--f", value))) == "fail"


@pytest.mark.parametrize(("value", "expected"), [("A", "fail"), ("B", "unknown"), (None, "unknown")])
def test_only_a_forbidden_value_is_seen_in_a_file_not_read_to_its_end(
    value: str | None, expected: str
) -> None:
    flags = () if value is None else (flag("--f", value),)
    assert answer(RULE, command(*flags), incomplete=True) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [("1", "fail"), ("0", "pass"), ("-3", "pass"), ("high", "unknown"), ("1e1", "fail")],
)
def test_comparison_with_a_number(value: str, expected: str) -> None:
    assert answer('atc: "forbid --f>0"', command(flag("--f", value))) == expected


def test_appended_and_default_settings_may_hold_more() -> None:
    rule = "xla: forbid --f"
    assert answer(rule, setting()) == "pass"
    assert answer(rule, setting(operation=EnvOperation.APPEND)) == "unknown"
    assert answer(rule, setting(operation=EnvOperation.DEFAULT)) == "unknown"


def test_finding_stands_at_the_flag_and_says_to_remove_it() -> None:
    found = by_rules(judged("atc: forbid --f", facts(command(flag("--f", "A", line=4)))))
    assert [(f.span.line, f.message, f.fix) for f in found] == [(4, "--f=A is forbidden", "remove --f")]
