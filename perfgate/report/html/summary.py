"""The head of the page: what happened, why, what would help, and the key figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.core.diagnosis import SHOWN_CAUSES
from perfgate.core.units import PS_PER_SECOND, percent
from perfgate.report.html.shown import shown
from perfgate.report.html.time_axis import readable_ps

if TYPE_CHECKING:
    from perfgate.core.diagnosis import Attribution, Cause, Diagnosis, Fix, MetricDelta
    from perfgate.core.execution_profile import Profile
    from perfgate.report.html.material import Material


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
    return Head(
        title=f"{shown(material.benchmark)} on {shown(material.device)}",
        change=_change(material),
        causes=() if found is None else _causes(found, material),
        fixes=() if found is None else tuple(_fix(fix, found.attribution) for fix in found.fixes),
        figures=(*_sums(material), *key_figures(material.after)),
        notes=tuple(shown(note, 400) for note in (*material.after.notes, *(found.notes if found else ()))),
    )


def _change(material: Material) -> str:
    if material.diagnosis is not None and material.diagnosis.metrics:
        return _metric_change(material.diagnosis.metrics[0], material.verdict)
    if material.before is None:
        return material.verdict.upper()
    before, after = material.before.application.total_ps, material.after.application.total_ps
    return f"{material.verdict.upper()} {percent(after / before - 1) if before else ''}".strip()


def _metric_change(row: MetricDelta, verdict: str) -> str:
    if row.relative is None:
        return f"{verdict.upper()} {row.metric.name}".strip()
    interval = ""
    if row.low is not None and row.high is not None:
        interval = f" ({100 * row.low:+.0f}..{100 * row.high:+.0f} %)"
    return f"{verdict.upper()} {row.metric.name} {percent(row.relative)}{interval}".strip()


def _causes(found: Diagnosis, material: Material) -> tuple[Line, ...]:
    """The first cause first, then those that stay suspects, each with its confidence."""
    numbers = material.operator_indices(after=True)
    lines = [
        Line(
            text=_cause(cause),
            operator=-1 if cause.operator is None else numbers.get(cause.operator.number, -1),
        )
        for cause in found.causes[:SHOWN_CAUSES]
    ]
    if found.causes and found.found is None:
        lines[0] = Line(
            text=f"no cause found; the strongest suspect is {lines[0].text}", operator=lines[0].operator
        )
    more = len(found.causes) - SHOWN_CAUSES
    return (*lines, *((Line(text=f"and {more} more"),) if more > 0 else ()))


def _cause(cause: Cause) -> str:
    where = f" at #{cause.operator.number} {shown(cause.operator.name)}" if cause.operator else ""
    place = cause.difference.place if cause.difference is not None else ""
    named = f"{shown(place)} " if place else ""
    return f"cause {cause.confidence:.2f}: {named}{shown(cause.sentence, 300)}{where}"


def _fix(fix: Fix, attribution: Attribution | None) -> str:
    gain = ""
    if fix.after is not None and attribution is not None and attribution.after and attribution.unit == "ps":
        saved = fix.after - attribution.after
        gain = f"  {readable_ps(saved)}  {percent(saved / attribution.after)}"
    estimated = " (estimated)" if fix.is_estimated else ""
    return f"{fix.severity}: {shown(fix.title, 200)}{gain}{estimated}; risk: {shown(fix.risk, 200)}"


def _sums(material: Material) -> tuple[tuple[str, str], ...]:
    after = readable_ps(material.after.application.total_ps)
    if material.before is None:
        return (("profile", after),)
    return (("profile", f"{readable_ps(material.before.application.total_ps)} -> {after}"),)


def key_figures(profile: Profile) -> tuple[tuple[str, str], ...]:
    """Engine utilisation, parallel efficiency, time in host copies and time in transfers, of one execution.

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
