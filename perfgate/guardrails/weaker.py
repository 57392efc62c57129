"""In which respects one rule is weaker than another; only what is shown to be as strict counts so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.guardrails.rule import (
    Alert,
    Budgets,
    Condition,
    Consistency,
    FlagGroup,
    FlagTests,
    Kind,
)
from perfgate.guardrails.satisfiable import at_least_as_strict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfgate.guardrails.rule import Body, BudgetRow, Rule, Target


def weaker_parts(base: Rule, head: Rule) -> tuple[str, ...]:
    """What makes `head` weaker than `base`, in words; empty when it is at least as strict throughout."""
    return tuple(_weaker_parts(base, head))


def _weaker_parts(base: Rule, head: Rule) -> Iterator[str]:
    if base.kind is not head.kind:
        yield f"it is a {head.kind} rule now, not {base.kind}"
        return
    if head.severity.rank < base.severity.rank:
        yield f"severity lowered from {base.severity} to {head.severity}"
    if base.unresolved is not None and (
        head.unresolved is None or head.unresolved.rank < base.unresolved.rank
    ):
        yield "severity of unknown answers lowered"
    elif (
        base.unresolved is None and head.unresolved is not None and head.unresolved.rank < head.severity.rank
    ):
        yield "severity of unknown answers set apart"
    if head.min_matches < base.min_matches:
        yield f"expect lowered from {base.min_matches} to {head.min_matches} matches"
    if not selects_as_much(head.paths, base.paths):
        yield "paths narrowed"
    if not condition_as_wide(head.when, base.when):
        yield "when narrowed"
    yield from _weaker_target(base.target, head.target)
    yield from _weaker_body(base, base.body, head.body)


def selects_as_much(new: tuple[str, ...], old: tuple[str, ...]) -> bool:
    """Whether globs surely select all that the others do; none selects everything."""
    return not new or (bool(old) and set(old) <= set(new))


def _weaker_target(base: Target | None, head: Target | None) -> Iterator[str]:
    if base is None or head is None:
        return
    pairs = ((base.programs, head.programs), (base.env, head.env), (base.files, head.files))
    is_same_reading = (base.dialect, base.flags_key) == (head.dialect, head.flags_key)
    is_as_wide = is_same_reading and all(set(old) <= set(new) for old, new in pairs)
    if not (
        is_as_wide
        and selects_as_much(head.paths, base.paths)
        and condition_as_wide(head.applies, base.applies)
    ):
        yield f"target {head.name} narrowed"
    if not set(head.flags_known) <= set(base.flags_known):
        yield "flags_known grown"


def condition_as_wide(new: Condition | None, old: Condition | None) -> bool:
    """Whether a condition surely holds wherever the other one holds."""
    if new is None or new == old:
        return True
    if old is None:
        return False
    old_flags = dict(old.flags)
    listed = (
        (new.has, old.has),
        (new.shows, old.shows),
        (new.device, old.device),
        (new.model, old.model),
        (new.precision, old.precision),
        (new.path, old.path),
    )
    return (
        all(name in old_flags and set(old_flags[name]) <= set(values) for name, values in new.flags)
        and all(not wider or (bool(given) and set(given) <= set(wider)) for wider, given in listed)
        and set(new.lacks) <= set(old.lacks)
        and new.is_open in {None, old.is_open}
        and (not new.any_of or new.any_of == old.any_of)
        and (new.excluded is None or new.excluded == old.excluded)
    )


def _weaker_body(base: Rule, old: Body, new: Body) -> Iterator[str]:
    if isinstance(old, FlagTests) and isinstance(new, FlagTests):
        yield from _weaker_tests(base.kind, old, new)
    elif isinstance(old, FlagGroup) and isinstance(new, FlagGroup):
        if not set(old.flags) <= set(new.flags):
            yield f"no longer about {', '.join(flag for flag in old.flags if flag not in new.flags)}"
    elif isinstance(old, Consistency) and isinstance(new, Consistency):
        if not set(old.selectors) <= set(new.selectors):
            yield "places taken out of the comparison"
    elif isinstance(old, Budgets) and isinstance(new, Budgets):
        for row in old.rows:
            if not any(_row_as_strict(other, row) for other in new.rows):
                yield f"budget of {row.metric} loosened or removed"
    elif isinstance(old, Alert) and isinstance(new, Alert) and not _alert_as_strict(new, old):
        yield "conditions of the alert changed"


def _weaker_tests(kind: Kind, old: FlagTests, new: FlagTests) -> Iterator[str]:
    for test in old.tests:
        same = [other for other in new.tests if other.flag == test.flag]
        if not same:
            yield f"{test.flag} taken out"
        elif kind is Kind.FORBID:
            if not any(at_least_as_strict(test.tests, other.tests) for other in same):
                yield f"fewer values of {test.flag} are forbidden"
        elif not any(at_least_as_strict(other.tests, test.tests) for other in same):
            yield f"more values of {test.flag} are allowed"
        elif test.is_required and not any(other.is_required for other in same):
            yield f"{test.flag} is no longer required"


def _row_as_strict(new: BudgetRow, old: BudgetRow) -> bool:
    is_same = (new.metric, new.op) == (old.metric, old.op) and new.sign.is_upper is old.sign.is_upper
    chooses_as_much = new.benchmark in {"*", old.benchmark} and new.device in {"*", old.device}
    if new.limit.value == old.limit.value:
        is_as_tight = new.sign.is_strict or not old.sign.is_strict
    else:
        is_as_tight = (new.limit.value < old.limit.value) is new.sign.is_upper
    return is_same and chooses_as_much and is_as_tight and new.warn_band <= old.warn_band


def _alert_as_strict(new: Alert, old: Alert) -> bool:
    """An alert is stricter when it fires more often: fewer conditions of `all`, more of `any`."""
    if new.needs_all is not old.needs_all:
        return False
    fewer, more = set(new.conditions), set(old.conditions)
    return fewer <= more if new.needs_all else more <= fewer
