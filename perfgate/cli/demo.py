"""`perfgate demo`: the incident, told by real commands in a repository that stays."""

from __future__ import annotations

import datetime as dt
import tempfile
from pathlib import Path

import click

from perfgate.cli.say import say
from perfgate.workflow.demo_story import tell_story


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), required=False)
@click.pass_context
def demo(ctx: click.Context, /, folder: Path | None) -> None:
    """Build a repository in FOLDER (default: a new temporary one) and walk the whole loop in it.

    A flag was flipped three days ago: the gate is red, operator, copies, flag and commit are named, a plan is
    applied and validated, the post-mortem adds the guardrail that would have stopped it. No network; the
    repository stays, to play with.

    Exit: 0 every step ended as told, 1 one did not, 2 usage.
    """
    place = folder or Path(tempfile.mkdtemp(prefix="perfgate-demo-")) / "poster-service"
    ctx.exit(int(tell_story(place.resolve(), dt.datetime.now(dt.UTC), say)))
