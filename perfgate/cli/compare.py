"""`perfgate compare OLD NEW`: two recordings, the same judge."""

from __future__ import annotations

import datetime as dt
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from perfgate.cli.options import answer, json_option
from perfgate.core.errors import ExitCode
from perfgate.report.failure_text import failure_text
from perfgate.report.inert import inert
from perfgate.report.terminal import FULL_WIDTH, count_line, verdict_table
from perfgate.workflow.check import remarks
from perfgate.workflow.comparing import Compared, compare_folders, compare_report

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfgate.core.verdict import BenchmarkVerdict

_FOLDER = click.Path(path_type=Path)


@click.command()
@click.argument("old", type=_FOLDER)
@click.argument("new", type=_FOLDER)
@click.option("--policy", type=_FOLDER, default=None, help="Thresholds (default: those of the product).")
@click.option("--metric", "metrics", multiple=True, metavar="NAME", help="Only this metric; repeat for more.")
@click.option(
    "--sort",
    "order",
    type=click.Choice(["worst", "change", "name"]),
    default="worst",
    show_default=True,
    help="Order of the benchmarks: failures first, largest change for the worse first, by name.",
)
@click.option("--fail/--no-fail", "fails", default=True, show_default=True, help="Exit by the verdict, or 0.")
@json_option
@click.pass_context
def compare(ctx: click.Context, /, old: Path, new: Path, policy: Path | None, **asked: Any) -> None:  # noqa: ANN401 - click's values
    """Judge the records below NEW against those below OLD; unchanged rows are shown with -v.

    Exit: 0 pass, 1 regression, 2 usage, 10 inconclusive (when the policy fails on it), 11 nothing in common,
    12 a record or the policy cannot be used.
    """
    today = dt.datetime.now(dt.UTC).date()
    result = compare_folders(old, new, policy, today, metrics=asked["metrics"])
    json_file = asked["json_file"]
    has_warning = any(item.is_warning for item in result.verdicts)
    is_mute = ctx.obj["quiet"] and result.exit_code is ExitCode.PASS and not has_warning
    if json_file != "-" and not is_mute:
        _show(result, asked["order"], show_all=ctx.obj["verbose"] > 0)
    answer(json_file, (), lambda: compare_report(result))
    ctx.exit(int(result.exit_code if asked["fails"] else ExitCode.PASS))


def _show(result: Compared, order: str, *, show_all: bool) -> None:
    width = shutil.get_terminal_size((FULL_WIDTH, 24)).columns
    verdicts = sorted(result.verdicts, key=_ORDERS[order]) if order in _ORDERS else result.verdicts
    table = verdict_table(verdicts, width, show_all=show_all)
    if table:
        click.echo(table)
    for item in verdicts:
        if item.is_failure:
            click.echo(f"\n{inert(item.key)}\n{failure_text(item, result.explanations.get(item.key))}")
    click.echo(count_line(result.verdicts))
    for note in (*result.decision.notes, *remarks(result.verdicts, None, result.decision)):
        click.echo(f"note: {inert(note)}")


def _largest_first(item: BenchmarkVerdict) -> tuple[float, str]:
    return -max((row.worse_by or 0.0 for row in item.comparisons), default=0.0), item.key


_ORDERS: dict[str, Callable[[BenchmarkVerdict], Any]] = {
    "change": _largest_first,
    "name": lambda item: item.key,
}
