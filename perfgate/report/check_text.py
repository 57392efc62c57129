"""The closing lines of a gate run: counts, what it was judged against, what the change does to the gate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from perfgate.core.verdict import BenchmarkVerdict  # noqa: TC001 - msgspec reads the annotations at run time
from perfgate.report.check_report import verdict_of
from perfgate.report.inert import inert
from perfgate.report.terminal import count_line

if TYPE_CHECKING:
    from collections.abc import Sequence

_SHOWN = 10


class Closing(msgspec.Struct, frozen=True, kw_only=True):
    """What the closing lines say. `edits` and `loosened` are lines of text, `guardrails` one line or ""."""

    verdicts: tuple[BenchmarkVerdict, ...]
    selected: int
    total: int
    base: str
    base_reason: str
    family_error: float
    exit_code: int
    common_mode: str = ""
    guardrails: str = ""
    edits: tuple[str, ...] = ()
    loosened: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def closing_lines(closing: Closing) -> list[str]:
    """Lines in a fixed order; one without data is left out."""
    left_out = closing.total - closing.selected
    lines = [closing.guardrails] if closing.guardrails else []
    lines.append(
        f"{count_line(closing.verdicts, left_out)}; {len(closing.verdicts)} of {closing.total} judged "
        f"against {closing.base[:7]} ({closing.base_reason}), family error {closing.family_error:.0%}"
    )
    if left_out:
        lines.append(f"{closing.selected} of {closing.total} selected: a partial verdict")
    if closing.common_mode:
        lines.append(closing.common_mode)
    lines += _section("this change edits the gate:", closing.edits)
    lines += _section("looser than base, so not applied:", closing.loosened)
    lines += [f"note: {note}" for note in closing.notes]
    lines.append(f"verdict: {verdict_of(closing.exit_code).upper()} (exit {closing.exit_code})")
    return [inert(line) for line in lines]


def _section(title: str, rows: Sequence[str]) -> list[str]:
    if not rows:
        return []
    more = [f"  and {len(rows) - _SHOWN} more"] if len(rows) > _SHOWN else []
    return [title, *(f"  {row}" for row in rows[:_SHOWN]), *more]
