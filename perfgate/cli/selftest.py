"""`perfgate selftest`: how often this gate calls unchanged code slower, and what it can see."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import click

from perfgate.cli.options import answer, json_option, policy_option
from perfgate.core.errors import UsageError
from perfgate.diagnose.confidence import shipped_calibration
from perfgate.gate.policy_file import percentage
from perfgate.gate.selftest import SelftestPlan
from perfgate.gate.selftest_text import selftest_lines
from perfgate.report.calibration_report import calibration_lines, calibration_report
from perfgate.workflow.selftesting import run_selftest
from perfgate.workflow.worktree import find_root


@click.command()
@click.option(
    "-k", "sets", type=click.IntRange(1, 100_000), default=20, show_default=True, help="Unchanged sets."
)
@click.option("--runs", type=click.IntRange(1, 100), default=5, show_default=True, help="Baseline runs.")
@click.option(
    "--inject", default=None, metavar="PCT", help="Slow one benchmark at a time and count what is found."
)
@click.option("--device", "devices", multiple=True, metavar="NAME", help="Only this device; repeat for more.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the noise.")
@click.option(
    "--calibration", is_flag=True, help="Print how often a stated confidence was right, and measure nothing."
)
@json_option
@policy_option
@click.pass_context
def selftest(ctx: click.Context, /, sets: int, runs: int, inject: str | None, **asked: Any) -> None:  # noqa: ANN401 - click's values
    """Judge unchanged code: false alarms with their interval, and the smallest change seen per benchmark.

    Exit: 0; 1 when even the interval's lower end exceeds alpha; 2 usage; 11 nothing ran; 12 a broken policy.
    """
    if asked["calibration"]:
        found = calibration_report(shipped_calibration())
        answer(asked["json_file"], calibration_lines(found), lambda: found)
        return
    share = None if inject is None else percentage(inject, "--inject", UsageError)
    plan = SelftestPlan(sets=sets, runs=runs, first_runs=runs, new_baselines=True, inject=share)
    report = run_selftest(
        find_root(Path.cwd()),
        plan,
        devices=asked["devices"],
        seed=asked["seed"],
        today=dt.datetime.now(dt.UTC).date(),
        policy_file=asked["policy_file"],
    )
    answer(asked["json_file"], selftest_lines(report), lambda: report)
    ctx.exit(int(report.exit_code))
