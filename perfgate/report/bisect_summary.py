"""The result of a bisection as a job summary on GitHub: culprits with links, effect, flags, cost."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from perfgate.bisection.answer import Ending
from perfgate.core.units import percent, readable
from perfgate.report.bisect_text import SHORT, chance_text, cost_text, setting_text
from perfgate.report.code_span import code_span

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from perfgate.bisection.finding import Finding
    from perfgate.bisection.probe import Candidate
    from perfgate.report.bisect_output import BisectFailure, BisectOutput
    from perfgate.report.bisect_text import BisectReport

_MOST_SUSPECTS = 20  # of a range or an undecided set
_SERVER = re.compile(r"https://[A-Za-z0-9.-]+(:[0-9]+)?")
_REPOSITORY = re.compile(r"[A-Za-z0-9._-]+/[A-Za-z0-9._-]+")
_COMMIT = re.compile(r"[0-9a-f]{40,64}")


def bisect_summary(output: BisectOutput, environment: Mapping[str, str]) -> str:
    """Markdown; commits are links where the job says which repository it runs for."""
    base = commits_url(environment)
    parts = [line for report in output.results for line in _report(report, base)]
    parts += [line for failure in output.failures for line in _failure(failure)]
    return "\n".join(parts) + "\n"


def commits_url(environment: Mapping[str, str]) -> str:
    """Address below which commits are shown, "" outside of a GitHub job or when it is none."""
    server = environment.get("GITHUB_SERVER_URL", "")
    repository = environment.get("GITHUB_REPOSITORY", "")
    if not _SERVER.fullmatch(server) or not _REPOSITORY.fullmatch(repository):
        return ""
    return f"{server}/{repository}/commit/"


def _report(report: BisectReport, base: str) -> Iterator[str]:
    answer = report.answer
    benchmark, metric = code_span(report.benchmark), code_span(report.metric.name)
    yield f"### {_mark(report)} perfgate bisect: {benchmark} {metric}"
    yield ""
    yield f"{report.commits} commits, {_link(report.good, base)} to {_link(report.bad, base)}"
    yield ""
    for finding in report.findings:
        yield from _finding(report, finding, base)
    if not report.findings:
        state = "interrupted" if report.interrupted else str(answer.ending)
        yield f"- **{state}**" + (f": {code_span(answer.reason, 300)}" if answer.reason else "")
        if answer.ending is Ending.UNDECIDED:
            yield f"- the culprit is among these with 99 %: {_list(answer.left, base)}"
    yield f"- cost: {cost_text(report)}"
    yield ""


def _mark(report: BisectReport) -> str:
    return "🎯" if report.findings else "❔"


def _finding(report: BisectReport, finding: Finding, base: str) -> Iterator[str]:
    culprit, effect = finding.culprit, finding.effect
    if len(culprit.suspects) == 1:
        chance = chance_text(culprit, report.metric)
        yield f"- **culprit** {_named(culprit.commit, base)}, {chance}"
    else:
        yield f"- **one of {len(culprit.suspects)} commits**, the others cannot be built: " + _list(
            culprit.suspects, base
        )
    yield from (f"- merged by {_named(merge, base)}" for merge in finding.merges)
    unit = report.metric.unit
    change = "" if effect.relative is None else f"**{percent(effect.relative)}** "
    if effect.low is not None and effect.high is not None:
        change += f"({percent(effect.low)} to {percent(effect.high)}) "
    yield f"- effect {change}{readable(effect.before, unit)} → {readable(effect.now, unit)}"
    yield from (f"- setting {code_span(setting_text(step), 300)}" for step in finding.settings)


def _failure(failure: BisectFailure) -> Iterator[str]:
    yield f"### ❌ perfgate bisect: {code_span(failure.benchmark)}"
    yield ""
    yield f"- {code_span(failure.error, 300)} (exit {failure.exit_code})"
    yield ""


def _list(commits: tuple[Candidate, ...], base: str) -> str:
    shown = ", ".join(_link(item.commit, base) for item in commits[:_MOST_SUSPECTS])
    more = len(commits) - _MOST_SUSPECTS
    return f"{shown} and {more} more" if more > 0 else shown


def _named(item: Candidate, base: str) -> str:
    author = f" by {code_span(item.author)}" if item.author else ""
    return f"{_link(item.commit, base)} {code_span(item.subject)}{author}"


def _link(commit: str, base: str) -> str:
    """A link only around a full id: anything else could break out of the address."""
    short = code_span(commit[:SHORT])
    return f"[{short}]({base}{commit})" if base and _COMMIT.fullmatch(commit) else short
