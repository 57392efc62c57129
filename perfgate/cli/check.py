"""`perfgate check`: guardrails, measuring, the decision, in one go."""

from __future__ import annotations

import datetime as dt
import os
import secrets
import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from perfgate.cli.options import ground_options, json_option, policy_option, selection_options
from perfgate.cli.progress import announce
from perfgate.core.codec import readable_json
from perfgate.core.errors import ExitCode, UsageError
from perfgate.core.finding import Severity
from perfgate.gate.policy_file import percentage
from perfgate.report.budget_table import budget_table
from perfgate.report.check_text import closing_lines
from perfgate.report.failure_text import failure_text, warning_line
from perfgate.report.inert import inert
from perfgate.report.terminal import FULL_WIDTH, verdict_table
from perfgate.workflow.budgets import budget_rows
from perfgate.workflow.checking import run_check
from perfgate.workflow.options import GateOptions
from perfgate.workflow.page_files import require_bokeh
from perfgate.workflow.report_files import write_report_files
from perfgate.workflow.worktree import find_root

if TYPE_CHECKING:
    from perfgate.workflow.checking import CheckResult


@click.command()
@ground_options
@selection_options
@click.option(
    "--min-effect", default=None, metavar="PCT", help="Smallest change worth a failure, such as 1%."
)
@click.option(
    "--inconclusive",
    type=click.Choice(["pass", "warn", "fail"]),
    default=None,
    help="What an inconclusive verdict does (default: that of the policy).",
)
@click.option(
    "--on-guardrail",
    type=click.Choice(["stop", "measure"]),
    default="stop",
    show_default=True,
    help="Measure in spite of a violation, still red.",
)
@click.option(
    "--records", "given", type=click.Path(path_type=Path), help="Judge these records; measure nothing."
)
@click.option("--keep-records", type=click.Path(path_type=Path), help="Keep the measured records there.")
@json_option
@policy_option
@click.option("--markdown", type=click.Path(path_type=Path), help="Write the verdict as Markdown.")
@click.option(
    "--bisect-exit", is_flag=True, help="For `git bisect run`: 0 good, 1 bad, 125 cannot tell, 128 stop."
)
@click.option(
    "--against-record",
    type=click.Path(path_type=Path),
    default=Path(".perfgate/records/endpoints.json"),
    show_default=True,
    help="With --bisect-exit: what `record --endpoints` wrote.",
)
@click.option("-b", "--benchmark", default="", metavar="NAME", help="With --bisect-exit: of this benchmark.")
@click.option(
    "--against",
    default=None,
    metavar="REV",
    help="Build REV and the working tree and measure them in turns, instead of reading baselines.",
)
@click.option("--setup", default=None, metavar="CMD", help="With --against: run in each checkout first.")
@click.option(
    "--diagnose/--no-diagnose",
    "explains",
    default=True,
    show_default=True,
    help="Explain the worst regressions.",
)
@click.option(
    "--html", type=click.Path(path_type=Path), help="Draw the worst regression as a page (extra `report`)."
)
@click.option("--sarif", type=click.Path(path_type=Path), help="Write the guardrail findings as SARIF.")
@click.pass_context
def check(ctx: click.Context, /, given: Path | None, json_file: str | None, **asked: Any) -> None:  # noqa: ANN401 - click's values
    """Check guardrails, measure every benchmark, judge the suite once against the base commit.

    Exit: 0 pass, 1 regression or guardrail violation, 2 usage, 10 inconclusive (when the policy fails on it),
    11 nothing measured or compared, 12 baseline, policy or guardrail file unusable.
    """
    root = find_root(Path.cwd())
    if asked["bisect_exit"]:
        _bisect_exit(ctx, root, asked)
    if asked["html"] is not None:
        require_bokeh("--html")
    effect = asked["min_effect"]
    options = GateOptions(
        root=root,
        base=asked["base"],
        baselines=asked["baselines"],
        devices=asked["devices"],
        runs=asked["runs"],
        seed=asked["seed"],
        min_effect=None if effect is None else percentage(str(effect), "--min-effect", UsageError),
        inconclusive=asked["inconclusive"],
        measure_in_spite=asked["on_guardrail"] == "measure",
        keep_records=asked["keep_records"],
        cache=asked["cache"],
        policy_file=asked["policy_file"],
        json_file=None if json_file in {None, "-"} else Path(str(json_file)),
        markdown_file=asked["markdown"],
        sarif_file=asked["sarif"],
        html_file=asked["html"],
        against=_against(asked, given),
        set_up=tuple(shlex.split(asked["setup"] or "")),
        explains=asked["explains"],
    )
    result = run_check(
        options,
        environment=dict(os.environ),
        today=dt.datetime.now(dt.UTC).date(),
        expression=str(asked["expression"]),
        given=given,
        announce=announce(is_quiet=ctx.obj["quiet"]),
    )
    has_warning = any(item.is_warning for item in result.outcome.verdicts)
    is_mute = ctx.obj["quiet"] and result.exit_code is ExitCode.PASS and not has_warning
    if json_file != "-" and not is_mute:
        _show(result, show_all=ctx.obj["verbose"] > 0)
    value = result.json_value()
    write_report_files(options, value, result.guard)
    if json_file == "-":
        click.echo(readable_json(value), nl=False)
    ctx.exit(int(result.exit_code))


def _against(asked: dict[str, Any], given: Path | None) -> str | None:
    """The revision to measure beside the working tree."""
    if asked["against"] is None and asked["setup"] is not None:
        raise UsageError("--setup builds nothing here", "--setup", "use it with --against REV")
    if asked["against"] is not None and given is not None:
        raise UsageError("--records measures nothing", "--against", "give one of the two")
    revision: str | None = asked["against"]
    return revision


def _bisect_exit(ctx: click.Context, root: Path, asked: dict[str, Any]) -> NoReturn:
    """Judge the working tree against both ends and exit as `git bisect run` wants it."""
    from perfgate.workflow.endpoint_files import judge_working_tree  # noqa: PLC0415 - only for this option

    seed = secrets.randbelow(2**48)  # a launch at every commit of its own
    judged = judge_working_tree(root, root / asked["against_record"], asked["benchmark"], seed=seed)
    click.echo(inert(judged.text))
    click.echo("note: git's search never goes back to a commit; `perfgate bisect` does", err=True)
    ctx.exit(judged.exit_code)


def _show(result: CheckResult, *, show_all: bool) -> None:
    width = shutil.get_terminal_size((FULL_WIDTH, 24)).columns
    for finding in result.guard.findings:
        if finding.severity is not Severity.NOTE or show_all:
            click.echo(inert(f"{finding.span}: {finding.severity}: {finding.message} [{finding.rule}]"))
    budgets = budget_rows(result.guard.evaluation.rules, result.outcome.records, result.ground.benchmarks)
    if budgets:
        click.echo(budget_table(budgets))
    table = verdict_table(result.outcome.verdicts, width, show_all=show_all)
    if table:
        click.echo(table)
    for item in result.outcome.verdicts:
        if item.is_failure:
            click.echo(f"\n{inert(item.key)}")
            click.echo(failure_text(item, result.outcome.explanations.get(item.key)))
    for item in result.outcome.verdicts:
        if item.is_warning:
            click.echo(f"{inert(item.key)}: {warning_line(item)}")
    click.echo()
    for line in closing_lines(result.closing):
        click.echo(line)
