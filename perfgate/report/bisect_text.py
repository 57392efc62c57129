"""The result of a bisection for a terminal: culprit, effect, evidence, configuration, profile, next, cost."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import msgspec
from tabulate import tabulate

from perfgate.bisection.answer import Answer, Cost, Culprit, Ending, Evidence
from perfgate.bisection.finding import Effect, Finding, SettingStep  # noqa: TC001 - msgspec reads annotations
from perfgate.bisection.probe import Candidate  # noqa: TC001 - the same
from perfgate.core.metric import Kind, Metric
from perfgate.core.units import PS_PER_SECOND, percent, readable
from perfgate.report.age import age
from perfgate.report.inert import inert

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterator

SHORT = 7  # digits of a commit that people read
_LABEL = 10  # width of the first column
_SHOWN_LEFT = 12  # commits of an undecided set that are listed
_SHOWN_OPERATORS = 3
_SHOWN_SUBJECT = 60
_SURE = 0.9995  # from here on one decimal of percent would print 100


class BisectReport(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a report of one benchmark shows, and its JSON form.

    `definition` and `placed`: digest and paths of the files that were placed over every commit.
    """

    benchmark: str
    metric: Metric
    good: str
    bad: str
    commits: int
    answer: Answer
    findings: tuple[Finding, ...]
    cost: Cost
    notes: tuple[str, ...]
    journal: str
    replayed: int
    seconds: float
    definition: str
    placed: tuple[str, ...]
    exit_code: int
    interrupted: bool = False


def bisect_lines(report: BisectReport, now: dt.datetime, command: str) -> list[str]:
    """The report in lines; `command` is how to take up an interrupted run."""
    lines = [*_headline(report, now)]
    for finding in report.findings:
        lines += _finding_lines(report, finding, now)
    lines += _evidence(report)
    lines += [f"{'note':<{_LABEL}}{inert(note)}" for note in (*report.notes, *report.answer.notes)]
    lines += _row("files", f"{len(report.placed)} placed over every commit, {report.definition[:12]}")
    lines += _row("cost", cost_text(report))
    if report.interrupted:
        lines += _row("resume", command)
    return lines


def _headline(report: BisectReport, now: dt.datetime) -> Iterator[str]:
    answer = report.answer
    yield f"{inert(report.benchmark)} {report.metric.name}, {report.commits} commits"
    if report.interrupted:
        yield from _row("state", f"interrupted with {len(answer.left)} commits left (99 %)")
        yield from _left(answer.left)
        return
    if answer.ending in {Ending.CULPRIT, Ending.RANGE}:
        return
    reason = f": {inert(answer.reason)}" if answer.reason else ""
    yield from _row("result", f"{answer.ending}{reason}")
    if answer.ending is Ending.UNDECIDED:
        yield from _left(answer.left)
    else:
        yield from _row("", "a change that was undone within the range leaves equal ends: try --grid 8")
    del now


def _left(left: tuple[Candidate, ...]) -> Iterator[str]:
    for item in left[:_SHOWN_LEFT]:
        yield from _row("", f"{item.commit[:SHORT]}  {_quoted(item.subject)}")
    if len(left) > _SHOWN_LEFT:
        yield from _row("", f"and {len(left) - _SHOWN_LEFT} more")


def _finding_lines(report: BisectReport, finding: Finding, now: dt.datetime) -> list[str]:
    culprit = finding.culprit
    lines: list[str] = []
    if len(culprit.suspects) == 1:
        lines += _row("culprit", f"{_named(culprit.commit, now)}   {chance_text(culprit, report.metric)}")
    else:
        lines += _row("culprit", f"one of {len(culprit.suspects)} commits, the others cannot be built")
        for item in culprit.suspects:
            lines += _row("", _named(item, now))
    for merge in finding.merges:
        lines += _row("merged by", _named(merge, now))
    lines += _row("effect", _effect(report, finding.effect))
    lines += _settings(finding)
    lines += _profile(finding)
    lines += [line for note in finding.notes for line in _row("note", inert(note))]
    return lines + _next(finding)


def _named(item: Candidate, now: dt.datetime) -> str:
    when = age(item.date, now)
    return (
        f"{item.commit[:SHORT]}  {_quoted(item.subject)}  {inert(item.author)}{', ' + when if when else ''}"
    )


def _quoted(subject: str) -> str:
    text = inert(subject)
    return f'"{text[: _SHOWN_SUBJECT - 3]}..."' if len(text) > _SHOWN_SUBJECT else f'"{text}"'


def chance_text(culprit: Culprit, metric: Metric) -> str:
    """How sure it is."""
    if metric.kind is Kind.EXACT:
        return "exact, confirmed"
    shown = "> 99.9 %" if culprit.chance > _SURE else f"{culprit.chance:.1%}".replace("%", " %")
    return f"posterior {shown}, confirmed"


def _effect(report: BisectReport, effect: Effect) -> str:
    unit = report.metric.unit
    values = f"{readable(effect.before, unit)} -> {readable(effect.now, unit)}"
    share = f"this commit explains {effect.share:.0%} of the whole range".replace("%", " %")
    if effect.relative is None:
        return f"{values}   {share}"
    interval = ""
    if effect.low is not None and effect.high is not None:
        interval = f" [{percent(effect.low)}, {percent(effect.high)}]"
    return f"{percent(effect.relative)}{interval}   {values}   {share}"


def _settings(finding: Finding) -> list[str]:
    if finding.explanation is None:
        return []
    if not finding.settings:
        return list(_row("config", "the same compile flags and runtime keys at parent and culprit"))
    return [line for step in finding.settings for line in _row("config", setting_text(step))]


def setting_text(step: SettingStep) -> str:
    """`scripts/compile.sh:14   --optypelayout=NHWC -> NCHW`; both places when they differ."""
    place, old = _place(step.place_now), _place(step.place_before)
    shown = place or old
    if place and old and place != old:
        shown = f"{old} -> {place}"
    if step.before is None:
        return inert(f"{shown}   {step.name}={step.now} added")
    if step.now is None:
        return inert(f"{shown}   {step.name}={step.before} removed")
    return inert(f"{shown}   {step.name}={step.before} -> {step.now}")


def _place(place: str) -> str:
    """`file:line` of `file:line:column`."""
    return place.rpartition(":")[0]


def _profile(finding: Finding) -> list[str]:
    found = finding.explanation
    if found is None:
        return []
    parts = []
    if found.copied_before != found.copied_now:
        parts.append(
            f"implicit copies {readable(found.copied_before, 'B')} -> {readable(found.copied_now, 'B')}"
        )
    moved = [item for item in found.operators if item.delta_ps][:_SHOWN_OPERATORS]
    parts += [
        f"operator {item.now.name} {readable(item.before_ps / PS_PER_SECOND, 's')} -> "
        f"{readable(item.now.total_ps / PS_PER_SECOND, 's')}"
        for item in moved
    ]
    if found.model_changed:
        parts.append("the model itself changed")
    return list(_row("profile", inert("; ".join(parts)))) if parts else []


def _next(finding: Finding) -> list[str]:
    commit = finding.culprit.commit.commit[:SHORT]
    option = "-m 1 " if finding.culprit.commit.is_merge else ""
    return list(_row("next", f"git show {commit}    git revert {option}{commit}"))


def _evidence(report: BisectReport) -> list[str]:
    """Probed commits in the order of history."""
    if not report.answer.evidence:
        return []
    unit = report.metric.unit
    rows = [_evidence_row(item, unit) for item in report.answer.evidence]
    head = ("commit", "position", "launches", "samples", "mean", "interval", "P(bad)", "outcome")
    alignment = ("left", "right", "right", "right", "right", "left", "right", "left")
    return ["", tabulate(rows, head, tablefmt="simple", disable_numparse=True, colalign=alignment), ""]


def _evidence_row(item: Evidence, unit: str) -> list[str]:
    mean = "" if item.mean is None else readable(item.mean, unit)
    interval = ""
    if item.low is not None and item.high is not None and item.low < item.high:
        interval = f"{readable(item.low, unit)}..{readable(item.high, unit)}"
    chance = "" if item.bad_chance is None else f"{item.bad_chance:.3f}"
    outcome = f"{item.outcome}: {inert(item.detail)[:_SHOWN_SUBJECT]}" if item.detail else str(item.outcome)
    return [
        item.commit.commit[:SHORT],
        str(item.position),
        str(item.launches),
        str(item.samples),
        mean,
        interval,
        chance,
        outcome,
    ]


def cost_text(report: BisectReport) -> str:
    """What was spent; clean rebuilds confirm an exact value and are no part of the search."""
    cost = report.cost
    failed = f" ({cost.failed} failed)" if cost.failed else ""
    clean = f" and {cost.clean} clean rebuilds" if cost.clean else ""
    replayed = f", {report.replayed} probes out of the journal" if report.replayed else ""
    return (
        f"{cost.builds} builds{failed}{clean}, {cost.launches} launches, {cost.samples} samples, "
        f"{report.seconds:.0f} s{replayed}; journal in the cache, id {report.journal}"
    )


def resume_command(arguments: list[str]) -> str:
    """The command line that takes up the run that these arguments began."""
    return shlex.join(["perfgate", *(item for item in arguments if item != "--resume"), "--resume"])


def _row(label: str, text: str) -> Iterator[str]:
    yield f"{label:<{_LABEL}}{text}"
