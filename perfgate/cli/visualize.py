"""`perfgate visualize`: flame graph, timeline, data flow, memory and comparison in one offline page."""

from __future__ import annotations

import datetime as dt
import os
from pathlib import Path
from typing import Any

import click

from perfgate.cli.options import ground_options, selection_options
from perfgate.cli.say import say
from perfgate.core.errors import UsageError
from perfgate.workflow.diagnosing import DiagnoseRequest
from perfgate.workflow.options import GateOptions
from perfgate.workflow.visualising import VisualiseRequest, visualise
from perfgate.workflow.worktree import find_root

_FILE = click.Path(path_type=Path)


@click.command()
@click.argument("profiles", nargs=-1, type=_FILE, metavar="[BEFORE] AFTER")
@ground_options
@selection_options
@click.option("--diagnosis", type=_FILE, default=None, help="What `perfgate diagnose --json` wrote.")
@click.option("-o", "--output", type=_FILE, default=Path("report.html"), show_default=True, help="The page.")
@click.pass_context
def visualize(ctx: click.Context, /, profiles: tuple[Path, ...], output: Path, **asked: Any) -> None:  # noqa: ANN401 - click's values
    """Write one HTML page about a benchmark, which needs no network.

    BEFORE and AFTER are files of `perfgate record --profile`; without them the one benchmark that -k and
    --device select is measured in the working tree and at the base commit, and the change is diagnosed.

    Exit: 0 written, 2 usage, 11 nothing selected, 12 unusable profile, diagnosis or base.
    """
    if len(profiles) > 2:  # noqa: PLR2004 - before and after
        raise UsageError(f"{len(profiles)} profiles", "BEFORE AFTER", "name one or two")
    request = VisualiseRequest(
        output=output,
        profiles=profiles,
        diagnosis=asked["diagnosis"],
        diagnose=DiagnoseRequest(
            options=GateOptions(
                root=find_root(Path.cwd()),
                base=asked["base"],
                baselines=asked["baselines"],
                devices=asked["devices"],
                runs=asked["runs"],
                seed=asked["seed"],
                cache=asked["cache"],
            ),
            environment=dict(os.environ),
            today=dt.datetime.now(dt.UTC).date(),
            expression=str(asked["expression"]),
        ),
    )
    material = visualise(request)
    if not ctx.obj["quiet"]:
        say(f"{material.benchmark} on {material.device}: {output}")
        for note in material.notes:
            say(f"note: {note}")
