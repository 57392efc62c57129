"""`consistent`: places whose known values must agree, over all files."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from perfgate.core.finding import Answer
from perfgate.guardrails import wording
from perfgate.guardrails.fault import Fault
from perfgate.guardrails.kinds.present import effective
from perfgate.guardrails.subject import subjects

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from perfgate.config.facts import FileFacts, Flag, Span
    from perfgate.guardrails.rule import Consistency, Selector
    from perfgate.guardrails.subject import Subject

MAX_PAIRS = 50  # findings of one rule; more values that differ say nothing new


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One value at one place; `text` is None when it is not known."""

    name: str
    text: str | None
    span: Span


def faults(body: Consistency, facts: Sequence[FileFacts]) -> Iterator[Fault]:
    """Each pair of different known values fails, at the first place of each; a value not known is unknown."""
    seen = places(body, facts)
    first_of = {item.text: item for item in reversed(seen) if item.text is not None}
    order = [item for item in seen if item.text is not None and first_of[item.text] is item]
    for number, (left, right) in enumerate(combinations(order, 2)):
        if number == MAX_PAIRS:
            return
        yield _differing(left, right)
    if len(seen) > 1:
        other = f"{order[0].span} has {order[0].text}" if order else "and at no other place"
        for item in seen:
            if item.text is None:
                yield Fault(
                    answer=Answer.UNKNOWN,
                    span=item.span,
                    message=f"{item.name}: its value is not known here, {other}",
                    flag=item.name,
                    expected=order[0].text or "" if order else "",
                )


def places(body: Consistency, facts: Sequence[FileFacts]) -> tuple[Seen, ...]:
    """Every value that is compared, selector by selector."""
    return tuple(item for selector in body.selectors for file in facts for item in _seen(selector, file))


def _differing(left: Seen, right: Seen) -> Fault:
    here, there = wording.cut(right.text or ""), wording.cut(left.text or "")
    return Fault(
        answer=Answer.FAIL,
        span=right.span,
        message=f"{right.name}={here}, but {left.name}={there} at {left.span}",
        flag=right.name,
        found=f"{here} against {there}",  # the pair is what is wrong, and what a waiver covers
        expected=left.text or "",
    )


def _seen(selector: Selector, facts: FileFacts) -> Iterator[Seen]:
    if selector.is_env:
        for setting in facts.env:
            if setting.name == selector.name and setting.value is not None:
                yield Seen(name=setting.name, text=setting.value.text, span=setting.span)
        return
    for subject in subjects(selector.target, facts):
        flags = effective(subject, selector.name)
        for flag in flags:
            yield from _values(flag, subject)
        if not flags and subject.is_open:  # the flag may follow in what this file does not show
            yield Seen(name=selector.name, text=None, span=subject.name_span)


def _values(flag: Flag, subject: Subject) -> Iterator[Seen]:
    texts: tuple[str | None, ...] = flag.value.candidates or (flag.value.text,)
    if flag.value.is_bare:
        texts = ("",)
    for text in texts:
        known = None if subject.is_default or flag.value.replaceable else text
        yield Seen(name=flag.name, text=known, span=flag.span)
