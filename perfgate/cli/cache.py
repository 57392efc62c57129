"""`perfgate cache`: what bisections keep between runs."""

from __future__ import annotations

import os
import time

import click

from perfgate.core.units import readable
from perfgate.workflow.cache_pruning import Limit, prune_cache

_DAY = 86_400.0
_MEGABYTE = 1_000_000


@click.group()
def cache() -> None:
    """The folder of mirrors, samples and journals: $PERFGATE_CACHE, else the user's cache folder."""


@cache.command()
@click.option(
    "--older",
    type=click.FloatRange(0),
    default=30.0,
    show_default=True,
    metavar="DAYS",
    help="Unused for longer.",
)
@click.option(
    "--max-size", type=click.IntRange(0), metavar="MB", help="Then the oldest, until this much is left."
)
@click.option("--all", "everything", is_flag=True, help="All that no running process uses.")
def prune(*, older: float, max_size: int | None, everything: bool) -> None:
    """Remove mirrors, samples and journals that were not used for long; those in use stay."""
    seconds = -1.0 if everything else older * _DAY
    size = None if max_size is None else max_size * _MEGABYTE
    done = prune_cache(dict(os.environ), Limit(seconds=seconds, size=size), time.time())
    busy = f"; {done.busy} in use" if done.busy else ""
    click.echo(
        f"removed {done.mirrors} mirrors and {done.files} files, {readable(done.freed, 'B')}; "
        f"{readable(done.left, 'B')} left{busy}"
    )
