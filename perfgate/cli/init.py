"""`perfgate init`: the first files of a gate."""

from __future__ import annotations

from pathlib import Path

import click

from perfgate.cli.options import answer, json_option
from perfgate.cli.progress import announce
from perfgate.report.plan_table import plan_lines
from perfgate.workflow.initialising import Wish, initialise
from perfgate.workflow.recording import open_tree
from perfgate.workflow.worktree import find_root


@click.command()
@click.option("--dry-run", is_flag=True, help="Show the plan and write nothing.")
@click.option("--github", is_flag=True, help="Write the workflow of the gate as well.")
@click.option("--force", is_flag=True, help="Overwrite files that are there and differ.")
@json_option
@click.pass_context
def init(ctx: click.Context, /, *, dry_run: bool, github: bool, force: bool, json_file: str | None) -> None:
    """Look at the repository and write the files of a first gate; files that are there stay as they are.

    Exit: 0, or 2 when a file cannot be read or written.
    """
    wish = Wish(github=github, force=force, dry_run=dry_run)
    report = initialise(open_tree(find_root(Path.cwd())), wish, announce(is_quiet=ctx.obj["quiet"]))
    answer(json_file, plan_lines(report), lambda: report)
