"""A rule in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from perfgate.guardrails import wording
from perfgate.guardrails.rule import Alert, Budgets, Consistency, FlagGroup, FlagTests, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfgate.guardrails.rule import Condition, Rule, Target


def rule_in_words(rule: Rule) -> str:
    """What the rule asks, of what, and when."""
    parts = [_asks(rule)]
    if rule.target is not None:
        parts.insert(0, f"{watched_in_words(rule.target)}:")
    if rule.when is not None:
        parts.append(f"when {condition_in_words(rule.when)}")
    if rule.paths:
        parts.append(f"in {', '.join(rule.paths)}")
    return " ".join(parts)


def watched_in_words(target: Target) -> str:
    """What a target watches, as a phrase."""
    if target.flags_key:
        return f"flags under the key {target.flags_key} of {', '.join(target.files)}"
    if target.files:
        return f"keys of {', '.join(target.files)}"
    if target.env:
        return f"flags in {', '.join(target.env)}"
    words = f"calls of {', '.join(target.programs)}"
    return words if target.applies is None else f"{words} with {condition_in_words(target.applies)}"


def _asks(rule: Rule) -> str:
    body = rule.body
    match body:
        case FlagTests():
            return "; ".join(
                _test_in_words(rule.kind, test.flag, wording.wanted(test.tests)) for test in body.tests
            )
        case FlagGroup():
            words = "at most one of" if rule.kind is Kind.AT_MOST_ONE else "all or none of"
            return f"{words} {', '.join(body.flags)}"
        case Consistency():
            return f"the same value at {', '.join(f'{s.target.name} {s.name}' for s in body.selectors)}"
        case Budgets():
            return "; ".join(f"{row.op or row.metric} {row.sign}{row.limit}" for row in body.rows)
        case Alert():
            joint = " and " if body.needs_all else " or "
            return f"{joint.join(item.written for item in body.conditions)}: {body.action}"
        case _:
            assert_never(body)


def _test_in_words(kind: Kind, flag: str, wanted: str) -> str:
    if kind is Kind.REQUIRE:
        return f"{flag} must be {wanted}" if wanted else f"{flag} must be there"
    if kind is Kind.FORBID:
        return f"{flag} must not be {wanted}" if wanted else f"{flag} must not be there"
    return f"{flag}, where it is there, must be {wanted or 'there'}"


def condition_in_words(condition: Condition) -> str:
    """A condition as a phrase."""
    return " and ".join(_condition_parts(condition)) or "anything"


def _condition_parts(condition: Condition) -> Iterator[str]:
    for name, values in condition.flags:
        yield f"{name}={'|'.join(values)}"
    if condition.has:
        yield " or ".join(condition.has)
    if condition.shows:
        yield f"{' or '.join(condition.shows)} seen"
    if condition.lacks:
        yield f"without {', '.join(condition.lacks)}"
    named = (("device", condition.device), ("model", condition.model), ("precision", condition.precision))
    for name, globs in (*named, ("path", condition.path)):
        if globs:
            yield f"{name} {'|'.join(globs)}"
    if condition.is_open is not None:
        yield "arguments that the file does not show" if condition.is_open else "all arguments shown"
    if condition.any_of:
        yield f"({' or '.join(condition_in_words(part) for part in condition.any_of)})"
    if condition.excluded is not None:
        yield f"not ({condition_in_words(condition.excluded)})"
