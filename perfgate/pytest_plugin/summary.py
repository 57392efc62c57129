"""What the terminal shows of the gate: the header lines and the section at the end, from finished values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate import __version__
from perfgate.report.check_text import closing_lines
from perfgate.report.inert import inert
from perfgate.report.terminal import verdict_table

if TYPE_CHECKING:
    import pytest

    from perfgate.pytest_plugin.state import SessionState


def header_lines(state: SessionState) -> list[str]:
    """What is judged against what, before anything is measured."""
    ground = state.ground
    if ground is None:
        return []
    devices = sorted({item.device for item in ground.benchmarks})
    count = f"{len(ground.benchmarks)} benchmarks on {len(devices)} devices ({', '.join(devices)})"
    if not devices:
        count = "no suite file"
    judged = f"baselines from {ground.base.short} ({ground.base.reason})"
    effect = f"min effect {ground.policy.suite.min_effect:.1%}"
    lines = [f"perfgate {__version__}: {count}, {judged}, {effect}", *state.remarks]
    return [inert(line) for line in lines]


def write_summary(reporter: pytest.TerminalReporter, state: SessionState) -> None:
    """The section at the end; if it cannot be drawn, one line says so and the verdict stands."""
    if state.outcome is None or state.ground is None:
        return
    reporter.section("perfgate")
    try:
        lines = _lines(state, reporter.config.get_terminal_writer().fullwidth)
    except Exception as problem:  # noqa: BLE001 - a report that fails must not change a verdict
        lines = [
            f"perfgate: the summary cannot be drawn ({problem!r}); the verdict stands in the reports above"
        ]
    for line in lines:
        reporter.write_line(line)


def _lines(state: SessionState, width: int) -> list[str]:
    outcome, ground = state.outcome, state.ground
    if outcome is None or ground is None:
        return []
    table = verdict_table(outcome.verdicts, width)
    return [*([table] if table else []), *closing_lines(state.closing())]
