"""One rule on one file: which calls it concerns, and what it finds wrong with each on every path."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from perfgate.config.facts import Span
from perfgate.core.finding import Answer
from perfgate.guardrails.answer import every
from perfgate.guardrails.conditions import condition_answer, flags_asked
from perfgate.guardrails.fault import Fault
from perfgate.guardrails.globs import any_path_matches
from perfgate.guardrails.kinds.present import INCOMPLETE
from perfgate.guardrails.kinds.registry import faults_of, flags_of
from perfgate.guardrails.rule import Kind
from perfgate.guardrails.subject import canonical_flag, subjects
from perfgate.guardrails.worlds import paths_through

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from perfgate.config.facts import FileFacts
    from perfgate.guardrails.rule import Rule, Target
    from perfgate.guardrails.subject import Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A subject that a rule concerns, with its faults (none: pass); no subject means the whole file."""

    subject: Subject | None
    faults: tuple[Fault, ...]


def judge_file(rule: Rule, facts: FileFacts) -> Iterator[Judged]:
    """All subjects of the file that the rule concerns; a file not read to its end never passes."""
    if rule.target is None or not selects(rule, facts.path):
        return
    has_fault = False
    for subject in subjects(rule.target, facts):
        judged = judge(rule, subject)
        if judged is not None:
            has_fault = has_fault or bool(judged.faults)
            yield judged
    if not has_fault and (unread := unread_part(rule, (rule.target,), facts)) is not None:
        yield Judged(subject=None, faults=(unread,))


def unread_part(rule: Rule, targets: Iterable[Target], facts: FileFacts) -> Fault | None:
    """What a file that was not read to its end may hide from a rule on these targets."""
    if not facts.incomplete or not any(_concerns_whole_file(target, facts.path) for target in targets):
        return None
    return _incomplete(rule, facts.path)


def selects(rule: Rule, path: str) -> bool:
    """Whether the globs of the rule and of its target choose the file."""
    return any_path_matches(rule.paths, path) and (
        rule.target is None or any_path_matches(rule.target.paths, path)
    )


def judge(rule: Rule, subject: Subject) -> Judged | None:
    """The faults of one subject over all paths, or None where the rule surely does not concern it."""
    names = {canonical_flag(name, subject.dialect, subject.program) for name in _flags_looked_at(rule)}
    paths = paths_through(subject, frozenset(names))
    found: list[Fault] = []
    is_concerned = False
    for variant in paths.subjects:
        applies = applies_to(rule, variant)
        if applies is Answer.FAIL:
            continue
        is_concerned = True
        found.extend(_weakened(fault, applies) for fault in faults_of(rule, variant))
    if not is_concerned:
        return None
    faults = _distinct(found)
    if not paths.is_complete and not any(fault.answer is Answer.FAIL for fault in faults):
        faults = (*faults, _too_many_paths(subject))
    return Judged(subject=subject, faults=tuple(_conditional(fault, subject) for fault in faults))


def applies_to(rule: Rule, subject: Subject) -> Answer:
    """Whether the rule concerns a subject on one path."""
    target = rule.target.applies if rule.target else None
    return every((condition_answer(target, subject), condition_answer(rule.when, subject)))


def _flags_looked_at(rule: Rule) -> frozenset[str]:
    target = rule.target.applies if rule.target else None
    return frozenset(flags_of(rule)) | flags_asked(rule.when) | flags_asked(target)


def _weakened(fault: Fault, applies: Answer) -> Fault:
    if applies is Answer.PASS or fault.answer is Answer.UNKNOWN:
        return fault
    message = f"{fault.message}, if the rule applies here, which this file does not tell"
    return replace(fault, answer=Answer.UNKNOWN, message=message)


def _distinct(faults: list[Fault]) -> tuple[Fault, ...]:
    """One fault per flag and place, a failed one rather than an unknown one."""
    kept: dict[tuple[str, Span], Fault] = {}
    for fault in faults:
        key = fault.flag, fault.span
        if key not in kept or (kept[key].answer is Answer.UNKNOWN and fault.answer is Answer.FAIL):
            kept[key] = fault
    return tuple(kept.values())


def _conditional(fault: Fault, subject: Subject) -> Fault:
    if not fault.is_missing or fault.answer is not Answer.FAIL:
        return fault
    seen = [flag.span.line for flag in subject.flags if flag.name == fault.flag]
    if not seen:
        return fault
    return replace(
        fault, message=f"{fault.message} on some paths; line {seen[0]} adds it under a condition only"
    )


def _too_many_paths(subject: Subject) -> Fault:
    return Fault(
        answer=Answer.UNKNOWN,
        span=subject.name_span,
        message="too many conditions decide about the flags of this call to try them all",
    )


def _concerns_whole_file(target: Target, path: str) -> bool:
    is_key_target = bool(target.files) and not target.programs and not target.env
    return not is_key_target or any_path_matches(target.files, path)


def _incomplete(rule: Rule, path: str) -> Fault:
    start = Span(path=path, line=1, column=1, end_line=1, end_column=1)
    what = "keys" if rule.kind is Kind.KEYS else "calls"
    return Fault(
        answer=Answer.UNKNOWN, span=start, message=f"{INCOMPLETE}; it may hold {what} that break this rule"
    )
