"""`perfgate optimize`: a plan from a diagnosis, its application, and the way back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from perfgate.cli.options import answer, json_option, write_text
from perfgate.cli.say import say
from perfgate.core.codec import readable_json
from perfgate.core.errors import UsageError
from perfgate.plan.plan_report import OptimizeReport, State, plan_lines
from perfgate.plan.shell_word import shell_line
from perfgate.workflow.diagnosis_file import read_diagnosis
from perfgate.workflow.optimising import (
    OUTPUT,
    PlanRequest,
    apply_folder,
    flags_of,
    make_plan,
    roll_back_folder,
    write_plan,
)
from perfgate.workflow.worktree import find_root

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfgate.workflow.diagnosis_file import DiagnosisFile

_PATH = click.Path(path_type=Path)
_DEFAULT = "-"  # `--rollback` without a folder


@click.command()
@click.option("--diagnosis", "diagnosis_file", type=_PATH, default=None, help="What to mend.")
@click.option(
    "-k", "expression", default="", metavar="TEXT", help="The benchmark, where the file has several."
)
@click.option("-o", "--output", type=_PATH, default=OUTPUT, show_default=True, help="Folder of the plan.")
@click.option(
    "--include", multiple=True, type=click.IntRange(1), metavar="N", help="Take fix N whatever its gain."
)
@click.option("--flags-only", is_flag=True, help="Print the changed compile flags as JSON; write nothing.")
@click.option("--apply", "applies", is_flag=True, help="Make the changes of the plan.")
@click.option(
    "--rollback",
    is_flag=False,
    flag_value=_DEFAULT,
    default=None,
    metavar="[DIR]",
    help="Undo the plan of DIR (default: that of -o).",
)
@json_option
@click.pass_context
def optimize(ctx: click.Context, /, output: Path, **asked: Any) -> None:  # noqa: ANN401 - click's values
    """Plan what mends the findings of a diagnosis; with --apply make the changes, with --rollback undo them.

    Without --apply and --rollback nothing of the repository is changed.

    Exit: 0 done, or nothing to change; 2 usage, the plan was tampered with, or a file has changed since.
    """
    root = find_root(Path.cwd())
    is_quiet = ctx.obj["quiet"]
    if asked["rollback"] is not None:
        _roll_back(root, output if asked["rollback"] == _DEFAULT else Path(asked["rollback"]), asked)
        return
    request = PlanRequest(root=root, output=output, include=asked["include"])
    file = None
    if asked["diagnosis_file"] is not None:
        file = read_diagnosis(asked["diagnosis_file"], asked["expression"])
    if asked["applies"]:
        manifest, files = apply_folder(request, file)
        state = State.APPLIED if files else State.PLANNED
        report = OptimizeReport(state=state, plan=manifest.id, manifest=manifest, files=files)
    else:
        planned = _planned(request, file, asked["flags_only"])
        if planned is None:
            return
        report = planned
    _say(report, asked["json_file"], is_quiet=is_quiet)
    if file is not None and file.others and not is_quiet:
        say(f"note: the file also explains {', '.join(file.others)}; choose with -k", err=True)


def _planned(request: PlanRequest, file: DiagnosisFile | None, flags_only: bool) -> OptimizeReport | None:  # noqa: FBT001 - private
    if file is None:
        raise UsageError(
            "no diagnosis is named", "--diagnosis", "name the file `perfgate diagnose --json` wrote"
        )
    plan = make_plan(request, file)
    if flags_only:
        write_text("-", readable_json(flags_of(plan)))
        return None
    write_plan(request, plan)
    return OptimizeReport(state=State.PLANNED, plan=plan.manifest.id, manifest=plan.manifest)


def _roll_back(root: Path, folder: Path, asked: dict[str, Any]) -> None:
    plan, files = roll_back_folder(root, folder)
    report = OptimizeReport(state=State.ROLLED_BACK, plan=plan, files=files)
    lines = [f"plan {plan} is rolled back", *(f"  {shell_line((path,))}" for path in files)]
    answer(asked["json_file"], lines, lambda: report)


def _say(report: OptimizeReport, json_file: str | None, *, is_quiet: bool) -> None:
    lines: Iterable[str] = ()
    if report.manifest is not None and not is_quiet:
        lines = plan_lines(report.manifest, report.state)
    answer(json_file, lines, lambda: report)
