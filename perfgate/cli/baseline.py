"""`perfgate baseline`: the accepted records."""

from __future__ import annotations

import datetime as dt
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from perfgate.baseline.store import encode_record
from perfgate.cli.options import (
    answer,
    baselines_option,
    json_option,
    policy_option,
    selection_options,
    write_text,
)
from perfgate.cli.progress import announce
from perfgate.core.errors import ExitCode
from perfgate.report.baseline_reports import BaselineList, BaselinePrune, baseline_rows
from perfgate.report.baseline_table import difference_lines, list_lines, record_details, update_lines
from perfgate.report.inert import inert
from perfgate.workflow.options import GateOptions
from perfgate.workflow.stored import diff_report, differences, one, stored_at, stored_here, without_benchmark
from perfgate.workflow.update import BASELINE_SEED, UpdateRequest, update_baselines, update_report
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
@policy_option
@json_option
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
        policy_file=asked["policy_file"],
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
    lines = update_lines([(item.path, item.previous, item.record, item.is_kept) for item in updates])
    answer(asked["json_file"], lines, lambda: update_report(updates))


@baseline.command(name="list")
@baselines_option
@json_option
@click.pass_context
def list_all(ctx: click.Context, baselines: str, json_file: str | None) -> None:
    """All baselines of the working tree with age, runs and reason. Exit 12 when one cannot be used."""
    found = stored_here(find_root(Path.cwd()), baselines)
    code = int(ExitCode.UNUSABLE if found.unusable else ExitCode.PASS)
    report = BaselineList(
        exit_code=code, baselines=baseline_rows(found.records.values()), unusable=found.unusable
    )
    answer(json_file, list_lines(found.records.values(), dt.datetime.now(dt.UTC)), lambda: report)
    for reason in found.unusable.values():
        click.echo(f"unusable: {inert(reason)}", err=True)
    ctx.exit(code)


@baseline.command()
@click.argument("name")
@click.option(
    "--at",
    "revision",
    default=None,
    metavar="REV|DATE",
    help="As it was accepted in this commit, or at the end of this day (2026-11-29).",
)
@baselines_option
@json_option
def show(name: str, revision: str | None, baselines: str, json_file: str | None) -> None:
    """One baseline: values, settings with their places, who accepted it and why; as JSON the file itself."""
    root = find_root(Path.cwd())
    found = stored_here(root, baselines) if revision is None else stored_at(root, baselines, revision)
    record = one(found, name)
    if json_file != "-":
        for line in record_details(record):
            click.echo(line)
    if json_file is not None:
        write_text(json_file, encode_record(record))


@baseline.command()
@click.argument("revision", default="HEAD")
@baselines_option
@json_option
def diff(revision: str, baselines: str, json_file: str | None) -> None:
    """The baselines of the working tree against those of a commit, in percent."""
    root = find_root(Path.cwd())
    pairs = differences(stored_at(root, baselines, revision), stored_here(root, baselines))
    lines = difference_lines([(pair.key, pair.before, pair.now) for pair in pairs])
    answer(json_file, lines, lambda: diff_report(revision, pairs))


@baseline.command()
@click.option("--yes", is_flag=True, help="Remove the files; without it they are only named.")
@baselines_option
@json_option
def prune(*, yes: bool, baselines: str, json_file: str | None) -> None:
    """Name, and with --yes remove, baselines that no benchmark has any more."""
    root = find_root(Path.cwd())
    paths = without_benchmark(root, baselines)
    for path in paths if yes else ():
        (root / path).unlink()
    lines = [inert(f"{'removed' if yes else 'unused'}: {path}") for path in paths]
    more = "" if yes or not paths else "; remove them with --yes"
    report = BaselinePrune(unused=tuple(paths), is_removed=yes)
    answer(json_file, [*lines, f"{len(paths)} without a benchmark{more}"], lambda: report)
