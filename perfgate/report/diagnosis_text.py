"""The diagnosis as text for terminals: fixed order, labels and signs; a line without data is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.diagnosis import LEAST_FOUND, SHOWN_CAUSES
from perfgate.report.age import age
from perfgate.report.amount_column import amount_column
from perfgate.report.diagnosis_rows import (
    WHERE,
    DeltaRow,
    delta_rows,
    fix_rows,
    flag_text,
    headline,
    hidden_texts,
    hit_texts,
    metric_rows,
    place_of,
    probability_text,
    proof_text,
    together_text,
    unexplained_text,
    without_effect_text,
)
from perfgate.report.inert import inert

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterable, Iterator

    from perfgate.core.diagnosis import Attribution, Cause, Commit, Diagnosis

_LABEL = 10  # columns of the words before the values
_SHORT = 7
_TITLE = 61


def diagnosis_lines(found: Diagnosis, now: dt.datetime, told: str | None = None) -> Iterator[str]:
    """All lines of one diagnosis, without trailing blanks; `now` ages the culprit.

    `told`: the benchmark whose diagnosis above has the same first cause, so that it is not told again.
    """
    yield _title(found)
    yield from _numbers(found)
    if told is not None and found.causes:
        yield f"  cause     as of {inert(told)}, {headline(found)}; -v shows it"
        proof = proof_text(found.causes[0], found)
        if proof:
            yield f"  proof     {proof}"
        return
    if found.attribution is not None:
        yield ""
        yield from _where(found.attribution)
    yield ""
    yield from _causes(found, now)
    yield from _fixes(found)
    for note in (*(f"seen before: {name}" for name in found.seen_before), *_notes(found)):
        yield f"  {inert(note)}"


def _title(found: Diagnosis) -> str:
    pieces = []
    if found.before:
        pieces.append(f"baseline {found.before}")
    if found.after:
        pieces.append(f"now {found.after}")
    sides = " -> ".join(pieces)
    title = f"DIAGNOSIS  {inert(found.benchmark)} on {inert(found.device)}"
    return f"{title:<{_TITLE}} {sides}".rstrip()


def _numbers(found: Diagnosis) -> Iterator[str]:
    rows = metric_rows(found)
    wide = max((len(f"{before} -> {after}") for _, before, after, _ in rows), default=0)
    name_wide = max([_LABEL - 1, *(len(name) for name, *_ in rows)])
    for name, before, after, text in rows:
        yield f"  {name:<{name_wide}} {f'{before} -> {after}':<{wide}}   {text}".rstrip()
    if found.scope is not None:
        scope = found.scope
        column = amount_column("ps", max(scope.before, scope.after))
        times = f"{column.text(scope.before)} -> {column.text(scope.after)}"
        shares = f"{100 * scope.share_before:.0f} % -> {100 * scope.share_after:.0f} %"
        yield f"  {'scope':<{name_wide}} {inert(scope.scope)}  {times};  {shares} of the latency"


def _where(found: Attribution) -> Iterator[str]:
    path = "critical path, " if found.unit == "ps" else ""
    steps = "step" if found.steps == 1 else "steps"
    yield f"{WHERE[found.unit]}  ({path}{found.steps} {steps}; the parts add up)"
    rows = delta_rows(found)
    label = max(len(row.label) + 2 * row.is_part for row in rows)
    pair = max(len(_pair(row)) for row in rows)
    delta = max(len(row.delta) for row in rows)
    for row in rows:
        text = f"{'  ' * row.is_part}{row.label}"
        line = f"  {text:<{label}}   {_pair(row):>{pair}}   {row.delta:>{delta}}   {row.share:>7}"
        yield line.rstrip()
    for text in hidden_texts(found):
        yield f"  hidden by parallel work: {text}"


def _pair(row: DeltaRow) -> str:
    return f"{row.before} -> {row.after}" if row.before or row.after else ""


def _causes(found: Diagnosis, now: dt.datetime) -> Iterator[str]:
    unexplained = unexplained_text(found)
    yield f"ROOT CAUSE  {headline(found)}" + (f"; {unexplained}" if unexplained else "")
    if found.causes and found.causes[0].confidence >= LEAST_FOUND:
        yield from _first(found.causes[0], found, now)
    elif found.causes:
        yield f"  -> {inert(found.causes[0].sentence)}"
        yield from _labelled(_origin(found.causes[0], now))
    for cause in found.causes[1:SHOWN_CAUSES]:
        place = "" if cause.difference is None else place_of(cause.difference)
        where = f" ({inert(place)})" if place else ""
        yield f"  also {cause.confidence:.2f}  {cause.rule}: {inert(cause.sentence)}{where}"
    if len(found.causes) > SHOWN_CAUSES:
        yield f"  and {len(found.causes) - SHOWN_CAUSES} more in the JSON report"
    for difference in found.without_effect:
        yield f"  {without_effect_text(found)}: {flag_text(difference)}"
    if found.interaction:
        yield f"  {inert(found.interaction)}"


def _first(cause: Cause, found: Diagnosis, now: dt.datetime) -> Iterator[str]:
    operator = cause.operator
    number = "" if operator is None or operator.number < 0 else f" (operator #{operator.number})"
    yield f"  -> {cause.rule}" if operator is None else f"  -> {inert(operator.name)}{number}"
    facts = [("time", _operator_time(cause, found))]
    facts += [(piece.label, inert(piece.text)) for piece in cause.evidence if piece.step > 1]
    facts += [("cause", inert(cause.sentence)), *_origin(cause, now), ("proof", proof_text(cause, found))]
    facts += [("also hits", text) for text in hit_texts(cause, found)]
    yield from _labelled(facts)


def _origin(cause: Cause, now: dt.datetime) -> Iterator[tuple[str, str]]:
    """Setting and commit."""
    if cause.difference is not None:
        yield str(cause.difference.kind), flag_text(cause.difference)
    if cause.commit is not None:
        yield "commit", commit_text(cause.commit, now)


def _labelled(facts: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Lines of those facts that are known."""
    yield from (f"     {label:<{_LABEL}} {text}" for label, text in facts if text)


def _operator_time(cause: Cause, found: Diagnosis) -> str:
    """`0.03 s -> 1.84 s;  20.2 % of all, first of all operators`, if its row is in the attribution."""
    attribution = found.attribution
    if cause.operator is None or attribution is None or not attribution.after:
        return ""
    rows = [row for row in attribution.rows if row.operator is not None]
    row = next((row for row in rows if row.operator == cause.operator), None)
    if row is None:
        return ""
    column = amount_column(attribution.unit, row.after)
    share = row.after / attribution.after * 100
    rank = ", first of all operators" if row == rows[0] else ""
    return f"{column.text(row.before)} -> {column.text(row.after)};  {share:.1f} % of all{rank}"


def commit_text(commit: Commit, now: dt.datetime) -> str:
    """`a3f8d2c "tidy convert flags", 3 days ago   (bisection, probability 0.998)`."""
    inside = commit.relation
    if commit.probability is not None:
        inside += f", probability {probability_text(commit.probability)}"
    when = age(commit.date, now)
    aged = f", {when}" if when else ""
    return inert(f'{commit.commit[:_SHORT]} "{commit.subject}"{aged}   ({inside})')


def _fixes(found: Diagnosis) -> Iterator[str]:
    rows = fix_rows(found)
    if rows:
        yield ""
        yield f"FIXES  ({together_text(found)})"
        title = max(len(row.title) for row in rows)
        gain = max(len(row.gain) for row in rows)
        share = max(len(row.relative) for row in rows)
        for row in rows:
            risk = f"   risk: {row.risk}" if row.risk else ""
            numbers = f"{row.gain:>{gain}}  {row.relative:>{share}}"
            yield f"  {row.number}  {row.severity:<6}  {row.title:<{title}}   {numbers}{risk}".rstrip()
            for edit in row.edits:
                yield f"             {edit}"
    if found.found is not None and any(fix.after is not None for fix in found.fixes):
        yield "  plan:      perfgate optimize --diagnosis d.json -o optimization_plan/"
    if found.guardrail:
        yield f"  guardrail: {inert(found.guardrail)}"


def _notes(found: Diagnosis) -> Iterator[str]:
    for note in found.notes:
        yield f"note: {note}"
