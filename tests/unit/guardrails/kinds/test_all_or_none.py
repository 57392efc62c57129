from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.guard_facts import answer, command, flag, sometimes

if TYPE_CHECKING:
    from perfgate.config.facts import Command

RULE = "rules: [{id: all, target: atc, all_or_none: [--a, --b]}]"


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (command(), "pass"),
        (command(flag("--a"), flag("--b")), "pass"),
        (command(flag("--a")), "fail"),
        (command(flag("--a"), sometimes(flag("--b"))), "fail"),
        (command(sometimes(flag("--a")), sometimes(flag("--b"))), "pass"),  # the same arm adds both
        (command(sometimes(flag("--a"), 0), sometimes(flag("--b"), 1)), "fail"),
        (command(is_open=True), "unknown"),
        (command(flag("--a"), is_open=True), "unknown"),
        (command(flag("--a"), flag("--b"), is_open=True), "pass"),
    ],
)
def test_some_but_not_all_fail(call: Command, expected: str) -> None:
    assert answer(RULE, call) == expected


def test_incomplete_file_never_passes() -> None:
    assert answer(RULE, command(flag("--a"), flag("--b")), incomplete=True) == "unknown"
