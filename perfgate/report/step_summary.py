"""The job summary: what the run page shows, for forks too, since it needs no permission."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.report.markdown_verdict import Frame, verdict_markdown

if TYPE_CHECKING:
    from perfgate.report.check_report import CheckReport

MAX_SUMMARY = 900 * 1024  # bytes; GitHub refuses a step's summary beyond 1 MiB


def summary_text(report: CheckReport, *, head: str = "") -> str:
    """The summary of a finished check, unchanged benchmarks included."""
    frame = Frame(limit=MAX_SUMMARY, size=_bytes, head=head, shows_all=True)
    return verdict_markdown(report, frame) + "\n"


def absent_summary(exit_code: int) -> str:
    """The summary of a run that ended before it wrote a report."""
    return f"### ❌ perfgate: it ended before the decision (exit {exit_code}); the log says why\n"


def _bytes(text: str) -> int:
    return len(text.encode())
