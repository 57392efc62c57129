"""`perfgate baseline`: the accepted records."""

from __future__ import annotations

import datetime as dt
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from perfgate.cli.options import baselines_option, selection_options
from perfgate.cli.progress import announce
from perfgate.cli.say import say
from perfgate.core.errors import ExitCode
from perfgate.report.baseline_table import difference_lines, list_lines, record_details, update_lines
from perfgate.report.inert import inert
from perfgate.workflow.options import GateOptions
from perfgate.workflow.stored import differences, one, stored_at, stored_here, without_benchmark
from perfgate.workflow.update import BASELINE_SEED, UpdateRequest, update_baselines
from perfgate.workflow.worktree import find_root

if TYPE_CHECKING:
    from collections.abc import Mapping


@click.group()
def baseline() -> None:
    """Update, list, show and compare the accepted records."""


@baseline.command()
@click.option(
    "--reason", required=True, metavar="TEXT", help="Why the new values are right; stored in the file."
)
@click.option(
    "--accept-regression", default="", metavar="REASON", help="Accept values that got worse, and why."
)
@click.option("--from", "given", type=click.Path(path_type=Path), help="Take these records; measure nothing.")
@click.option("--refresh", is_flag=True, help="Rewrite files whose values did not change.")
@baselines_option
@selection_options
@click.pass_context
def update(ctx: click.Context, /, reason: str, given: Path | None, **asked: Any) -> None:  # noqa: ANN401 - click's values
    """Measure and accept: writes files under the baselines folder and commits nothing.

    Refused: a dirty tree, a pull-request job, values that got worse without --accept-regression.
    """
    seed = asked["seed"] or BASELINE_SEED
    options = GateOptions(
        root=find_root(Path.cwd()),
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


@baseline.command(name="list")
@baselines_option
@click.pass_context
def list_all(ctx: click.Context, baselines: str) -> None:
    """All baselines of the working tree with age, runs and reason. Exit 12 when one cannot be used."""
    found = stored_here(find_root(Path.cwd()), baselines)
    for line in list_lines(found.records.values(), dt.datetime.now(dt.UTC)):
        click.echo(line)
    for reason in found.unusable.values():
        click.echo(f"unusable: {inert(reason)}", err=True)
    ctx.exit(int(ExitCode.UNUSABLE if found.unusable else ExitCode.PASS))


@baseline.command()
@click.argument("name")
@click.option("--at", "revision", default=None, metavar="REV", help="As it was accepted in this commit.")
@baselines_option
def show(name: str, revision: str | None, baselines: str) -> None:
    """One baseline: values, settings with their places, who accepted it and why."""
    root = find_root(Path.cwd())
    found = stored_here(root, baselines) if revision is None else stored_at(root, baselines, revision)
    for line in record_details(one(found, name)):
        click.echo(line)


@baseline.command()
@click.argument("revision", default="HEAD")
@baselines_option
def diff(revision: str, baselines: str) -> None:
    """The baselines of the working tree against those of a commit, in percent."""
    root = find_root(Path.cwd())
    pairs = differences(stored_at(root, baselines, revision), stored_here(root, baselines))
    for line in difference_lines([(pair.key, pair.before, pair.now) for pair in pairs]):
        click.echo(line)


@baseline.command()
@click.option("--yes", is_flag=True, help="Remove the files; without it they are only named.")
@baselines_option
def prune(*, yes: bool, baselines: str) -> None:
    """Name, and with --yes remove, baselines that no benchmark has any more."""
    root = find_root(Path.cwd())
    paths = without_benchmark(root, baselines)
    for path in paths:
        if yes:
            (root / path).unlink()
        say(f"{'removed' if yes else 'unused'}: {path}")
    click.echo(f"{len(paths)} without a benchmark" + ("" if yes or not paths else "; remove them with --yes"))
