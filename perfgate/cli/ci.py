"""`perfgate ci`: the steps of a GitHub job; the action and the workflows call them."""

from __future__ import annotations

import datetime as dt
import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from perfgate.cli.options import append_runner_file, baselines_option
from perfgate.core.errors import UsageError
from perfgate.report.check_report import decode_check_report
from perfgate.report.github_annotations import escaped_message
from perfgate.report.pull_request_comment import marker
from perfgate.report.step_summary import absent_summary, summary_text
from perfgate.report.verdict_annotations import annotation_lines
from perfgate.workflow.ci_api import Api
from perfgate.workflow.ci_comment import PREFIX, artefact_key, comment_on_run
from perfgate.workflow.ci_event import decode_event
from perfgate.workflow.ci_run import output_text, run_step
from perfgate.workflow.ci_transport import https_transport
from perfgate.workflow.options import GateOptions
from perfgate.workflow.worktree import find_root

if TYPE_CHECKING:
    from perfgate.report.check_report import CheckReport

_FOLDER = ".perfgate/ci"
_PUBLIC_API = "https://api.github.com"
_report = click.option(
    "--report", type=click.Path(path_type=Path), required=True, help="JSON report of the run."
)


@click.group()
def ci() -> None:
    """Steps of a GitHub job: run the gate, show what it found."""


@ci.command()
@click.option(
    "--artifact", required=True, metavar="NAME", help="Name of the artefact; tells matrix legs apart."
)
@click.option("--arguments", default="", metavar="TEXT", help="Arguments for pytest, quoted as in a shell.")
@click.option("--base", default="", metavar="REF", help="Commit that judges (default: found from the event).")
@click.option(
    "--page", "wants_page", is_flag=True, help="Draw the worst regression as a page (needs perfgate[report])."
)
@click.pass_context
def run(ctx: click.Context, /, artifact: str, arguments: str, base: str, *, wants_page: bool) -> None:
    """Run `pytest --perfgate` with its output fenced from the runner; keep records, report and origin.

    Exit: that of the gate. `verdict`, `exit-code`, `report`, `folder` and `page` go to $GITHUB_OUTPUT.
    """
    if not artifact.startswith(PREFIX):
        raise UsageError(f"{artifact!r} is none of ours", "--artifact", f"begin the name with {PREFIX}")
    marker(artefact_key(artifact))  # refuses a name that could leave the folder
    try:
        words = shlex.split(arguments)
    except ValueError as problem:
        raise UsageError(f"cannot be split, {problem}", "--arguments", "close the quotes") from None
    folder = find_root(Path.cwd()) / _FOLDER / artifact
    page = folder.with_name(f"{artifact}.html")  # beside the folder: the records' artefact stays small
    page.unlink(missing_ok=True)
    words += ["--perfgate-html", str(page)] if wants_page else []
    done = run_step(folder, words, base, dict(os.environ), _write_through)
    values = {
        "verdict": done.verdict,
        "exit-code": str(done.exit_code),
        "report": str(done.report),
        "folder": str(folder),
        "page": str(page) if page.is_file() else "",
    }
    append_runner_file("GITHUB_OUTPUT", "".join(output_text(name, value) for name, value in values.items()))
    ctx.exit(done.exit_code)


@ci.command()
@_report
@click.option("--exit-code", default=2, show_default=True, help="Code of the run, in case it left no report.")
def summary(report: Path, exit_code: int) -> None:
    """Append the verdict to the job's summary, or print it outside a job."""
    text = summary_text(_read(report)) if report.is_file() else absent_summary(exit_code)
    if not append_runner_file("GITHUB_STEP_SUMMARY", text):
        click.echo(text, nl=False)


@ci.command()
@_report
def annotate(report: Path) -> None:
    """Print the worst findings and verdicts as annotations."""
    if report.is_file():
        for line in annotation_lines(_read(report)):
            click.echo(line)


@ci.command()
@baselines_option
def comment(baselines: str) -> None:
    """Judge the records of a finished run again and comment on its pull request.

    For a workflow on `workflow_run` that has checked out the default branch. Exit: 0 whatever becomes of the
    comment, 2 when the event or the token is missing.
    """
    path = os.environ.get("GITHUB_EVENT_PATH", "")
    token = os.environ.get("GITHUB_TOKEN", "")
    if not path or not Path(path).is_file():
        raise UsageError("no event", "GITHUB_EVENT_PATH", "call it in a GitHub job")
    if not token:
        raise UsageError("no token", "GITHUB_TOKEN", "set `env: {GITHUB_TOKEN: ${{ github.token }}}`")
    event = decode_event(Path(path).read_bytes(), path)
    api = Api(
        url=os.environ.get("GITHUB_API_URL", _PUBLIC_API),
        repository=event.repository.full_name,
        token=token,
        transport=https_transport,
    )
    options = GateOptions(root=find_root(Path.cwd()), base="HEAD", baselines=baselines)
    for posted in comment_on_run(event, api, options, dt.datetime.now(dt.UTC).date()):
        if posted.problem:
            text = f"{posted.key}: {posted.problem}" if posted.key else posted.problem
            click.echo(f"::warning title=perfgate::{escaped_message(text)}")
        else:
            click.echo(f"comment {posted.key} is up to date")


def _read(path: Path) -> CheckReport:
    return decode_check_report(path.read_bytes(), str(path))


def _write_through(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
