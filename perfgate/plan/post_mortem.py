"""The post-mortem as Markdown: fixed sections, each from stored values; an empty one waits for its owner."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.units import PS_PER_SECOND, percent, readable
from perfgate.plan.choice import gain
from perfgate.report.code_span import MAX_SENTENCE, code_span
from perfgate.report.diagnosis_rows import probability_text
from perfgate.report.validation_table import markdown_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from perfgate.core.diagnosis import Cause, Commit, Diagnosis, Effect, MetricDelta
    from perfgate.plan.incident import Incident

TODO = "TODO(owner)"  # a section that no stored value fills is kept, for its owner to fill
_SHORT = 7
_MOST_EFFECTS = 12
_SECONDS_PER_HOUR = 3600.0


def post_mortem(incident: Incident) -> str:
    """The whole page; equal facts give equal bytes."""
    lines = [f"# Post-mortem: {_heading(incident.name)}", ""]
    for title, write in SECTIONS:
        body = list(write(incident)) or [TODO]
        lines += [f"## {title}", "", *body, ""]
    return "\n".join(lines)


def _heading(name: str) -> str:
    """The name as text of a heading: signs that would begin Markdown are escaped."""
    return "".join(f"\\{sign}" if sign in "\\`*_[]<>#|&!" else sign for sign in name if sign.isprintable())


def _summary(incident: Incident) -> Iterator[str]:
    found = incident.diagnosis
    main = next(iter(found.metrics), None)
    cause = found.found
    if main is None or cause is None:
        return
    yield (
        f"{code_span(found.key)}: {code_span(main.metric.name)} went from {_amount(main, main.before)} to "
        f"{_amount(main, main.after)}{_relative(main)}."
    )
    yield (
        f"The cause, with a confidence of {cause.confidence:.2f}, is {_difference(cause)}"
        f"{'' if cause.commit is None else f', from commit {_commit(cause.commit)}'}."
    )


def _amount(delta: MetricDelta, value: float) -> str:
    text = readable(value, delta.metric.unit)
    return text if delta.metric.unit in {"s", "B", "J", "count", "cycles", "1/s"} else code_span(text)


def _relative(delta: MetricDelta) -> str:
    return "" if delta.relative is None else f" ({percent(delta.relative)}, plus is worse)"


def _difference(cause: Cause) -> str:
    item = cause.difference
    if item is None:
        return code_span(cause.sentence, MAX_SENTENCE)
    before, after = ("absent" if value is None else code_span(value) for value in (item.before, item.after))
    place = f" at {code_span(item.place)}" if item.place else ""
    return f"{code_span(item.name)} {before} -> {after}{place}"


def _commit(commit: Commit) -> str:
    sure = "" if commit.probability is None else f", probability {probability_text(commit.probability)}"
    return f"{code_span(commit.commit[:_SHORT])} {code_span(commit.subject)} ({commit.relation}{sure})"


def _impact(incident: Incident) -> Iterator[str]:
    found = incident.diagnosis
    effects = found.causes[0].effects if found.causes else ()
    yield from (f"- {_effect(effect)}" for effect in effects[:_MOST_EFFECTS])
    if not effects:
        for row in found.metrics:
            values = f"{_amount(row, row.before)} -> {_amount(row, row.after)}{_relative(row)}"
            yield f"- {code_span(found.key)} {code_span(row.metric.name)} {values}"
    if len(effects) > _MOST_EFFECTS:
        yield f"- and {len(effects) - _MOST_EFFECTS} more"
    commit = found.causes[0].commit if found.causes else None
    last = commit.commit[:_SHORT] if commit is not None else found.after
    sides = [code_span(side) if side else TODO for side in (found.before, last)]
    yield f"- from commit to commit: baseline {sides[0]}, bad since {sides[1]}"
    yield f"- hours: {_hours(incident)}"


def _effect(effect: Effect) -> str:
    change = "" if effect.relative is None else f" {percent(effect.relative)}"
    return f"{code_span(f'{effect.benchmark}[{effect.device}]')} {code_span(effect.metric)}{change}"


def _hours(incident: Incident) -> str:
    """From the culprit to the fix, or as far as anybody knows."""
    times = {event.name: event.when for event in incident.events}
    start, end = times.get("culprit"), times.get("fix") or times.get("validation") or times.get("diagnosis")
    if start is None or end is None:
        return TODO
    until = next(name for name in ("fix", "validation", "diagnosis") if times.get(name) == end)
    return f"{(end - start).total_seconds() / _SECONDS_PER_HOUR:.1f} from the culprit to the {until}"


def _timeline(incident: Incident) -> Iterator[str]:
    yield "| time (UTC) | event | |"
    yield "|---|---|---|"
    for event in incident.events:
        when = TODO if event.when is None else f"{event.when:%Y-%m-%d %H:%M}"
        yield f"| {when} | {event.name} | {event.what} |"


def _root_cause(incident: Incident) -> Iterator[str]:
    found = incident.diagnosis
    cause = found.found
    if cause is None:
        if found.causes:
            strongest = found.causes[0]
            text = code_span(strongest.sentence, MAX_SENTENCE)
            yield f"No cause was found; the strongest suspect, {strongest.confidence:.2f}, is {text}. {TODO}"
        return
    right, cases = cause.frequency
    measured = f" (right in {right} of {cases} planted faults with this score)" if cases else ""
    yield f"- confidence: {cause.confidence:.2f}{measured}"
    yield f"- rule: {code_span(cause.rule)}"
    if cause.operator is not None:
        yield f"- operator: {code_span(cause.operator.name)}, number {cause.operator.number}"
    yield f"- cause: {code_span(cause.sentence, MAX_SENTENCE)}"
    if cause.difference is not None:
        yield f"- changed: {_difference(cause)}"
    if cause.commit is not None:
        yield f"- commit: {_commit(cause.commit)}"
    for piece in cause.evidence:
        yield f"- {code_span(piece.label)}: {code_span(piece.text, MAX_SENTENCE)}"
    if cause.proof is not None:
        undone = _size(found, cause.proof.undone)
        share = f"{cause.proof.recovered * 100:.1f} % of the delta recovers"
        yield f"- proof: simulated again without it: {undone}, {share}"
    else:
        yield "- proof: it could not be simulated again"


def _size(found: Diagnosis, amount: int) -> str:
    if found.unit == "ps":
        return readable(amount / PS_PER_SECOND, "s")
    return readable(amount / 1e9, "J") if found.unit == "nJ" else readable(amount, found.unit)


def _barriers(incident: Incident) -> Iterator[str]:
    yield from (f"- {line}" for line in incident.barriers)


def _fix(incident: Incident) -> Iterator[str]:
    found = incident.diagnosis
    if found.fixes:
        yield "The diagnosis offered:"
        yield ""
    for number, fix in enumerate(found.fixes, start=1):
        share = gain(found, fix.after)
        promised = "gain not simulated" if share is None else f"{percent(-share)} simulated"
        yield f"- fix {number}: {code_span(fix.title)}, {promised}, risk: {code_span(fix.risk or TODO)}"
    table = "" if incident.validation is None else markdown_table(incident.validation, found.key)
    yield from ("", table or f"validation: {TODO}")


def _guardrail(incident: Incident) -> Iterator[str]:
    proof = incident.proof
    if proof is None:
        if incident.diagnosis.guardrail:
            yield f"{code_span(incident.diagnosis.guardrail)} is proposed and not added: {TODO}"
        return
    added = "was there already" if proof.implied_by else "added to `guardrails.yaml`"
    yield f"{code_span(proof.line)}, {added}. The run that shows it:"
    yield ""
    yield f"- {code_span(proof.culprit)}: rejected"
    yield from (f"  - {code_span(text, MAX_SENTENCE)}" for text in proof.rejected)
    yield f"- present state: accepted, holds for {proof.accepted}"


def _follow_ups(incident: Incident) -> Iterator[str]:
    yield "| what | owner | date |"
    yield "|---|---|---|"
    if incident.validation is None:
        yield f"| validate the fix | {TODO} | {TODO} |"
    if incident.proof is None:
        yield f"| add a guardrail that rejects the culprit | {TODO} | {TODO} |"
    yield f"| {TODO} | {TODO} | {TODO} |"


def _reproduce(incident: Incident) -> Iterator[str]:
    for line in incident.reproduce:
        yield f"    {line}"
    if incident.versions:
        yield ""
        yield from (f"- {name}: {code_span(value)}" for name, value in incident.versions)


SECTIONS: tuple[tuple[str, Callable[[Incident], Iterator[str]]], ...] = (
    ("Summary", _summary),
    ("Impact", _impact),
    ("Timeline", _timeline),
    ("Root cause", _root_cause),
    ("Why nothing stopped it", _barriers),
    ("Fix and validation", _fix),
    ("Guardrail added", _guardrail),
    ("Follow-ups", _follow_ups),
    ("Reproduce", _reproduce),
)
