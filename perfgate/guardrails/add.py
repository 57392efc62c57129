"""`guard add`: one more line in the rule file, validated against what is there and against the repository."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from perfgate.core.errors import UnusableError, UsageError
from perfgate.core.finding import Answer
from perfgate.guardrails.check import evaluate
from perfgate.guardrails.load import load_rules
from perfgate.guardrails.rule import ROOT_FILE, FlagTests, Kind, RuleSource
from perfgate.guardrails.satisfiable import at_least_as_strict, intersection
from perfgate.guardrails.weaker import weaker_parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import date

    from perfgate.config.facts import FileFacts
    from perfgate.core.finding import Finding
    from perfgate.guardrails.evaluation import Evaluation
    from perfgate.guardrails.rule import FlagTest, Rule, RuleSet

HEADER = b"# Guardrails of this repository: rules on compile commands, runtime keys and metrics.\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Addition:
    """What `guard add` would write; `text` is the whole new file, `is_needed` false: implied already."""

    line: str
    text: bytes
    is_needed: bool
    implied_by: tuple[str, ...]
    evaluation: Evaluation

    def report(self) -> str:
        """What is added, what it matches now and each answer, for people."""
        return "\n".join(_report_lines(self)) + "\n"


def add_line(sources: Sequence[RuleSource], line: str, facts: Sequence[FileFacts], today: date) -> Addition:
    """Validate a short line and append it to the root rule file, keeping every byte before it.

    Raises:
        UsageError: the line is no rule, contradicts one, or cannot be appended to this file.
        UnusableError: the rule files are unusable as they are.
    """
    present = load_rules(sources)
    written, new = _parsed(line, sources)
    for rule in new.rules:
        for other in present.rules:
            _refuse_contradiction(rule, other)
    implied = tuple(
        other.id for rule in new.rules for other in present.rules if not weaker_parts(rule, other)
    )
    is_needed = not all(any(not weaker_parts(rule, other) for other in present.rules) for rule in new.rules)
    root = next((source for source in sources if source.path == ROOT_FILE), None)
    text = _appended(root.text if root else HEADER, written)
    if is_needed:
        _check_result(sources, text, present, new)
    return Addition(
        line=written,
        text=text if is_needed else (root.text if root else b""),
        is_needed=is_needed,
        implied_by=implied,
        evaluation=evaluate(new, facts, today=today),
    )


def _parsed(line: str, sources: Sequence[RuleSource]) -> tuple[str, RuleSet]:
    """The line as it is to be written, quoted where YAML needs it, and its rules."""
    text = line.strip()
    if "\n" in text or ":" not in text:
        raise UsageError(
            "not a rule line", repr(text[:60]), 'write "atc_convert: require --optypelayout=NHWC"'
        )
    name, _, rest = text.partition(":")
    quoted = f'{name}: "{rest.strip()}"'
    own = [source for source in sources if source.path == ROOT_FILE]
    error: UnusableError | None = None
    for candidate in (text, quoted) if '"' not in rest else (text,):
        try:
            rules = _rules_of(candidate, own)
        except UnusableError as problem:
            error = error or problem
            continue
        if not rules.remarks:
            return candidate, rules
    if error is None:
        raise UsageError("the line is cut by ` #`", repr(text[:60]), "quote its text")
    raise UsageError(error.what, repr(text[:60]), error.remedy)


def _rules_of(line: str, own: Sequence[RuleSource]) -> RuleSet:
    """The rules of the line alone, with the targets that the root file declares."""
    declared = load_rules(own)
    if not any(line.startswith(f"{name}:") for name, _ in declared.targets):
        return load_rules([RuleSource(path=ROOT_FILE, text=line.encode())])
    before = {rule.id: rule for rule in declared.rules}
    both = load_rules([RuleSource(path=ROOT_FILE, text=_appended(own[0].text, line))])
    return _only_new(both, before)


def _only_new(both: RuleSet, before: dict[str, Rule]) -> RuleSet:
    return replace(both, rules=tuple(rule for rule in both.rules if before.get(rule.id) != rule), remarks=())


def _appended(text: bytes, line: str) -> bytes:
    end = b"\r\n" if b"\r\n" in text else b"\n"
    gap = b"" if not text or text.endswith(b"\n") else end
    return text + gap + line.encode() + end


def _check_result(sources: Sequence[RuleSource], text: bytes, present: RuleSet, new: RuleSet) -> None:
    others = [source for source in sources if source.path != ROOT_FILE]
    try:
        result = load_rules([RuleSource(path=ROOT_FILE, text=text), *others])
    except UnusableError as error:
        raise UsageError(error.what, error.where, f"add the line by hand; {error.remedy}") from None
    kept = {rule.id for rule in present.rules} | {rule.id for rule in new.rules}
    if {rule.id for rule in result.rules} != kept:
        raise UsageError("the line cannot be appended", ROOT_FILE, "add it by hand")


def _refuse_contradiction(new: Rule, old: Rule) -> None:
    if new.target is None or old.target is None or new.target != old.target or new.when != old.when:
        return
    if not isinstance(new.body, FlagTests) or not isinstance(old.body, FlagTests):
        return
    for first in new.body.tests:
        for second in old.body.tests:
            if first.flag == second.flag and _contradict(new.kind, first, old.kind, second):
                raise UsageError(
                    f"{new.id} contradicts {old.id}", str(old.place), "remove that rule or change the line"
                )


def _contradict(kind: Kind, test: FlagTest, other_kind: Kind, other: FlagTest) -> bool:
    """No value of the flag can satisfy both."""
    kinds = {kind, other_kind}
    if kinds == {Kind.REQUIRE}:
        return intersection((*test.tests, *other.tests)) is None
    if kinds != {Kind.REQUIRE, Kind.FORBID}:
        return False
    required, forbidden = (test, other) if kind is Kind.REQUIRE else (other, test)
    return not forbidden.tests or (
        bool(required.tests) and at_least_as_strict(required.tests, forbidden.tests)
    )


def _report_lines(addition: Addition) -> Iterator[str]:
    if not addition.is_needed:
        yield f"{addition.line}: implied already by {', '.join(addition.implied_by)}; nothing to write"
        return
    yield f"adds to {ROOT_FILE}: {addition.line}"
    for outcome in addition.evaluation.outcomes:
        yield f"  {outcome.rule.id}: {outcome.answer} over {len(outcome.matches)} matched now"
        for match in outcome.matches:
            if match.answer is not Answer.PASS:
                yield from (f"    {finding.span}: {finding.message}" for finding in match.findings)


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """A commit that the rules would have stopped, and why."""

    commit: str
    findings: tuple[Finding, ...]


def replay(
    rules: RuleSet, commits: Iterable[tuple[str, Sequence[FileFacts]]], today: date
) -> tuple[Replayed, ...]:
    """The commits, given with the facts of their trees, that break the rules."""
    stopped = []
    for commit, facts in commits:
        outcomes = evaluate(rules, facts, today=today).outcomes
        found = (finding for outcome in outcomes for finding in outcome.findings)
        failed = tuple(finding for finding in found if finding.answer is Answer.FAIL)
        if failed:
            stopped.append(Replayed(commit=commit, findings=failed))
    return tuple(stopped)
