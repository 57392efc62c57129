"""Progress on standard error: a live line on a terminal, one plain line per benchmark otherwise."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from perfgate.report.inert import inert

if TYPE_CHECKING:
    from collections.abc import Callable

    Announce = Callable[[int, int, str], None]


def announce(*, is_quiet: bool) -> Announce:
    """A function that is told `done, total, name` before each measurement."""
    if is_quiet:
        return _say_nothing
    if sys.stderr.isatty() and not os.environ.get("CI"):
        return _rewrite_line
    return _say_line


def _say_nothing(done: int, total: int, name: str) -> None:
    del done, total, name


def _say_line(done: int, total: int, name: str) -> None:
    if done < total:
        click.echo(f"measuring {done + 1}/{total} {inert(name)}", err=True)


def _rewrite_line(done: int, total: int, name: str) -> None:
    """One line that is written over; the escape sequence clears its rest."""
    text = f"measuring {done + 1}/{total} {inert(name)}" if done < total else ""
    click.echo(f"\r{text}\x1b[K", nl=False, err=True)
