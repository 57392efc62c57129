"""`perfgate init`: the first files of a gate."""

from __future__ import annotations

from pathlib import Path

import click

from perfgate.report.plan_table import plan_table
from perfgate.workflow.initialising import propose
from perfgate.workflow.recording import open_tree
from perfgate.workflow.whole_file import write_file
from perfgate.workflow.worktree import find_root


@click.command()
@click.option("--dry-run", is_flag=True, help="Show the plan and write nothing.")
@click.option("--force", is_flag=True, help="Write files that are there already as well.")
def init(*, dry_run: bool, force: bool) -> None:
    """Look at the repository and write the files of a first gate; files that are there stay as they are."""
    root = find_root(Path.cwd())
    plan = propose(open_tree(root))
    rows = []
    for item in plan:
        is_kept = item.is_there and not force
        rows.append((item.path, "keep" if is_kept else "write", item.reason))
        if not is_kept and not dry_run:
            write_file(root / item.path, item.text.encode("utf-8", errors="surrogateescape"))
    click.echo(plan_table(rows))
    click.echo("\nnext:")
    click.echo("  pytest --perfgate      (says `new`: nothing to compare with yet)")
    click.echo('  git add -A && git commit, then perfgate baseline update --reason "first baselines"')
