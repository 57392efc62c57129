"""Progress of a bisection on standard error: a live line on a terminal, one line per probe otherwise."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

import click

from perfgate.report.bisect_progress import probe_line, status_line

if TYPE_CHECKING:
    from perfgate.bisection.probe import Probe, ProbeOutcome
    from perfgate.bisection.problem import Problem


class Progress:
    """Says what is going on, on standard error."""

    def __init__(self, *, is_quiet: bool) -> None:
        self._is_quiet = is_quiet
        self._is_live = sys.stderr.isatty() and not os.environ.get("CI")
        self._started = time.monotonic()
        self._status = ""

    def say(self, line: str) -> None:
        """One line above the status."""
        if not self._is_quiet:
            click.echo(f"\r{line}\x1b[K" if self._is_live else line, err=True)

    def clear(self) -> None:
        """The status line away."""
        if self._is_live and not self._is_quiet:
            click.echo("\r\x1b[K", nl=False, err=True)

    def asked(self, problem: Problem, wanted: Probe) -> None:
        """Show the state before a probe."""
        self._metric = problem.metric
        commits = len(problem.candidates) - 1
        self._status = status_line(problem.metric.name, wanted, commits, time.monotonic() - self._started)
        if self._is_live and not self._is_quiet:
            click.echo(f"\r{self._status}\x1b[K", nl=False, err=True)

    def answered(self, wanted: Probe, outcome: ProbeOutcome) -> None:
        """Show what came of it."""
        self.say(probe_line(self._metric, wanted, outcome))
