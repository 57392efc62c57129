"""The diagnosis as Markdown: the sections of the text as headings and tables; foreign text in code spans."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabulate import tabulate

from perfgate.core.diagnosis import LEAST_FOUND, SHOWN_CAUSES
from perfgate.report.code_span import MAX_SENTENCE, code_span
from perfgate.report.diagnosis_rows import (
    WHERE,
    delta_rows,
    fix_rows,
    flag_text,
    headline,
    hidden_texts,
    hit_texts,
    metric_rows,
    operator_text,
    proof_text,
    together_text,
    unexplained_text,
    without_effect_text,
)
from perfgate.report.diagnosis_text import commit_text

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterator, Sequence

    from perfgate.core.diagnosis import Cause, Diagnosis


def diagnosis_markdown(found: Diagnosis, now: dt.datetime) -> str:
    """One diagnosis, with a final newline."""
    return "\n".join(_lines(found, now)) + "\n"


def _lines(found: Diagnosis, now: dt.datetime) -> Iterator[str]:
    sides = " to ".join(code_span(side) for side in (found.before, found.after) if side)
    yield f"## Diagnosis: {code_span(found.benchmark)} on {code_span(found.device)}"
    yield ""
    if sides:
        yield f"From {sides}."
        yield ""
    rows = metric_rows(found)
    if rows:
        cells = [[*map(code_span, values), text] for *values, text in rows]
        yield _table(["metric", "before", "now", "change"], cells)
        yield ""
    if found.attribution is not None:
        yield f"### {WHERE[found.attribution.unit].capitalize()}"
        yield ""
        cells = [
            [code_span(f"{'- ' * row.is_part}{row.label}"), row.before, row.after, row.delta, row.share]
            for row in delta_rows(found.attribution)
        ]
        yield _table(["part", "before", "now", "change", "share"], cells)
        yield ""
        for text in hidden_texts(found.attribution):
            yield f"- hidden by parallel work: {code_span(text, MAX_SENTENCE)}"
        if found.attribution.hidden:
            yield ""
    yield from _causes(found, now)
    yield from _fixes(found)
    for name in found.seen_before:
        yield f"- seen before: {code_span(name)}"
    for note in found.notes:
        yield f"- note: {code_span(note, MAX_SENTENCE)}"


def _causes(found: Diagnosis, now: dt.datetime) -> Iterator[str]:
    yield "### Root cause"
    yield ""
    yield code_span("; ".join(filter(None, (headline(found), unexplained_text(found)))), MAX_SENTENCE)
    yield ""
    for number, cause in enumerate(found.causes[:SHOWN_CAUSES], 1):
        word = "" if cause.confidence >= LEAST_FOUND else " (suspect)"
        yield f"{number}. **{cause.confidence:.2f}**{word} {code_span(cause.sentence, MAX_SENTENCE)}"
        yield from (
            f"   - {label}: {code_span(text, MAX_SENTENCE)}" for label, text in _facts(cause, found, now)
        )
    if len(found.causes) > SHOWN_CAUSES:
        yield f"- and {len(found.causes) - SHOWN_CAUSES} more in the JSON report"
    for difference in found.without_effect:
        yield f"- {without_effect_text(found)}: {code_span(flag_text(difference), MAX_SENTENCE)}"
    if found.interaction:
        yield f"- {code_span(found.interaction, MAX_SENTENCE)}"
    yield ""


def _facts(cause: Cause, found: Diagnosis, now: dt.datetime) -> Iterator[tuple[str, str]]:
    """What stands below a cause: label and text."""
    if cause.operator is not None:
        yield "operator", operator_text(cause.operator)
    if cause.difference is not None:
        yield str(cause.difference.kind), flag_text(cause.difference)
    if cause.commit is not None:
        yield "commit", commit_text(cause.commit, now)
    proof = proof_text(cause, found)
    if proof:
        yield "proof", proof
    yield from ((piece.label, piece.text) for piece in cause.evidence)
    yield from (("also hits", text) for text in hit_texts(cause, found))


def _fixes(found: Diagnosis) -> Iterator[str]:
    rows = fix_rows(found)
    if rows:
        yield "### Fixes"
        yield ""
        yield f"{together_text(found)}."
        yield ""
        cells = [
            [
                str(row.number),
                row.severity,
                code_span(row.title),
                row.gain,
                row.relative,
                row.risk,
                " ".join(code_span(edit, MAX_SENTENCE) for edit in row.edits),
            ]
            for row in rows
        ]
        yield _table(["", "severity", "fix", "gain", "", "risk", "edit"], cells)
        yield ""
    if found.guardrail:
        yield f"Guardrail: {code_span(found.guardrail)}"
        yield ""


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return tabulate(rows, headers=head, tablefmt="github", disable_numparse=True)
