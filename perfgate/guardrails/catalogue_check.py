"""What the flag catalogue has to say: on rules that name unknown flags or values, and on commands.

A name that the catalogue lacks is never an error: tools have many versions.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from perfgate.config.catalogue import catalogue_of
from perfgate.config.programs import FLAG_LIST, PROGRAMS
from perfgate.config.suggest import near_names
from perfgate.core.finding import Answer, Finding, Severity
from perfgate.guardrails.conditions import flags_named
from perfgate.guardrails.finding import finding_of
from perfgate.guardrails.judging import judge
from perfgate.guardrails.kinds.registry import flags_of
from perfgate.guardrails.rule import (
    Condition,
    FlagGroup,
    FlagTest,
    FlagTests,
    Kind,
    Rule,
    RuleSet,
    Settings,
    Target,
)
from perfgate.guardrails.subject import canonical_flag, place_of, program_fits, subjects
from perfgate.guardrails.value_test import OneOf, all_hold

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from perfgate.config.catalogue import Catalogue, Constraint
    from perfgate.config.facts import Command, FileFacts, Flag
    from perfgate.core.finding import Place
    from perfgate.guardrails.rule import Body

UNKNOWN_IN_RULE = "rule-names-unknown-flag"
NEVER_MET = "rule-never-met"
UNKNOWN_FLAG = "unknown-flag"
UNKNOWN_VALUE = "unknown-value"


def rule_remarks(rules: RuleSet) -> tuple[Finding, ...]:
    """Warnings on rules, each flag of a target once."""
    found: dict[tuple[str, str], Finding] = {}
    for rule in rules.rules:
        for program in _programs(rule.target):
            catalogue = catalogue_of(program)
            for name in _flags_named(rule):
                flag = canonical_flag(name, _dialect(program), program)
                if not _is_known(flag, catalogue, rule.target):
                    found.setdefault((program, flag), _unknown_in_rule(rule, flag, catalogue))
            for message in _never_met(rule, catalogue):
                found.setdefault((rule.id, message), _remark(NEVER_MET, rule, message))
    return tuple(found.values())


def _flags_named(rule: Rule) -> tuple[str, ...]:
    """Flags of the body and of the condition: a slip in either would switch the rule off in silence."""
    return (*flags_of(rule), *flags_named(rule.when))


def _programs(target: Target | None) -> tuple[str, ...]:
    if target is None:
        return ()
    return tuple(p.name for p in PROGRAMS if any(program_fits(name, p.name) for name in target.programs))


def _dialect(program: str) -> str:
    return next((item.dialect for item in PROGRAMS if item.name == program), FLAG_LIST)


def _is_known(flag: str, catalogue: Catalogue, target: Target | None) -> bool:
    if not catalogue.complete or flag in catalogue.flags or flag in catalogue.aliases:
        return True
    return target is not None and flag in target.flags_known


def _unknown_in_rule(rule: Rule, flag: str, catalogue: Catalogue) -> Finding:
    said = _suggestion(flag, catalogue)
    text = f"{flag} is not in the {catalogue.program} catalogue; the rule is enforced as written"
    return _remark(UNKNOWN_IN_RULE, rule, f"{text}. {said}" if said else text)


def _suggestion(flag: str, catalogue: Catalogue) -> str:
    """`Near: --a; layout is set by --b`."""
    near = near_names(flag, catalogue.flags)
    parts = [f"Near: {', '.join(near)}"] if near else []
    folded = flag.lstrip("-")
    for word, names in catalogue.synonyms.items():
        if word in folded and word != folded:
            parts.append(f"{word} is set by {names[0]}")
    return "; ".join(parts)


def _never_met(rule: Rule, catalogue: Catalogue) -> Iterator[str]:
    if rule.kind is not Kind.REQUIRE or not isinstance(rule.body, FlagTests):
        return
    given = dict(rule.when.flags) if rule.when else {}
    has = set(rule.when.has) if rule.when and len(rule.when.has) == 1 else set()
    for test in rule.body.tests:
        facts = catalogue.flags.get(test.flag)
        if facts is not None and facts.type == "enum" and _none_holds(test, facts.values):
            yield f"{test.flag} takes {', '.join(facts.values)} only; the rule can never be met"
        for constraint in catalogue.constraints:
            if not _applies(constraint, given, has):
                continue
            if test.flag in constraint.forbid or _none_holds(test, constraint.values.get(test.flag, ())):
                yield f"the rule can never be met: {_in_words(constraint)} [{constraint.id}]"


def _none_holds(test: FlagTest, values: Sequence[str]) -> bool:
    return bool(values and test.tests) and all(all_hold(test.tests, value) is Answer.FAIL for value in values)


def _applies(constraint: Constraint, given: dict[str, tuple[str, ...]], has: set[str]) -> bool:
    if not constraint.when:
        return True
    conditions = constraint.when.items()
    return all(value in has if name == "has" else given.get(name) == (value,) for name, value in conditions)


def _in_words(constraint: Constraint) -> str:
    when = " and ".join(
        f"{value} there" if name == "has" else f"{name}={value}" for name, value in constraint.when.items()
    )
    parts = [f"{flag} is one of {', '.join(values)}" for flag, values in constraint.values.items()]
    parts += [f"needs {', '.join(constraint.require)}"] if constraint.require else []
    parts += [f"forbids {', '.join(constraint.forbid)}"] if constraint.forbid else []
    parts += [f"only one of {', '.join(constraint.at_most_one)}"] if constraint.at_most_one else []
    parts += [f"{', '.join(constraint.all_or_none)} belong together"] if constraint.all_or_none else []
    parts += [f"{', '.join(constraint.no_effect)} has no effect"] if constraint.no_effect else []
    text = f"with {when}: {'; '.join(parts)}" if when else "; ".join(parts)
    return f"{text} ({constraint.note})" if constraint.note else text


def _remark(code: str, rule: Rule, message: str) -> Finding:
    return Finding(rule=code, severity=Severity.WARN, answer=Answer.FAIL, message=message, span=rule.place)


def command_findings(facts: Sequence[FileFacts], rules: RuleSet) -> tuple[Finding, ...]:
    """What the tool itself would not accept or ignore, in all commands of programs with a catalogue."""
    programs = {command.program for file in facts for command in file.commands}
    known = {program: _flags_known(program, rules) for program in programs}
    return tuple(
        finding
        for file in facts
        for command in file.commands
        for finding in _of_command(command, file, known[command.program], rules.settings)
    )


def _flags_known(program: str, rules: RuleSet) -> frozenset[str]:
    """Flags that the rule files know: declared ones, and those a rule names, which is remarked on."""
    dialect = _dialect(program)
    declared = {
        flag for _, target in rules.targets if program in _programs(target) for flag in target.flags_known
    }
    named = {name for rule in rules.rules if program in _programs(rule.target) for name in _flags_named(rule)}
    return frozenset(canonical_flag(name, dialect, program) for name in declared | named)


def _of_command(
    command: Command, file: FileFacts, known: frozenset[str], settings: Settings
) -> Iterator[Finding]:
    catalogue = catalogue_of(command.program)
    for flag in command.flags:
        facts = catalogue.flags.get(flag.name)
        if facts is None and flag.name not in known and not _is_known(flag.name, catalogue, None):
            yield _unknown_flag(flag, command, catalogue, settings)
        elif facts is not None and facts.type == "enum" and _is_outside(flag, facts.values):
            yield _unknown_value(flag, command, facts.values)
    yield from _broken_constraints(command, file, catalogue, settings)


def _unknown_flag(flag: Flag, command: Command, catalogue: Catalogue, settings: Settings) -> Finding:
    said = _suggestion(flag.name, catalogue)
    text = f"{flag.name} is not in the {catalogue.program} catalogue"
    return Finding(
        rule=UNKNOWN_FLAG,
        severity=settings.unknown_flag,
        answer=Answer.FAIL,
        message=f"{text}. {said}" if said else text,
        span=place_of(flag.span),
        program=command.program,
        flag=flag.name,
    )


def _is_outside(flag: Flag, values: Sequence[str]) -> bool:
    texts = flag.value.candidates or ((flag.value.text,) if flag.value.text else ())
    return any(text not in values for text in texts) and bool(values)


def _unknown_value(flag: Flag, command: Command, values: Sequence[str]) -> Finding:
    found = "|".join(flag.value.candidates) or flag.value.text or ""
    near = near_names(found, values)
    hint = f"; did you mean {near[0]}?" if near else ""
    return Finding(
        rule=UNKNOWN_VALUE,
        severity=Severity.WARN,
        answer=Answer.FAIL,
        message=f"{flag.name}={found}: the tool takes {', '.join(values)}{hint}",
        span=place_of(flag.span),
        program=command.program,
        flag=flag.name,
        found=found,
        expected=", ".join(values),
    )


def _broken_constraints(
    command: Command, file: FileFacts, catalogue: Catalogue, settings: Settings
) -> Iterator[Finding]:
    target = Target(name=command.program, programs=(command.program,))
    subject = next(iter(subjects(target, replace(file, commands=(command,), env=(), keys=()))), None)
    for constraint in catalogue.constraints:
        for rule in constraint_rules(constraint, target, place_of(command.program_span)):
            judged = judge(rule, subject) if subject else None
            for fault in judged.faults if judged else ():
                if fault.answer is Answer.FAIL:
                    text = f"{fault.message}: {_in_words(constraint)}"
                    finding = finding_of(rule, replace(fault, message=text), command.program, settings)
                    yield _without_rule_line(finding)


def _without_rule_line(finding: Finding) -> Finding:
    """The finding without a rule line or a fix: the catalogue stands in no file of the repository."""
    return msgspec.structs.replace(finding, related=None, fix="")


def constraint_rules(constraint: Constraint, target: Target, place: Place) -> Iterator[Rule]:
    """A constraint of the tool as rules, so that it is judged like them."""
    flags = tuple((name, (value,)) for name, value in constraint.when.items() if name != "has")
    has = tuple(value for name, value in constraint.when.items() if name == "has")
    when = Condition(flags=flags, has=has) if constraint.when else None
    allowed = [(flag, OneOf(values=values)) for flag, values in constraint.values.items()]
    tests = tuple(FlagTest(flag=flag, tests=(test,)) for flag, test in allowed)

    required = tuple(FlagTest(flag=flag, is_required=True) for flag in constraint.require)
    unwanted = tuple(FlagTest(flag=flag) for flag in (*constraint.forbid, *constraint.no_effect))
    bodies: tuple[tuple[Kind, Body | None], ...] = (
        (Kind.VALUES, FlagTests(tests=tests) if tests else None),
        (Kind.REQUIRE, FlagTests(tests=required) if required else None),
        (Kind.FORBID, FlagTests(tests=unwanted) if unwanted else None),
        (Kind.AT_MOST_ONE, FlagGroup(flags=constraint.at_most_one) if constraint.at_most_one else None),
        (Kind.ALL_OR_NONE, FlagGroup(flags=constraint.all_or_none) if constraint.all_or_none else None),
    )
    for kind, body in bodies:
        if body is not None:
            rule = Rule(id=constraint.id, kind=kind, body=body, place=place, target=target, when=when)
            yield replace(rule, severity=Severity.WARN)
