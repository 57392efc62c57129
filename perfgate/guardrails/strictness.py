"""Base against head: the rules that count are those of both, and each weakening is a finding.

A weaker rule takes effect only after it is merged: a change cannot loosen the rules that judge it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from perfgate.core.finding import Answer, Finding, Place, Severity
from perfgate.guardrails.rule import Origin
from perfgate.guardrails.weaker import selects_as_much, weaker_parts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfgate.guardrails.rule import Rule, RuleSet, Settings, Waiver

WEAKENED = "rule-weakened"


def effective(base: RuleSet | None, head: RuleSet) -> tuple[RuleSet, tuple[Finding, ...]]:
    """The rules that judge a change, and its weakenings as findings.

    `base` None: there is no base commit, head counts alone. A base without rule files is an empty rule set:
    then every rule is new, and waivers of head do not count yet.
    """
    if base is None:
        return head, ()
    settings = stricter_settings(base.settings, head.settings) if base.sources else head.settings
    severity = base.settings.weakening
    rules: list[Rule] = []
    found: list[Finding] = []
    for rule in base.rules:
        kept, remarks = _compared(rule, head, severity)
        rules.extend(kept)
        found.extend(remarks)
    known = {rule.id for rule in rules}
    added = [rule for rule in head.rules if not _is_kept(rule, rules, known)]
    rules.extend(
        replace(rule, origin=Origin.HEAD, variant="head" if rule.id in known else "") for rule in added
    )
    found.extend(_removed_files(base, head, found.copy(), severity))
    if base.sources:
        found.extend(_weaker_settings(base, head, severity))
    waivers, held = _split_waivers(base.waivers, head.waivers)
    combined = replace(
        head, rules=tuple(rules), settings=settings, waivers=waivers, held_waivers=held, remarks=head.remarks
    )
    return replace(combined, remarks=(*head.remarks, *found)), tuple(found)


def _compared(rule: Rule, head: RuleSet, severity: Severity) -> tuple[list[Rule], list[Finding]]:
    """What is left of a base rule, and its weakening."""
    same = next((other for other in head.rules if other.id == rule.id), None)
    if same is not None and not weaker_parts(rule, same):
        return [replace(same, origin=Origin.BOTH)], []
    if any(not weaker_parts(rule, other) for other in head.rules):
        return [], []  # another rule of head asks at least as much
    old = replace(rule, origin=Origin.BASE)
    if same is None:
        return [old], [_weakening(severity, f"rule {rule.id} removed", rule.place)]
    reasons = "; ".join(weaker_parts(rule, same))
    remark = _weakening(severity, f"rule {rule.id}: {reasons}; the base rule counts", same.place)
    return [old], [remark]


def _is_kept(rule: Rule, rules: list[Rule], known: set[str]) -> bool:
    """A head rule is there already, or a base rule of the same name asks at least as much."""
    if rule.id not in known:
        return False
    return any(other.id == rule.id and not weaker_parts(rule, other) for other in rules)


def stricter_settings(base: Settings, head: Settings) -> Settings:
    """Key by key the stricter of two settings."""
    return replace(
        head,
        fail_on=min(base.fail_on, head.fail_on, key=_rank),
        unresolved=max(base.unresolved, head.unresolved, key=_rank),
        unknown_flag=max(base.unknown_flag, head.unknown_flag, key=_rank),
        weakening=max(base.weakening, head.weakening, key=_rank),
        waiver_max_days=min(base.waiver_max_days, head.waiver_max_days),
        paths=tuple(dict.fromkeys((*base.paths, *head.paths))),
        max_file_size=max(base.max_file_size, head.max_file_size),
        alerts=tuple(dict.fromkeys((*base.alerts, *head.alerts))),
    )


def _rank(severity: Severity) -> int:
    return severity.rank


def _weaker_settings(base: RuleSet, head: RuleSet, severity: Severity) -> Iterator[Finding]:
    old, new = base.settings, head.settings
    checks = (
        (
            "fail_on",
            new.fail_on.rank > old.fail_on.rank,
            f"fail_on raised from {old.fail_on} to {new.fail_on}",
        ),
        ("unresolved", new.unresolved.rank < old.unresolved.rank, f"unresolved lowered to {new.unresolved}"),
        (
            "unknown_flag",
            new.unknown_flag.rank < old.unknown_flag.rank,
            f"unknown_flag lowered to {new.unknown_flag}",
        ),
        ("weakening", new.weakening.rank < old.weakening.rank, f"weakening lowered to {new.weakening}"),
        (
            "waiver_max_days",
            new.waiver_max_days > old.waiver_max_days,
            f"waivers may run {new.waiver_max_days} days",
        ),
        (
            "max_file_size",
            new.max_file_size < old.max_file_size,
            f"max_file_size lowered to {new.max_file_size}",
        ),
        ("paths", not _paths_as_wide(old, new), "files taken out by paths"),
    )
    places = dict(new.places)
    gone = dict(old.places)
    for name, is_weaker, text in checks:
        if is_weaker:
            place = places.get(name) or gone.get(name) or _start(head, base)
            yield _weakening(severity, f"settings: {text}", place)


def _removed_files(
    base: RuleSet, head: RuleSet, lost: list[Finding], severity: Severity
) -> Iterator[Finding]:
    """A file that is gone, unless all its rules stand elsewhere."""
    for path in base.sources:
        if path not in head.sources and any(finding.span.path == path for finding in lost):
            start = Place(path=path, line=1, column=1, end_line=1, end_column=1)
            yield _weakening(severity, f"rule file {path} removed", start)


def _paths_as_wide(old: Settings, new: Settings) -> bool:
    return all(
        any(
            selects_as_much(choice.include, before.include) and set(choice.exclude) <= set(before.exclude)
            for choice in new.paths
        )
        for before in old.paths
    )


def _start(head: RuleSet, base: RuleSet) -> Place:
    path = (*head.sources, *base.sources)[0]
    return Place(path=path, line=1, column=1, end_line=1, end_column=1)


def _weakening(severity: Severity, message: str, place: Place) -> Finding:
    return Finding(
        rule=WEAKENED, severity=severity, answer=Answer.FAIL, message=message, span=place, related=place
    )


def _split_waivers(
    base: tuple[Waiver, ...], head: tuple[Waiver, ...]
) -> tuple[tuple[Waiver, ...], tuple[Waiver, ...]]:
    """Waivers that count, and those of head that are new or longer; one that head drops counts no more."""
    old = {waiver.identity: waiver for waiver in base}
    counting, held = [], []
    for waiver in head:
        before = old.get(waiver.identity)
        if before is None or waiver.expires > before.expires:
            held.append(waiver)
        if before is not None:
            counting.append(min(before, waiver, key=lambda item: item.expires))
    return tuple(counting), tuple(held)
