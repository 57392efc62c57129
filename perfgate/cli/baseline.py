"""`perfgate baseline`: the accepted records."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from perfgate.cli.options import gate_options, selection_options
from perfgate.cli.progress import announce
from perfgate.report.baseline_table import update_lines
from perfgate.workflow.options import DEFAULT_BASELINES
from perfgate.workflow.update import BASELINE_SEED, UpdateRequest, update_baselines
from perfgate.workflow.worktree import find_root

if TYPE_CHECKING:
    from collections.abc import Mapping


@click.group()
def baseline() -> None:
    """Update the accepted records."""


@baseline.command()
@click.option(
    "--reason", required=True, metavar="TEXT", help="Why the new values are right; stored in the file."
)
@click.option(
    "--accept-regression", default="", metavar="REASON", help="Accept values that got worse, and why."
)
@click.option("--from", "given", type=click.Path(path_type=Path), help="Take these records; measure nothing.")
@click.option("--refresh", is_flag=True, help="Rewrite files whose values did not change.")
@click.option("--baselines", default=DEFAULT_BASELINES, show_default=True, metavar="DIR")
@selection_options
@click.pass_context
def update(ctx: click.Context, /, reason: str, given: Path | None, **asked: Any) -> None:  # noqa: ANN401 - click's values
    """Measure and accept: writes files under the baselines folder and commits nothing.

    Refused: a dirty tree, a pull-request job, values that got worse without --accept-regression.
    """
    seed = asked["seed"] or BASELINE_SEED
    options = gate_options(
        find_root(Path.cwd()),
        baselines=asked["baselines"],
        devices=asked["devices"],
        runs=asked["runs"],
        seed=seed,
        cache=asked["cache"],
    )
    request = UpdateRequest(
        reason=reason,
        expression=str(asked["expression"]),
        given=given,
        accepted_regression=str(asked["accept_regression"]),
        is_refreshed=bool(asked["refresh"]),
    )
    environment: Mapping[str, str] = dict(os.environ)
    updates = update_baselines(options, request, environment, announce(is_quiet=ctx.obj["quiet"]))
    for line in update_lines([(item.path, item.previous, item.record, item.is_kept) for item in updates]):
        click.echo(line)
