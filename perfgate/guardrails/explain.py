"""`guard explain`: a rule with all it matched, or a place with all that was read there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.config.facts import Presence
from perfgate.config.suggest import near_names
from perfgate.core.errors import UsageError
from perfgate.core.finding import Answer
from perfgate.guardrails import wording
from perfgate.guardrails.rule_text import rule_in_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from perfgate.config.facts import Command, EnvSetting, FileFacts, Flag, Span
    from perfgate.guardrails.evaluation import Evaluation, RuleOutcome

MAX_LISTED = 50  # matches that are listed; the rest is counted


def explain_rule(evaluation: Evaluation, identifier: str) -> str:
    """The rule in words, where it comes from, what it matched and each answer.

    Raises:
        UsageError: no such rule; names the nearest one.
    """
    outcomes = [item for item in evaluation.outcomes if identifier in {item.rule.id, item.key}]
    if not outcomes:
        known = [item.rule.id for item in evaluation.outcomes]
        near = near_names(identifier, known) or tuple(known)
        remedy = f"one of {', '.join(near[:5])}" if near else "there are no rules"
        raise UsageError("no such rule", identifier, remedy)
    return "\n".join(line for outcome in outcomes for line in _rule_lines(outcome)) + "\n"


def _rule_lines(outcome: RuleOutcome) -> Iterator[str]:
    rule = outcome.rule
    yield f"{rule.id} ({rule.severity})"
    yield f"  asks:   {rule_in_words(rule)}"
    yield f"  from:   {rule.place}" + (f"  (of the {rule.origin} commit)" if rule.origin == "base" else "")
    if rule.message:
        yield f"  why:    {rule.message}"
    if not outcome.is_evaluated:
        yield "  answer: not evaluated here; it needs a measurement (perfgate check)"
        return
    yield f"  answer: {outcome.answer} over {len(outcome.matches)} matched"
    for match in outcome.matches[:MAX_LISTED]:
        answer = (
            "waived"
            if match.answer is Answer.FAIL and all(f.waived_by for f in match.findings)
            else match.answer
        )
        yield f"    {match.name_place}: {match.program}: {answer}"
        for finding in match.findings:
            yield f"      {finding.span.line}:{finding.span.column}: {finding.message}"
    if len(outcome.matches) > MAX_LISTED:
        yield f"    and {len(outcome.matches) - MAX_LISTED} more"


def explain_place(evaluation: Evaluation, facts: Sequence[FileFacts], path: str, line: int) -> str:
    """What was read at a line, how each value is known, and which rules look at it.

    Raises:
        UsageError: the file was not read, or nothing stands at that line.
    """
    file = next((item for item in facts if item.path == path), None)
    if file is None:
        raise UsageError("nothing was read from this file", path, "name a file that holds a watched command")
    lines = [text for command in file.commands if _touches(command, line) for text in _command(command)]
    lines += [text for setting in file.env if _covers(setting.span, line) for text in _setting(setting)]
    lines += [f"key {key.path} = {key.text} ({key.type})" for key in file.keys if _covers(key.span, line)]
    lines += [f"{note.code}: {note.text}" for note in file.notes if note.span.line == line]
    if not lines:
        raise UsageError(
            "nothing was read at this line", f"{path}:{line}", "name the line of a command or flag"
        )
    concerned = [
        f"rule {outcome.rule.id}: {match.answer}"
        for outcome in evaluation.outcomes
        for match in outcome.matches
        if match.place.path == path and match.place.line <= line <= match.place.end_line
    ]
    return "\n".join([f"{path}:{line}", *(f"  {text}" for text in [*lines, *concerned])]) + "\n"


def _covers(span: Span, line: int) -> bool:
    return span.line <= line <= span.end_line


def _touches(command: Command, line: int) -> bool:
    return _covers(command.span, line) or any(_covers(flag.span, line) for flag in command.flags)


def _command(command: Command) -> Iterator[str]:
    via = f" via {', '.join(command.via)}" if command.via else ""
    more = "; more arguments follow that the file does not show" if command.open else ""
    yield f"call of {command.program} ({command.dialect}){via} at {command.program_span}{more}"
    for flag in command.flags:
        yield f"  {_flag(flag)}"


def _setting(setting: EnvSetting) -> Iterator[str]:
    value = "" if setting.value is None else f" = {wording.value_text(setting.value)}"
    yield f"{setting.operation} of {setting.name}{value} at {setting.span}"
    for flag in setting.flags:
        yield f"  {_flag(flag)}"


def _flag(flag: Flag) -> str:
    known = [str(flag.certainty)]
    if flag.presence is Presence.SOMETIMES:
        known.append("under a condition")
    if flag.value.candidates:
        known.append(f"one of {', '.join(flag.value.candidates)}")
    reason = wording.hiding(flag.value)
    if reason:
        known.append(reason)
    if flag.overridden:
        known.append("overridden by a later one")
    return f"{flag.span.line}:{flag.span.column} {wording.flag_text(flag)} ({'; '.join(known)})"
