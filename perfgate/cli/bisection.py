"""`perfgate bisect`: which commit made a benchmark worse."""

from __future__ import annotations

import datetime as dt
import os
import shlex
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from perfgate.bisection.problem import MAX_CULPRITS, Wanted
from perfgate.cli.bisect_progress import Progress
from perfgate.cli.options import append_runner_file, baselines_option, write_text
from perfgate.cli.say import say
from perfgate.core.codec import plain, readable_json
from perfgate.core.errors import ExitCode, UsageError
from perfgate.report.bisect_output import BisectFailure, BisectOutput
from perfgate.report.bisect_plan import plan_lines
from perfgate.report.bisect_summary import bisect_summary
from perfgate.report.bisect_text import bisect_lines, resume_command
from perfgate.workflow.bisect_request import SETUP_TIMEOUT, BisectRequest, Budget, Measuring
from perfgate.workflow.bisecting import run_bisection
from perfgate.workflow.interruption import Interruption
from perfgate.workflow.planning import plan_bisection
from perfgate.workflow.worktree import find_root

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.report.bisect_text import BisectReport

_UNITS = {"s": 1, "m": 60, "h": 3600}
_NOTICE = "old commits are code that runs: what is built here runs with your rights"


@click.command()
@click.option("--good", metavar="REV", help="Last good commit (default: the accepted baseline's).")
@click.option("--bad", required=True, metavar="REV", help="Bad commit; WORKTREE is the files as they are.")
@click.option(
    "-b", "--benchmark", "benchmarks", multiple=True, metavar="NAME", help="name[device]; repeatable."
)
@click.option("--metric", metavar="NAME", help="Metric to search (default: the simulator's exact one).")
@click.option(
    "--direction",
    type=click.Choice([str(item) for item in Wanted]),
    default="worse",
    show_default=True,
    help="Which way the benchmark moved.",
)
@click.option("--setup", metavar="CMD", help="Runs in each checkout before it is measured.")
@click.option("--shell", is_flag=True, help="Run the set-up command by /bin/sh.")
@click.option(
    "--setup-timeout",
    type=click.FloatRange(1),
    default=SETUP_TIMEOUT,
    show_default=True,
    metavar="S",
    help="Of the set-up command.",
)
@click.option(
    "--timeout", type=click.FloatRange(1), metavar="S", help="Per launch (default: 10 x the first)."
)
@click.option("--jobs", type=click.IntRange(1, 64), default=1, show_default=True, help="Builds at a time.")
@click.option("--budget-samples", type=click.IntRange(1), metavar="N", help="Stop at this many samples.")
@click.option("--budget-time", metavar="30m", help="Stop after this much building and measuring.")
@click.option(
    "--build-cost", type=click.FloatRange(0), default=0.0, metavar="S", help="First guess of a build."
)
@click.option(
    "--max-culprits",
    type=click.IntRange(1, 20),
    default=MAX_CULPRITS,
    show_default=True,
    help="Name at most so many commits.",
)
@click.option(
    "--grid", type=click.IntRange(0, 1000), default=0, metavar="N", help="Probe N spread commits first."
)
@click.option(
    "--paths", multiple=True, metavar="PATH", help="Only commits that change one of these; repeatable."
)
@click.option(
    "--benchmark-from",
    "definition",
    default="bad",
    show_default=True,
    metavar="bad|each|REV",
    help="Whose suite and devices define the benchmark.",
)
@click.option("--under-test", multiple=True, metavar="PATH", help="Stays each commit's own; repeatable.")
@click.option(
    "--deps",
    type=click.Choice(["frozen", "each"]),
    default="frozen",
    show_default=True,
    help="Lock files: those of the bad end, or of each commit.",
)
@click.option(
    "--env", "names", multiple=True, metavar="NAME", help="Variable that builds may see; repeatable."
)
@click.option("--submodules", is_flag=True, help="Check out submodules, from https and ssh addresses only.")
@click.option("--lfs", is_flag=True, help="Fetch files that Git LFS keeps apart.")
@click.option("--no-descend", is_flag=True, help="Do not look inside of a merge.")
@click.option("--fetch", is_flag=True, help="Deepen our mirror of a shallow clone from its origin.")
@click.option("--trust-history", is_flag=True, help="Run old commits although the job holds secrets.")
@click.option("--resume", is_flag=True, help="Take up an interrupted search with what it has measured.")
@click.option("--dry-run", is_flag=True, help="Show what would be searched, and build nothing.")
@click.option("--json", "json_file", metavar="FILE", help="Write the result as JSON; - is stdout.")
@baselines_option
@click.pass_context
def bisect(ctx: click.Context, /, json_file: str | None, **asked: Any) -> None:  # noqa: ANN401 - click's values
    """Name the commit that made a benchmark worse, with its probability; your repository is only read.

    Exit: 0 a commit or a range is named, 2 usage, 10 no reproducible change or undecided, 11 nothing could be
    measured, 12 unusable journal or mirror, 130/143 interrupted, to be taken up by --resume.
    """
    request = _request(asked)
    if asked["dry_run"]:
        for line in plan_lines(plan_bisection(request)):
            click.echo(line)
        return
    interruption = Interruption()
    listener = Progress(is_quiet=ctx.obj["quiet"])
    listener.say(_NOTICE)
    reports: list[BisectReport] = []
    failures: list[BisectFailure] = []
    with interruption.caught(), closing(run_bisection(request, listener, interruption)) as found:
        for done in found:
            listener.clear()
            if isinstance(done, BisectFailure):
                failures.append(done)
                continue
            reports.append(done)
            if json_file != "-":
                for line in bisect_lines(done, dt.datetime.now(dt.UTC), resume_command(sys.argv[1:])):
                    click.echo(line)
    output = BisectOutput(
        results=tuple(reports), failures=tuple(failures), exit_code=_exit_code([*reports, *failures])
    )
    for failure in failures:
        say(f"perfgate: {failure.benchmark} was not searched, {failure.error}", err=True)
    if json_file is not None:
        write_text(json_file, readable_json(plain(output)))
    append_runner_file("GITHUB_STEP_SUMMARY", bisect_summary(output, os.environ))
    ctx.exit(output.exit_code)


def _exit_code(done: Sequence[BisectReport | BisectFailure]) -> int:
    """Of several benchmarks: a signal's, else the worst of the others; 11 when there is none."""
    return max((item.exit_code for item in done), default=int(ExitCode.NOTHING))


def _request(asked: dict[str, Any]) -> BisectRequest:
    return BisectRequest(
        root=find_root(Path.cwd()),
        environment=dict(os.environ),
        good=asked["good"],
        bad=asked["bad"],
        benchmarks=tuple(asked["benchmarks"]),
        metric=asked["metric"],
        wanted=Wanted(asked["direction"]),
        paths=tuple(asked["paths"]),
        measuring=Measuring(
            set_up=_set_up(asked["setup"], by_shell=asked["shell"]),
            setup_timeout=asked["setup_timeout"],
            timeout=asked["timeout"] or 0.0,
            definition=asked["definition"],
            under_test=tuple(asked["under_test"]),
            names=tuple(asked["names"]),
            frozen=asked["deps"] == "frozen",
            submodules=asked["submodules"],
            lfs=asked["lfs"],
            jobs=asked["jobs"],
        ),
        budget=Budget(
            samples=asked["budget_samples"] or 0,
            seconds=_seconds(asked["budget_time"]),
            build_seconds=asked["build_cost"],
            max_culprits=asked["max_culprits"],
            grid=asked["grid"],
        ),
        resume=asked["resume"],
        descend=not asked["no_descend"],
        may_fetch=asked["fetch"],
        trusts_history=asked["trust_history"],
        baselines=asked["baselines"],
    )


def _set_up(text: str | None, *, by_shell: bool) -> tuple[str, ...]:
    if text is None:
        return ()
    if by_shell:
        return ("/bin/sh", "-c", text)
    try:
        words = tuple(shlex.split(text))
    except ValueError as problem:
        raise UsageError(f"cannot be split, {problem}", "--setup", "close the quotes") from None
    if not words:
        raise UsageError("an empty command", "--setup", "name a program, or leave it out")
    return words


def _seconds(text: str | None) -> float:
    """`90`, `90s`, `30m`, `2h` in seconds; 0 for none."""
    if text is None:
        return 0.0
    number, unit = (text[:-1], text[-1]) if text[-1:] in _UNITS else (text, "s")
    try:
        value = float(number) * _UNITS[unit]
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise UsageError(f"{text!r} is no duration", "--budget-time", "write 90s, 30m or 2h")
    return value
