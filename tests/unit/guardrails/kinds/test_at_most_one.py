from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.guard_facts import answer, command, flag, sometimes

if TYPE_CHECKING:
    from perfgate.config.facts import Command

RULE = "rules: [{id: one, target: atc, at_most_one: [--a, --b, --c]}]"


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (command(), "pass"),
        (command(flag("--a")), "pass"),
        (command(flag("--a"), flag("--c")), "fail"),
        (command(flag("--a"), sometimes(flag("--b"))), "fail"),  # both on one path
        (command(sometimes(flag("--a"), 0), sometimes(flag("--b"), 1)), "pass"),  # never on one path
        (command(sometimes(flag("--a"), 0), sometimes(flag("--b"), 0)), "fail"),
        (command(sometimes(flag("--a")), sometimes(flag("--b"), decision="8:1")), "fail"),
        (command(is_open=True), "unknown"),
        (command(flag("--a"), is_open=True), "unknown"),
        (command(flag("--a"), flag("--b"), is_open=True), "fail"),
    ],
)
def test_two_of_the_flags_on_one_path_fail(call: Command, expected: str) -> None:
    assert answer(RULE, call) == expected


def test_incomplete_file_is_unknown_unless_two_are_seen() -> None:
    assert answer(RULE, command(flag("--a")), incomplete=True) == "unknown"
    assert answer(RULE, command(flag("--a"), flag("--b")), incomplete=True) == "fail"
