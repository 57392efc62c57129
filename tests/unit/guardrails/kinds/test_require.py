"""Each cell of the column `require` in the table of the design: what a file says, and the answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from perfgate.config.facts import Command, EnvOperation, Flag, Value
from tests.guard_facts import (
    BARE,
    answer,
    by_rules,
    command,
    convert,
    default,
    facts,
    flag,
    judged,
    one_of,
    setting,
    sometimes,
    unknown,
)

RULE = "atc: require --f=A"
ANY_VALUE = "atc: require --f"
OVERRIDDEN = replace(flag("--f", "B"), overridden=True)


def calls(*flags: Flag, is_open: bool = False) -> Command:
    return command(*flags, is_open=is_open)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (calls(flag("--f", "A")), "pass"),
        (calls(flag("--f", "B")), "fail"),
        (calls(flag("--f", one_of("A", "A"))), "pass"),
        (calls(flag("--f", one_of("A", "B"))), "fail"),
        (calls(flag("--f", unknown())), "unknown"),
        (calls(flag("--f", unknown("B", None))), "fail"),  # no text that begins with B is A
        (calls(flag("--f", default("A"))), "unknown"),
        (calls(flag("--f", default("B"))), "fail"),
        (calls(sometimes(flag("--f", "A"))), "fail"),  # absent on the other path
        (calls(sometimes(flag("--f", "A"), 0), sometimes(flag("--f", "A"), 1)), "pass"),  # in every arm
        (calls(sometimes(flag("--f", "A"), 0), sometimes(flag("--f", "B"), 1)), "fail"),
        (calls(sometimes(flag("--f", "A"), 0), sometimes(flag("--f", "A"), 1, decision="8:1")), "fail"),
        (calls(), "fail"),
        (calls(is_open=True), "unknown"),
        (calls(flag("--f", "A"), is_open=True), "pass"),
        (calls(flag("--f", "B"), is_open=True), "fail"),
        (calls(OVERRIDDEN, flag("--f", "A")), "pass"),
        (calls(replace(flag("--f", "A"), overridden=True), flag("--f", "B")), "fail"),
        (calls(OVERRIDDEN, sometimes(flag("--f", "A"))), "fail"),  # B on the path without the later one
        (calls(flag("--f", "A"), flag("--f", "B")), "fail"),  # a tool that refuses repeats: both count
        (calls(flag("--f", BARE)), "fail"),
    ],
)
def test_required_value(call: Command, expected: str) -> None:
    assert answer(RULE, call) == expected


@pytest.mark.parametrize("value", ["A", unknown(), default("B"), one_of("A", "B"), BARE])
def test_any_value_satisfies_a_rule_without_one(value: Value | str | None) -> None:
    assert answer(ANY_VALUE, command(flag("--f", value))) == "pass"


@pytest.mark.parametrize("flags", [(), (flag("--f", "A"),), (flag("--f", "B"),)])
def test_nothing_is_decided_in_a_file_not_read_to_its_end(flags: tuple[Flag, ...]) -> None:
    assert answer(RULE, command(*flags), incomplete=True) == "unknown"


def test_incomplete_file_without_calls_is_unknown() -> None:
    assert answer(RULE, incomplete=True) == "unknown"


def test_file_without_calls_is_no_business_of_the_rule() -> None:
    evaluation = judged(RULE, facts())
    assert evaluation.outcomes[0].matches == ()
    assert [finding.rule for finding in by_rules(evaluation)] == ["nothing-matched"]


def test_appended_setting_may_hold_the_flag_already() -> None:
    assert answer("xla: require --f=A", setting(operation=EnvOperation.APPEND)) == "unknown"
    assert answer("xla: require --f=A", setting()) == "fail"


def test_default_setting_without_the_flag_fails_where_nothing_replaces_it() -> None:
    assert answer("xla: require --f=A", setting(operation=EnvOperation.DEFAULT)) == "fail"
    assert (
        answer("xla: require --f=A", setting(flag("--f", "A"), operation=EnvOperation.DEFAULT)) == "unknown"
    )


def test_bare_boolean_of_gflags_is_true() -> None:
    assert answer("atc: require --f=true", command(flag("--f"))) == "pass"
    assert answer("trtexec: require --f=true", command(flag("--f"), program="trtexec")) == "fail"


def test_message_of_a_conditional_flag_names_its_line() -> None:
    found = by_rules(judged(RULE, facts(command(sometimes(flag("--f", "A", line=7))))))
    assert [f.message for f in found] == [
        "missing --f=A on some paths; line 7 adds it under a condition only",
    ]


def test_unknown_value_names_the_variable_that_hides_it() -> None:
    found = by_rules(judged("atc_convert: require --f=A", facts(convert(flag("--f", unknown())))))
    assert [f.message for f in found] == ["--f=$V, must be A; $V is not known in this file"]
    assert found[0].severity == "warn"
