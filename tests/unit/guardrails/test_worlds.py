"""Paths through a call: conditions are tried both ways, up to a limit beyond which the answer is unknown."""

from __future__ import annotations

from perfgate.config.facts import Flag, Presence
from tests.guard_facts import answer, command, flag, sometimes

RULE = "atc: require --f=A"


def under(decisions: int, name: str = "--f", value: str = "A") -> list[Flag]:
    """The flag under as many conditions of its own."""
    return [sometimes(flag(name, value), decision=f"{number}:1") for number in range(decisions)]


def test_no_path_without_the_flag_passes() -> None:
    three = [sometimes(flag("--f", "A"), outcome, 3) for outcome in range(3)]
    assert answer(RULE, command(*three)) == "pass"
    assert answer(RULE, command(*three[:2])) == "fail"


def test_too_many_conditions_are_never_a_pass() -> None:
    always = flag("--f", "A")
    assert answer(RULE, command(always, *under(9))) == "unknown"
    assert answer(RULE, command(*under(9))) == "fail"  # the path without any of them
    assert answer("atc: forbid --f=A", command(*under(9))) == "fail"


def test_conditions_of_other_flags_do_not_count() -> None:
    assert answer(RULE, command(flag("--f", "A"), *under(9, "--g"))) == "pass"


def test_flag_whose_branch_is_not_told_is_on_some_path_only() -> None:
    lone = Flag(
        name="--f",
        written="--f",
        value=flag("--f", "A").value,
        span=flag("--f", "A").span,
        presence=Presence.SOMETIMES,
    )
    assert answer(RULE, command(lone)) == "fail"
    assert answer("atc: forbid --f", command(lone)) == "fail"
