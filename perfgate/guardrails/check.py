"""Rules on facts: the evaluation of a whole tree."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from perfgate.core.finding import Answer, Finding, Place, Severity
from perfgate.guardrails.answer import every
from perfgate.guardrails.catalogue_check import command_findings, rule_remarks
from perfgate.guardrails.evaluation import Evaluation, Match, RuleOutcome
from perfgate.guardrails.fault import answer_of
from perfgate.guardrails.finding import finding_of, in_order, with_fingerprints
from perfgate.guardrails.globs import any_path_matches
from perfgate.guardrails.judging import judge_file, unread_part
from perfgate.guardrails.kinds import consistent
from perfgate.guardrails.rule import Consistency
from perfgate.guardrails.subject import place_of
from perfgate.guardrails.waiver import apply_waivers

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from perfgate.config.facts import FileFacts
    from perfgate.guardrails.rule import Rule, RuleSet, Settings

EXPECTED_MATCH = "expected-match"
NOTHING_MATCHED = "nothing-matched"


_Key = tuple[str, Place, str, str]


def evaluate(
    rules: RuleSet,
    facts: Sequence[FileFacts],
    *,
    today: date,
    only: frozenset[str] | None = None,
    files: int | None = None,
) -> Evaluation:
    """Every rule on every file.

    `facts` are those of the whole tree; `only` limits the findings to these paths, while `expect`,
    `consistent` and unused waivers still see everything. `files` is the number of files looked at, for the
    summary.
    """
    chosen = sorted(
        (file for file in facts if is_selected(rules.settings, file.path)), key=lambda file: file.path
    )
    drafts = [_draft(rule, chosen, rules.settings) for rule in rules.rules]
    extra = command_findings(chosen, rules) if rules.rules else ()
    waiving = apply_waivers(with_fingerprints(_unique(drafts, extra)), rules, today)
    final = {_key(finding): finding for finding in waiving.findings}
    outcomes = tuple(_finished(draft, final, only) for draft in drafts)
    unmatched = {outcome.key: remark for outcome in outcomes if (remark := _unmatched(outcome)) is not None}
    notes = _reader_notes(chosen, only) if rules.rules else []
    remarks = [*rules.remarks, *rule_remarks(rules), *waiving.remarks, *notes, *unmatched.values()]
    found = {_key(finding): finding for outcome in outcomes for finding in outcome.findings}
    shown = [finding for finding in extra if only is None or finding.span.path in only]
    found |= {_key(finding): final[_key(finding)] for finding in shown}
    return Evaluation(
        rules=rules,
        outcomes=tuple(_expected(outcome, unmatched.get(outcome.key)) for outcome in outcomes),
        findings=in_order([*(f for f in found.values() if f.waived_by is None), *remarks]),
        waived=in_order([f for f in found.values() if f.waived_by is not None]),
        commands=sum(len(file.commands) for file in chosen),
        files_with_commands=sum(1 for file in chosen if file.commands or file.env or file.keys),
        files=len(chosen) if files is None else files,
    )


def is_selected(settings: Settings, path: str) -> bool:
    """Whether the settings choose the file."""
    return any(
        any_path_matches(choice.include, path)
        and not (choice.exclude and any_path_matches(choice.exclude, path))
        for choice in settings.paths
    )


def _draft(rule: Rule, facts: Sequence[FileFacts], settings: Settings) -> RuleOutcome:
    if rule.needs_record:
        return RuleOutcome(rule=rule, answer=Answer.PASS, is_evaluated=False)
    if isinstance(rule.body, Consistency):
        return _draft_consistency(rule, rule.body, facts, settings)
    matches = []
    for file in facts:
        for judged in judge_file(rule, file):
            subject = judged.subject
            whole = Place(path=file.path, line=1, column=1, end_line=1, end_column=1)
            program = subject.program if subject else ""
            findings = tuple(finding_of(rule, fault, program, settings) for fault in judged.faults)
            match = Match(
                place=place_of(subject.span) if subject else whole,
                name_place=place_of(subject.name_span) if subject else whole,
                program=program,
                answer=answer_of(judged.faults),
                findings=findings,
            )
            matches.append(match)
    return RuleOutcome(
        rule=rule,
        answer=every(match.answer for match in matches),
        matches=tuple(matches),
        findings=tuple(finding for match in matches for finding in match.findings),
    )


def _draft_consistency(
    rule: Rule, body: Consistency, facts: Sequence[FileFacts], settings: Settings
) -> RuleOutcome:
    chosen = [file for file in facts if any_path_matches(rule.paths, file.path)]
    faults = tuple(consistent.faults(body, chosen))
    faulty = {fault.span.path for fault in faults}
    targets = [selector.target for selector in body.selectors]
    unread = (unread_part(rule, targets, file) for file in chosen if file.path not in faulty)
    faults = (*faults, *(fault for fault in unread if fault is not None))
    findings = tuple(finding_of(rule, fault, "", settings) for fault in faults)
    places = tuple(
        Match(place=place_of(seen.span), name_place=place_of(seen.span), program="", answer=Answer.PASS)
        for seen in consistent.places(body, chosen)
    )
    return RuleOutcome(rule=rule, answer=answer_of(faults), matches=places, findings=findings)


def _key(finding: Finding) -> _Key:
    return finding.rule, finding.span, finding.flag, finding.found


def _unique(drafts: Sequence[RuleOutcome], extra: Sequence[Finding]) -> tuple[Finding, ...]:
    """Each place once per rule id: a rule of base and its changed form in head are one rule to a reader."""
    kept: dict[_Key, Finding] = {}
    for finding in (*(finding for draft in drafts for finding in draft.findings), *extra):
        earlier = kept.get(_key(finding))
        if earlier is None or _weight(finding) > _weight(earlier):
            kept[_key(finding)] = finding
    return in_order(tuple(kept.values()))


def _weight(finding: Finding) -> tuple[int, bool]:
    return finding.severity.rank, finding.answer is Answer.FAIL


def _finished(draft: RuleOutcome, final: dict[_Key, Finding], only: frozenset[str] | None) -> RuleOutcome:
    """The outcome with final findings; files outside `only` stay out of them but were matched."""
    is_global = isinstance(draft.rule.body, Consistency)
    shown = [f for f in draft.findings if is_global or only is None or f.span.path in only]
    findings = tuple(final[_key(finding)] for finding in shown)
    matches = tuple(
        replace(match, findings=tuple(final[_key(finding)] for finding in match.findings))
        for match in draft.matches
    )
    answer = every(finding.answer for finding in findings if finding.waived_by is None)
    return replace(draft, findings=findings, matches=matches, answer=answer)


def _expected(outcome: RuleOutcome, remark: Finding | None) -> RuleOutcome:
    """Too few matches are a failure of the rule itself."""
    if remark is None or remark.answer is not Answer.FAIL:
        return outcome
    return replace(outcome, answer=Answer.FAIL, findings=(*outcome.findings, remark))


def _unmatched(outcome: RuleOutcome) -> Finding | None:
    """A rule that matched less than its author expects, or nothing at all."""
    rule = outcome.rule
    count = len(outcome.matches)
    if not outcome.is_evaluated or (count and count >= rule.min_matches):
        return None
    if count < rule.min_matches:
        text = f"{rule.id} matched {count} places, at least {rule.min_matches} are expected"
        return Finding(
            rule=EXPECTED_MATCH, severity=rule.severity, answer=Answer.FAIL, message=text, span=rule.place
        )
    return Finding(
        rule=NOTHING_MATCHED,
        severity=Severity.NOTE,
        answer=Answer.PASS,
        message=f"{rule.id} matched nothing",
        span=rule.place,
    )


_READER_WARNINGS = frozenset(
    {"crlf-continuation", "conflict-markers", "stray-flag-line", "repeat-error", "space-value"}
)


def _reader_notes(facts: Sequence[FileFacts], only: frozenset[str] | None) -> list[Finding]:
    """What readers remarked; the ones where the tool would not do what the author wrote are warnings."""
    return [
        Finding(
            rule=note.code,
            severity=Severity.WARN if note.code in _READER_WARNINGS else Severity.NOTE,
            answer=Answer.FAIL if note.code in _READER_WARNINGS else Answer.PASS,
            message=note.text,
            span=place_of(note.span),
        )
        for file in facts
        if only is None or file.path in only
        for note in file.notes
    ]
