"""`perfgate diagnose`: which operator, copy, flag and commit, with a proof and a fix."""

from __future__ import annotations

import datetime as dt
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from perfgate.cli.options import answer, ground_options, json_option, selection_options, write_text
from perfgate.cli.progress import announce
from perfgate.core.codec import readable_json
from perfgate.core.diagnosis import Focus
from perfgate.core.errors import ExitCode, UsageError
from perfgate.diagnose.amounts import ALIASES
from perfgate.diagnose.merge import is_same_cause
from perfgate.report.diagnosis_markdown import diagnosis_markdown
from perfgate.report.diagnosis_report import DiagnosisReport
from perfgate.report.diagnosis_text import diagnosis_lines
from perfgate.workflow.diagnosing import DiagnoseRequest, run_diagnosis
from perfgate.workflow.options import GateOptions
from perfgate.workflow.worktree import find_root

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfgate.workflow.diagnosing import Diagnosed

_FILE = click.Path(path_type=Path)
_FOCUS = [*(str(focus) for focus in Focus), *ALIASES]


@click.command()
@ground_options
@selection_options
@click.option(
    "--focus", type=click.Choice(_FOCUS), default="latency", show_default=True, help="What to explain."
)
@click.option(
    "--at", "revision", default=None, metavar="REV", help="Explain a commit, against its parent or --base."
)
@click.option(
    "--baseline",
    "--before",
    "before",
    type=_FILE,
    default=None,
    help="Record file or folder of the one side.",
)
@click.option(
    "--input", "--after", "after", type=_FILE, default=None, help="Record file or folder of the other side."
)
@click.option("--single", is_flag=True, help="No baseline: say what holds the benchmarks back now.")
@click.option(
    "--bisect", "bisection", type=_FILE, default=None, help="JSON of `perfgate bisect`: names the commit."
)
@click.option(
    "-o",
    "--output",
    "outputs",
    type=_FILE,
    multiple=True,
    help="Write it to a file *.md or *.json; repeat for both.",
)
@json_option
@click.pass_context
def diagnose(ctx: click.Context, /, json_file: str | None, **asked: Any) -> None:  # noqa: ANN401 - click's values
    """Explain what regressed against the base commit: operator, copies, flag, commit, fixes with their gains.

    With -k every selected benchmark is explained, regressed or not.

    Exit: 0 explained, or nothing regressed; 2 usage, 11 nothing to compare, 12 unusable baseline or record.
    """
    now = dt.datetime.now(dt.UTC)
    _check_outputs(asked["outputs"])
    request = DiagnoseRequest(
        options=GateOptions(
            root=find_root(Path.cwd()),
            base=asked["base"],
            baselines=asked["baselines"],
            devices=asked["devices"],
            runs=asked["runs"],
            seed=asked["seed"],
            cache=asked["cache"],
        ),
        environment=dict(os.environ),
        today=now.date(),
        expression=str(asked["expression"]),
        focus=ALIASES.get(asked["focus"]) or Focus(asked["focus"]),
        at=asked["revision"],
        before=asked["before"],
        after=asked["after"],
        is_single=asked["single"],
        bisection=asked["bisection"],
    )
    result = run_diagnosis(request, announce(is_quiet=ctx.obj["quiet"]))
    code = _exit_code(result)
    report = DiagnosisReport(exit_code=int(code), diagnoses=result.diagnoses, notes=result.notes)
    answer(json_file, _lines(result, now, show_all=ctx.obj.get("verbose", 0) > 0), lambda: report)
    for output in asked["outputs"]:
        write_text(str(output), _file_text(report, output, now))
    ctx.exit(int(code))


def _file_text(report: DiagnosisReport, output: Path, now: dt.datetime) -> str:
    if output.suffix == ".json":
        return readable_json(report)
    return "\n".join(diagnosis_markdown(item, now) for item in report.diagnoses)


def _check_outputs(outputs: tuple[Path, ...]) -> None:
    """Before anything is measured.

    Raises:
        UsageError: a file of another kind.
    """
    for output in outputs:
        if output.suffix not in {".md", ".json"}:
            raise UsageError(
                f"no form of a diagnosis is called {output.suffix!r}", "-o", "write *.md or *.json"
            )


def _lines(result: Diagnosed, now: dt.datetime, *, show_all: bool) -> Iterator[str]:
    for position, found in enumerate(result.diagnoses):
        if position:
            yield ""
        told = next((other for other in result.diagnoses[:position] if is_same_cause(other, found)), None)
        yield from diagnosis_lines(found, now, None if show_all or told is None else told.key)
    for note in result.notes:
        yield f"note: {note}"


def _exit_code(result: Diagnosed) -> ExitCode:
    """A regression that is explained is no failure of this verb; what could not be compared is."""
    is_ours = result.exit_code in {ExitCode.NOTHING, ExitCode.UNUSABLE} and not result.diagnoses
    return result.exit_code if is_ours else ExitCode.PASS
