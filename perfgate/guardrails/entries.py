"""Top-level names of a rule file that are targets or metrics: short lines and budgets as rules."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from perfgate.config import programs
from perfgate.core.errors import UnusableError
from perfgate.core.finding import Answer, Finding, Place, Severity
from perfgate.guardrails.body_node import metric_limit, metric_of
from perfgate.guardrails.rule import BudgetRow, Budgets, FlagTest, FlagTests, Kind, Rule
from perfgate.guardrails.satisfiable import intersection
from perfgate.guardrails.shortline import LineError, parse_budget, parse_line
from perfgate.guardrails.subject import KEYS, canonical_flag

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfgate.guardrails.document import Node
    from perfgate.guardrails.quantity import Quantity
    from perfgate.guardrails.rule import Target
    from perfgate.guardrails.shortline import Spec

LINE_CUT = "comment-cuts-line"


def target_rules(target: Target, node: Node) -> Iterator[Rule]:
    """The rules of a target's short lines, one per spec.

    Raises:
        UnusableError: a line that does not follow the grammar, with the column of the mistake.
    """
    for item in _lines(node):
        try:
            line = parse_line(item.scalar())
        except LineError as error:
            raise UnusableError(error.what, str(_inside(item, error.offset, 0)), error.remedy) from None
        for spec in line.specs:
            yield _rule(target, line.kind, line.severity, spec, item)


def _lines(node: Node) -> tuple[Node, ...]:
    for item in node.entries():
        if item.text is None or item.is_block or item.is_null:
            what = "begins with > or |" if item.is_block else "is no line"
            raise UnusableError(
                f"an entry {what}", str(item.place), 'write a line such as "require --optypelayout=NHWC"'
            )
    return node.entries()


def _rule(target: Target, kind: Kind, severity: Severity, spec: Spec, item: Node) -> Rule:
    flag = target_flag(target, spec.flag)
    is_required = kind is Kind.REQUIRE
    name = flag if is_required else flag + spec.written.removeprefix(spec.flag)
    return Rule(
        id=f"{target.name}/{kind}/{name}",
        kind=kind,
        body=FlagTests(tests=(FlagTest(flag=flag, tests=spec.tests, is_required=is_required),)),
        place=_inside(item, spec.offset, len(spec.written)),
        target=target,
        severity=severity,
        written=f"{target.name}: {kind} {spec.written}",
    )


def target_flag(target: Target, flag: str) -> str:
    """A flag as the target's dialect names it, so that two spellings are one rule."""
    if target.files and not target.flags_key:
        return canonical_flag(flag, KEYS, "")
    program = programs.program_of(target.programs[0]) if target.programs else None
    if (
        program is None
        and target.programs
        and target.programs[0] in {item.name for item in programs.PROGRAMS}
    ):
        program = programs.program_named(target.programs[0])
    dialect = target.dialect or (program.dialect if program else programs.FLAG_LIST)
    return canonical_flag(flag, dialect, program.name if program else "")


def _inside(node: Node, offset: int, length: int) -> Place:
    """The place of a part of a scalar; the whole scalar where it is not written on one line."""
    place = node.place
    if place.line != place.end_line:
        return place
    start = place.column + offset + (0 if node.is_plain else 1)
    return msgspec.structs.replace(place, column=start, end_column=start + length)


def metric_rules(key: Node, node: Node) -> Iterator[Rule]:
    """The budgets under a metric's name.

    Raises:
        UnusableError: grammar, or a unit that the metric does not have.
    """
    metric = metric_of(key)
    for item in _lines(node):
        try:
            line = parse_budget(item.scalar())
        except LineError as error:
            raise UnusableError(error.what, str(_inside(item, error.offset, 0)), error.remedy) from None
        limit: Quantity = metric_limit(metric, line.limit, item)
        row = BudgetRow(metric=metric, sign=line.sign, limit=limit, warn_band=line.warn_band)
        side = "max" if line.sign.is_upper else "min"
        yield Rule(
            id=f"{metric}/budget/{side}",
            kind=Kind.BUDGET,
            body=Budgets(rows=(row,)),
            place=item.place,
            written=f"{key.scalar()}: {item.scalar()}",
        )


def cut_lines(node: Node) -> Iterator[Finding]:
    """Warnings for lines that ` #` cuts although the rest looks like flags."""
    for item in node.entries():
        if item.is_plain and "#" in item.rest and "--" in item.rest.partition("#")[2]:
            yield Finding(
                rule=LINE_CUT,
                severity=Severity.WARN,
                answer=Answer.FAIL,
                message=f"` #` ends the line before {item.rest.strip()[:60]!r}; quote the line to keep it",
                span=item.place,
            )


def merged_short(rules: list[Rule]) -> list[Rule]:
    """Short rules with the same id as one: required tests add up, the stricter severity counts."""
    found: dict[str, Rule] = {}
    for rule in rules:
        earlier = found.get(rule.id)
        found[rule.id] = rule if earlier is None else _merge(earlier, rule)
    return list(found.values())


def _merge(first: Rule, second: Rule) -> Rule:
    severity = max(first.severity, second.severity, key=lambda item: item.rank)
    if isinstance(first.body, Budgets) and isinstance(second.body, Budgets):
        return replace(first, body=Budgets(rows=first.body.rows + second.body.rows), severity=severity)
    if (
        not isinstance(first.body, FlagTests)
        or not isinstance(second.body, FlagTests)
        or first.kind is Kind.FORBID
    ):
        return replace(first, severity=severity)
    one, two = first.body.tests[0], second.body.tests[0]
    tests = intersection((*one.tests, *two.tests))
    if tests is None:
        where = f"{first.place} and {second.place}"
        raise UnusableError(
            f"no value of {one.flag} satisfies both lines",
            where,
            f"keep one of `{first.written}`, `{second.written}`",
        )
    return replace(first, body=FlagTests(tests=(replace(one, tests=tests),)), severity=severity)
