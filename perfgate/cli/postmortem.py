"""`perfgate postmortem`: the incident as a page, a guardrail and a case."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from perfgate.cli.options import answer, json_option
from perfgate.cli.say import say
from perfgate.plan.case_file import case_path
from perfgate.plan.postmortem_report import PostmortemReport
from perfgate.workflow.diagnosis_file import read_diagnosis
from perfgate.workflow.post_mortems import PostmortemRequest, make_postmortem, write_postmortem
from perfgate.workflow.worktree import find_root

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfgate.workflow.post_mortems import Postmortem

_PATH = click.Path(path_type=Path)


@click.command()
@click.option("--diagnosis", "diagnosis_file", type=_PATH, required=True, help="What has happened.")
@click.option(
    "-k", "expression", default="", metavar="TEXT", help="The benchmark, where the file has several."
)
@click.option("--incident", required=True, metavar="NAME", help='What people call it, such as "sd3 layout".')
@click.option("-o", "--output", type=_PATH, default=None, help="Markdown file (default: standard output).")
@click.option("--validation", type=_PATH, default=None, help="JSON of `perfgate validate`.")
@click.option(
    "--bisect", "bisection", type=_PATH, default=None, help="JSON of `perfgate bisect`: the culprit."
)
@click.option(
    "--append-guardrail",
    "is_guarded",
    is_flag=True,
    help="Add the guardrail, if it rejects the culprit and accepts the present state.",
)
@json_option
@click.pass_context
def postmortem(ctx: click.Context, /, output: Path | None, **asked: Any) -> None:  # noqa: ANN401 - click's values
    """Write the post-mortem of a diagnosis, and keep the incident as a case in perf-cases/.

    Exit: 0 written; 2 usage, or the guardrail is not proven and nothing was written; 12 unusable rule files.
    """
    root = find_root(Path.cwd())
    request = PostmortemRequest(
        root=root,
        incident=asked["incident"],
        diagnosis=read_diagnosis(asked["diagnosis_file"], asked["expression"]).diagnosis,
        diagnosis_file=asked["diagnosis_file"],
        today=dt.datetime.now(dt.UTC).date(),
        validation_file=asked["validation"],
        bisection=asked["bisection"],
        is_guarded=asked["is_guarded"],
    )
    made = make_postmortem(request)
    write_postmortem(request, made, output)
    case = case_path(made.case.incident)
    if output is None and asked["json_file"] != "-":
        say(made.page, nl=False)
    if not ctx.obj["quiet"]:
        for line in _lines(made, output, case):
            say(line, err=True)
    answer(asked["json_file"], (), lambda: _report(made, output, case))


def _lines(made: Postmortem, output: Path | None, case: str) -> Iterator[str]:
    proven = made.proven
    if proven is not None:
        rejected = proven.proof.rejected[0]
        done = "added" if proven.is_needed else "there already"
        yield f"guardrail {done}: {proven.proof.line} (rejects {proven.proof.culprit}: {rejected})"
    yield f"case: {case}"
    if output is not None:
        yield f"post-mortem: {output}"


def _report(made: Postmortem, output: Path | None, case: str) -> PostmortemReport:
    proven = made.proven
    return PostmortemReport(
        incident=made.case.incident,
        page="" if output is None else str(output),
        case=case,
        guardrail="" if proven is None else proven.proof.line,
        is_added=proven is not None and proven.is_needed,
        rejected=() if proven is None else proven.proof.rejected,
    )
