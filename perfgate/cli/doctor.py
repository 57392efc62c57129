"""`perfgate doctor`: is everything here that a run needs?"""

from __future__ import annotations

import datetime as dt
import os
from pathlib import Path

import click

from perfgate.cli.options import ground_options
from perfgate.cli.say import say
from perfgate.core.codec import readable_json
from perfgate.core.errors import ExitCode
from perfgate.measure.suite_schema import suite_json_schema
from perfgate.workflow.doctoring import examine
from perfgate.workflow.options import GateOptions
from perfgate.workflow.worktree import find_root


@click.command()
@ground_options
@click.option("--schema", is_flag=True, help="Print the JSON Schema of suite files, for editors.")
@click.pass_context
def doctor(ctx: click.Context, /, base: str | None, baselines: str, *, schema: bool) -> None:
    """Say what a run would find here. Exit: 0 all is well, 1 something is not."""
    if schema:
        click.echo(readable_json(suite_json_schema()), nl=False)
        return
    options = GateOptions(root=find_root(Path.cwd()), base=base, baselines=baselines)
    found = examine(options, dict(os.environ), dt.datetime.now(dt.UTC).date())
    for item in found:
        say(str(item))
    ctx.exit(int(ExitCode.PASS if all(item.is_well for item in found) else ExitCode.FAIL))
