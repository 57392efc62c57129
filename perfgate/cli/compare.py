"""`perfgate compare OLD NEW`: two recordings, the same judge."""

from __future__ import annotations

import datetime as dt
import shutil
from pathlib import Path

import click

from perfgate.cli.options import write_text
from perfgate.core.codec import plain, readable_json
from perfgate.core.errors import ExitCode
from perfgate.report.failure_text import failure_text
from perfgate.report.inert import inert
from perfgate.report.terminal import FULL_WIDTH, count_line, verdict_table
from perfgate.workflow.check import remarks
from perfgate.workflow.comparing import Compared, compare_folders

_FOLDER = click.Path(path_type=Path)


@click.command()
@click.argument("old", type=_FOLDER)
@click.argument("new", type=_FOLDER)
@click.option("--policy", type=_FOLDER, default=None, help="Thresholds (default: those of the product).")
@click.option("--fail/--no-fail", "fails", default=True, show_default=True, help="Exit by the verdict, or 0.")
@click.option(
    "--json", "json_file", default=None, metavar="FILE", help="Write the verdict as JSON; - is stdout."
)
@click.pass_context
def compare(ctx: click.Context, /, old: Path, new: Path, policy: Path | None, **asked: object) -> None:
    """Judge the records below NEW against those below OLD; unchanged rows are shown with -v.

    Exit: 0 pass, 1 regression, 2 usage, 10 inconclusive (when the policy fails on it), 11 nothing in common,
    12 a record or the policy cannot be used.
    """
    result = compare_folders(old, new, policy, dt.datetime.now(dt.UTC).date())
    json_file = asked["json_file"]
    if json_file != "-":
        _show(result, show_all=ctx.obj["verbose"] > 0)
    if json_file is not None:
        write_text(str(json_file), readable_json(_as_json(result)))
    ctx.exit(int(result.exit_code if asked["fails"] else ExitCode.PASS))


def _show(result: Compared, *, show_all: bool) -> None:
    width = shutil.get_terminal_size((FULL_WIDTH, 24)).columns
    table = verdict_table(result.verdicts, width, show_all=show_all)
    if table:
        click.echo(table)
    for item in result.verdicts:
        if item.is_failure:
            click.echo(f"\n{inert(item.key)}\n{failure_text(item, result.explanations.get(item.key))}")
    click.echo(count_line(result.verdicts))
    for note in (*result.decision.notes, *remarks(result.verdicts, None, result.decision)):
        click.echo(f"note: {inert(note)}")


def _as_json(result: Compared) -> dict[str, object]:
    return {
        "schema": "perfgate/compare/1",
        "exit_code": int(result.exit_code),
        "verdicts": plain(result.verdicts),
        "explanations": plain(dict(result.explanations)),
        "notes": list(result.decision.notes),
        "evidence": plain(result.decision.evidence),
    }
