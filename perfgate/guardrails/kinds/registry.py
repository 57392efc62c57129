"""Which function judges which kind of rule; a new kind adds its file and one line."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from perfgate.guardrails.kinds import all_or_none, at_most_one, forbid, keys, require, values
from perfgate.guardrails.rule import Alert, Budgets, Consistency, FlagGroup, FlagTests, Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from perfgate.guardrails.fault import Fault
    from perfgate.guardrails.rule import Rule
    from perfgate.guardrails.subject import Subject

FLAG_KINDS: dict[Kind, Callable[[FlagTests, Subject], Iterable[Fault]]] = {
    Kind.REQUIRE: require.faults,
    Kind.FORBID: forbid.faults,
    Kind.VALUES: values.faults,
    Kind.RANGE: values.faults,  # the same question, asked with numbers
    Kind.KEYS: keys.faults,
}
GROUP_KINDS: dict[Kind, Callable[[FlagGroup, Subject], Iterable[Fault]]] = {
    Kind.AT_MOST_ONE: at_most_one.faults,
    Kind.ALL_OR_NONE: all_or_none.faults,
}


def faults_of(rule: Rule, subject: Subject) -> tuple[Fault, ...]:
    """What a rule finds wrong with one subject on one path; none for kinds that judge something else."""
    match rule.body:
        case FlagTests():
            return tuple(FLAG_KINDS[rule.kind](rule.body, subject))
        case FlagGroup():
            return tuple(GROUP_KINDS[rule.kind](rule.body, subject))
        case Consistency() | Budgets() | Alert():
            return ()
        case _:
            assert_never(rule.body)


def flags_of(rule: Rule) -> tuple[str, ...]:
    """The flags a rule looks at, as written in the rule."""
    match rule.body:
        case FlagTests():
            return tuple(test.flag for test in rule.body.tests)
        case FlagGroup():
            return rule.body.flags
        case Consistency():
            return tuple(selector.name for selector in rule.body.selectors if not selector.is_env)
        case Budgets() | Alert():
            return ()
        case _:
            assert_never(rule.body)
