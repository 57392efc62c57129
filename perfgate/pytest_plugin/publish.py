"""Verdicts as ordinary pytest reports: outcome, text and properties of each held item."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from perfgate.core.codec import plain
from perfgate.core.verdict import Verdict
from perfgate.pytest_plugin import hold
from perfgate.report.failure_text import failure_text, headline, warning_line
from perfgate.report.inert import inert
from perfgate.workflow.check import worst_first

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from perfgate.core.verdict import BenchmarkVerdict
    from perfgate.pytest_plugin.hold import HeldItem
    from perfgate.workflow.check import Outcome

NOT_JUDGED = "not judged, the run stopped before the last measurement"


@dataclass(frozen=True, slots=True)
class _Crash:
    """The place and first line that pytest's summaries and JUnit read from a failure."""

    path: str
    lineno: int
    message: str


@dataclass(frozen=True, slots=True)
class VerdictText:
    """A failure without a traceback: what pytest prints, and what it puts into summaries."""

    reprcrash: _Crash
    text: str

    def __str__(self) -> str:
        return self.text

    def toterminal(self, tw: Any) -> None:  # noqa: ANN401 - pytest's terminal writer
        """Print the text as it is."""
        for line in self.text.splitlines():
            tw.line(line)


def publish_decision(
    config: pytest.Config, held: Iterable[HeldItem], outcome: Outcome, *, spoken: Collection[str]
) -> None:
    """One ordinary report per held item, then one for each verdict that has no item of its own.

    `spoken` are the keys of benchmarks whose own report has failed already.
    """
    verdicts = {item.key: item for item in outcome.verdicts}
    for item in held:
        found = [verdicts.pop(key, None) for key in item.keys]
        mine = [verdict for verdict in found if verdict is not None]
        if len(mine) < len(item.keys):
            raise RuntimeError(f"{item.nodeid} was measured and has no verdict")  # never silently green
        _publish(config, hold.restore(config, item), mine, outcome)
    for verdict in verdicts.values():
        if verdict.key not in spoken and (verdict.is_failure or verdict.is_warning):
            _publish(config, _reports_without_item(verdict), [verdict], outcome)


def publish_unjudged(config: pytest.Config, held: Iterable[HeldItem]) -> None:
    """Items of a run that was cut short: skipped, with the reason; never passed."""
    for item in held:
        reports = hold.restore(config, item)
        for report in reports:
            if report.when == "call":
                path, line, _ = report.location
                report.outcome = "skipped"
                report.longrepr = (path, (line or 0) + 1, f"Skipped: {NOT_JUDGED}")
        log_reports(config, reports)


def _publish(
    config: pytest.Config,
    reports: list[pytest.TestReport],
    verdicts: Sequence[BenchmarkVerdict],
    outcome: Outcome,
) -> None:
    """One item with the verdicts of all that it measured; the worst one gives the properties."""
    ordered = sorted(verdicts, key=worst_first)
    failures = [verdict for verdict in ordered if verdict.is_failure]
    properties = _properties(ordered[0])
    for report in reports:
        report.user_properties.extend(
            properties
        )  # JUnit reads those of the teardown, others those of the call
        if report.when != "call":
            continue
        if failures:
            text = "\n".join(failure_text(item, outcome.explanations.get(item.key)) for item in failures)
            path, line, _ = report.location
            report.outcome = "failed"
            crash = _Crash(path=path, lineno=(line or 0) + 1, message=headline(failures[0]))
            report.longrepr = VerdictText(crash, text)  # type: ignore[assignment]  # has toterminal
        for verdict in ordered:
            if verdict.is_warning:
                _warn(config, report.nodeid, warning_line(verdict))
    log_reports(config, reports)


def log_reports(config: pytest.Config, reports: list[pytest.TestReport]) -> None:
    """Hand the reports of one item to everybody who listens: terminal, JUnit, the cache, xdist."""
    if not reports:
        return
    first = reports[0]
    config.hook.pytest_runtest_logstart(nodeid=first.nodeid, location=first.location)
    for report in reports:
        config.hook.pytest_runtest_logreport(report=report)
    config.hook.pytest_runtest_logfinish(nodeid=first.nodeid, location=first.location)


def _warn(config: pytest.Config, nodeid: str, text: str) -> None:
    """Into pytest's own warnings summary; recorded, not raised, so `-W error` cannot turn it into a crash."""
    category = pytest.PytestWarning
    message = warnings.WarningMessage(category(f"perfgate: {text}"), category, nodeid, 0)
    config.hook.pytest_warning_recorded.call_historic(
        kwargs={"warning_message": message, "nodeid": nodeid, "when": "runtest", "location": None}
    )


def _reports_without_item(verdict: BenchmarkVerdict) -> list[pytest.TestReport]:
    """A `missing` benchmark has no test: its report stands under the name of its baseline."""
    key = inert(verdict.key)
    nodeid = f"baselines::{key}"
    now = time.time()
    reports = []
    for when in ("setup", "call", "teardown"):
        report = pytest.TestReport(
            nodeid=nodeid,
            location=("baselines", 0, key),
            keywords={key: 1},
            outcome="passed",
            longrepr=None,
            when=when,
            duration=0.0,
            start=now,
            stop=now,
        )
        reports.append(report)
    return reports


def _properties(verdict: BenchmarkVerdict) -> list[tuple[str, object]]:
    """JUnit properties: builtins only, and only what is known."""
    properties: dict[str, object] = {"verdict": str(verdict.verdict), "device": verdict.device}
    worst = next((item for item in verdict.comparisons if item.verdict is verdict.verdict), None)
    if worst is not None and verdict.verdict is not Verdict.MISSING:
        properties |= {
            "metric": worst.metric.name,
            "unit": worst.metric.unit,
            "baseline": worst.baseline,
            "value": worst.now,
            "delta_pct": None if worst.worse_by is None else worst.worse_by * 100,
            "low_pct": None if worst.low is None else worst.low * 100,
            "high_pct": None if worst.high is None else worst.high * 100,
        }
    return [(f"perfgate.{name}", plain(value)) for name, value in properties.items() if value is not None]
