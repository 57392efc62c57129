"""`perfgate record`: measure and keep; nothing is judged."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from perfgate.cli.options import answer, json_option, selection_options
from perfgate.cli.progress import announce
from perfgate.core.profile_part import LEVELS
from perfgate.report.record_table import record_lines
from perfgate.report.what_if_table import what_if_table
from perfgate.workflow.recording import Questions, Selection, record_benchmarks
from perfgate.workflow.worktree import find_root

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfgate.workflow.recording import Recording


def _levels(_context: click.Context, _option: click.Parameter, text: str | None) -> tuple[str, ...]:
    """The named levels; none where the option is not given."""
    names = () if text is None else tuple(name.strip() for name in text.split(","))
    for name in names:
        if name not in LEVELS:
            raise click.BadParameter(f"unknown level {name!r}; choose from {', '.join(LEVELS)}")
    return names


@click.command()
@selection_options
@click.option(
    "--endpoints", nargs=2, metavar="GOOD BAD", help="Measure two commits for `check --bisect-exit` instead."
)
@click.option("--metric", metavar="NAME", help="With --endpoints: the metric that tells them apart.")
@click.option("--samples", type=click.IntRange(1, 100_000), default=None, help="Samples per run.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=Path(".perfgate/records"),
    show_default=True,
    help="Folder of the records.",
)
@click.option("--at", "revision", default=None, metavar="REV", help="Measure the files of this commit.")
@click.option("--explain", is_flag=True, help="Show the arithmetic behind the copies and the times.")
@click.option(
    "--what-if", "what_if", is_flag=True, help="Turn one knob at a time and show the limit that binds."
)
@click.option("--profile", is_flag=True, help="Write the whole profile, on five levels, beside each record.")
@click.option(
    "--levels",
    default=None,
    callback=_levels,
    metavar="NAMES",
    help=f"Write these levels of the profile only, with commas: {', '.join(LEVELS)}.",
)
@json_option
@click.pass_context
def record(ctx: click.Context, /, output: Path, **asked: Any) -> None:  # noqa: ANN401 - click's values
    """Measure the benchmarks and write one record file for each; nothing is judged.

    With --at the files are read from git's objects and the working tree is not touched.

    Exit: 0 all were measured, 2 usage, 11 nothing or not everything could be measured.
    """
    if asked["endpoints"]:
        _record_endpoints(ctx, output, asked)
        return
    selection = Selection(
        expression=str(asked["expression"]),
        devices=tuple(asked["devices"]),
        runs=asked["runs"],
        samples=asked["samples"],
        seed=asked["seed"],
        cache=asked["cache"],
        levels=asked["levels"] or (LEVELS if asked["profile"] else ()),
        revision=asked["revision"],
    )
    questions = Questions(explain=asked["explain"], what_if=asked["what_if"])
    announced = announce(is_quiet=ctx.obj["quiet"])
    result = record_benchmarks(find_root(Path.cwd()), output, selection, announced, questions)
    lines = record_lines({}, result.failed) if ctx.obj["quiet"] else _lines(result)
    answer(asked["json_file"], lines, lambda: result.report)
    ctx.exit(int(result.exit_code))


def _lines(result: Recording) -> Iterator[str]:
    yield from record_lines(result.records, result.failed)
    yield from result.explanation
    for key, rows in result.what_if.items():
        yield f"\n{key}\n{what_if_table(rows)}"


def _record_endpoints(ctx: click.Context, output: Path, asked: dict[str, Any]) -> None:
    """Both ends of a `git bisect run` into one file."""
    from perfgate.cli.bisect_progress import Progress  # noqa: PLC0415 - only here
    from perfgate.workflow.bisect_request import BisectRequest  # noqa: PLC0415 - the same
    from perfgate.workflow.endpoint_files import record_endpoints  # noqa: PLC0415 - the same
    from perfgate.workflow.interruption import Interruption  # noqa: PLC0415 - the same

    good, bad = asked["endpoints"]
    request = BisectRequest(
        root=find_root(Path.cwd()),
        environment=dict(os.environ),
        good=good,
        bad=bad,
        benchmarks=(asked["expression"],) if asked["expression"] else (),
        metric=asked["metric"],
    )
    file = output if output.suffix == ".json" else output / "endpoints.json"
    interruption = Interruption()
    with interruption.caught():
        done = record_endpoints(request, file, Progress(is_quiet=ctx.obj["quiet"]), interruption)
    click.echo(f"{done.metric.name} of {done.benchmark} at {good} and {bad}: {file}")
