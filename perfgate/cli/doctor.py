"""`perfgate doctor`: is everything here that a run needs?"""

from __future__ import annotations

import datetime as dt
import os
from pathlib import Path

import click

from perfgate.cli.options import answer, ground_options, json_option
from perfgate.core.codec import readable_json
from perfgate.workflow.doctoring import examine
from perfgate.workflow.options import GateOptions
from perfgate.workflow.worktree import find_root


@click.command()
@ground_options
@json_option
@click.option(
    "--schema",
    is_flag=False,
    flag_value="suite",
    default=None,
    metavar="[NAME]",
    help="Print a JSON Schema instead: suite (default), policy, guardrails, record, report, compare, ...",
)
@click.pass_context
def doctor(
    ctx: click.Context, /, base: str | None, baselines: str, json_file: str | None, schema: str | None
) -> None:
    """Say what a run would find here, each line with its remedy. Exit: 0 all is well, 1 something is not."""
    if schema is not None:
        from perfgate.workflow.json_schemas import schema_of  # noqa: PLC0415 - loads every report

        click.echo(readable_json(schema_of(schema)), nl=False)
        return
    options = GateOptions(root=find_root(Path.cwd()), base=base, baselines=baselines)
    report = examine(options, dict(os.environ), dt.datetime.now(dt.UTC).date())
    answer(json_file, map(str, report.lines), lambda: report)
    ctx.exit(report.exit_code)
