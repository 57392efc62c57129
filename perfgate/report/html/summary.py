"""The head of the page: what happened, why, what would help, and the key figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.core.diagnosis import SHOWN_CAUSES
from perfgate.core.units import PS_PER_SECOND, percent
from perfgate.report.cause_lines import cause_lines
from perfgate.report.diagnosis_rows import change, fix_rows, headline, together_text, unexplained_text
from perfgate.report.html.largest import MOST
from perfgate.report.html.shown import shown
from perfgate.report.html.time_axis import readable_ps

if TYPE_CHECKING:
    from perfgate.core.diagnosis import Cause, Diagnosis
    from perfgate.core.execution_profile import Profile
    from perfgate.report.diagnosis_rows import FixRow
    from perfgate.report.html.material import Material

_LONG = 400  # signs of a sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of text; `operator` is the page's index of the one it speaks of, -1 for none."""

    text: str
    operator: int = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The head: `figures` are name and value."""

    title: str
    change: str
    causes: tuple[Line, ...]
    fixes: tuple[str, ...]
    figures: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]


def page_head(material: Material) -> Head:
    """Everything that stands above the tabs."""
    found = material.diagnosis
    notes = (*_summed(material), *material.notes, *material.after.notes, *(found.notes if found else ()))
    return Head(
        title=f"{shown(material.benchmark)} on {shown(material.device)}",
        change=shown(_change(material)),
        causes=() if found is None else _causes(found, material),
        fixes=() if found is None else _fixes(found),
        figures=(*_sums(material), *key_figures(material.after)),
        notes=tuple(dict.fromkeys(shown(note, _LONG) for note in notes)),
    )


def _summed(material: Material) -> tuple[str, ...]:
    """That not every operator stands on the page by itself."""
    after = len(material.after.operators)
    if after <= MOST:
        return ()
    words = f"the {MOST} that changed most are told apart, the others are summed by scope"
    return (f"{after} operators: {words}; `perfgate trace` writes them all",)


def _change(material: Material) -> str:
    """The verdict and the change of the first metric, as every report prints it."""
    verdict = material.verdict.upper()
    if material.diagnosis is not None and material.diagnosis.metrics:
        first = next(
            (row for row in material.diagnosis.metrics if row.metric.name == "latency"),
            material.diagnosis.metrics[0],
        )
        return f"{verdict} {first.metric.name} {change(first)}".strip()
    if material.before is None:
        return verdict
    before, after = material.before.application.total_ps, material.after.application.total_ps
    return f"{verdict} {percent(after / before - 1) if before else ''}".strip()


def _causes(found: Diagnosis, material: Material) -> tuple[Line, ...]:
    """The cause as every report prints it, then what else is suspected, each with its confidence."""
    numbers = material.operator_indices(after=True)

    def place(cause: Cause) -> int:
        return -1 if cause.operator is None else numbers.get(cause.operator.number, -1)

    told = [text for text in cause_lines(found) if not text.startswith("fix:")] or [headline(found)]
    first = place(found.causes[0]) if found.causes else -1
    lines = [Line(text=shown(text, _LONG), operator=first) for text in told]
    lines += [
        Line(text=shown(f"suspect {cause.confidence:.2f}: {cause.sentence}", _LONG), operator=place(cause))
        for cause in found.causes[1:SHOWN_CAUSES]
    ]
    more = len(found.causes) - SHOWN_CAUSES
    unexplained = unexplained_text(found)
    lines += [Line(text=f"and {more} more")] if more > 0 else []
    lines += [Line(text=unexplained)] if unexplained else []
    return tuple(lines)


def _fixes(found: Diagnosis) -> tuple[str, ...]:
    rows = [shown(_fix(row), _LONG) for row in fix_rows(found)]
    together = together_text(found)
    return (*rows, together) if together else tuple(rows)


def _fix(row: FixRow) -> str:
    parts = [row.severity, row.title, row.gain, row.relative, f"risk: {row.risk}" if row.risk else ""]
    return "   ".join(part for part in (*parts, *row.edits) if part)


def _sums(material: Material) -> tuple[tuple[str, str], ...]:
    after = readable_ps(material.after.application.total_ps)
    if material.before is None:
        return (("profile", after),)
    return (("profile", f"{readable_ps(material.before.application.total_ps)} -> {after}"),)


def key_figures(profile: Profile) -> tuple[tuple[str, str], ...]:
    """Engine utilisation, parallel efficiency, time in host copies and share of transfers, of one execution.

    Parallel efficiency is the arithmetic done over what the machine's matrix units could have done meanwhile.
    """
    total = profile.application.total_ps
    figures = [("engine", f"{100 * profile.hardware.busy_share.get('matrix', 0.0):.0f} %")]
    if profile.machine is not None and total:
        work = sum(row.flops for row in profile.operators) / 2
        peak = profile.machine.peak_macs_per_second("float16") * total / PS_PER_SECOND
        figures.append(("parallel efficiency", f"{work / peak:.2f}" if peak else "0.00"))
    if total:
        copies = sum(row.copies_ps for row in profile.operators)
        figures.append(("host copies", f"{100 * copies / total:.0f} %"))
        figures.append(("transfers", f"{100 * profile.parts.transfer_ps / total:.0f} %"))
    return tuple(figures)
