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
    metric_rows,
    proof_text,
    together_text,
)
from perfgate.report.diagnosis_text import commit_text

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterator, Sequence

    from perfgate.core.diagnosis import Diagnosis


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
        yield _table(["metric", "before", "now", "change"], [[code_span(row[0]), *row[1:]] for row in rows])
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
    yield from _causes(found, now)
    yield from _fixes(found)
    for note in found.notes:
        yield f"- note: {code_span(note, MAX_SENTENCE)}"


def _causes(found: Diagnosis, now: dt.datetime) -> Iterator[str]:
    yield "### Root cause"
    yield ""
    yield f"{code_span(headline(found), MAX_SENTENCE)}"
    yield ""
    for number, cause in enumerate(found.causes[:SHOWN_CAUSES], 1):
        word = "" if cause.confidence >= LEAST_FOUND else " (suspect)"
        yield f"{number}. **{cause.confidence:.2f}**{word} {code_span(cause.sentence, MAX_SENTENCE)}"
        if cause.operator is not None:
            yield f"   - operator: {code_span(f'#{cause.operator.number} {cause.operator.name}')}"
        if cause.difference is not None:
            yield f"   - {cause.difference.kind}: {code_span(flag_text(cause.difference), MAX_SENTENCE)}"
        if cause.commit is not None:
            yield f"   - commit: {code_span(commit_text(cause.commit, now), MAX_SENTENCE)}"
        proof = proof_text(cause, found)
        if proof:
            yield f"   - proof: {code_span(proof, MAX_SENTENCE)}"
        for piece in cause.evidence:
            yield f"   - {piece.label}: {code_span(piece.text, MAX_SENTENCE)}"
    for difference in found.without_effect:
        yield f"- also changed, no effect found: {code_span(flag_text(difference), MAX_SENTENCE)}"
    yield ""


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
