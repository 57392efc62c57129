"""What `perfgate optimize` answers: lines for people, one value for machines."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec

from perfgate.core.difference import DifferenceKind
from perfgate.core.units import PS_PER_SECOND, percent, readable
from perfgate.plan.manifest import Manifest  # noqa: TC001 - msgspec reads the annotations at run time
from perfgate.plan.shell_word import shell_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfgate.plan.manifest import TextEdit

_SHORT = 12  # digits of a digest that people read
SCHEMA = "perfgate/optimize/1"


class State(StrEnum):
    """What has become of a plan."""

    PLANNED = "planned"
    APPLIED = "applied"
    ROLLED_BACK = "rolled back"


class OptimizeReport(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a plan after the command; `files` are those it changed. No manifest after a rollback."""

    schema: str = SCHEMA
    exit_code: int = 0
    state: State
    plan: str
    manifest: Manifest | None = None
    files: tuple[str, ...] = ()


def plan_lines(manifest: Manifest, state: State) -> Iterator[str]:
    """The gain, the fixes, every change, what was left out, and the next command."""
    yield f"plan {manifest.id} for {manifest.key}: {gain_text(manifest)}"
    for fix in manifest.fixes:
        share = "gain not simulated" if fix.gain is None else percent(-fix.gain)
        yield f"  fix {fix.number}  {fix.severity}  {share}  {fix.title} (risk: {fix.risk or 'not known'})"
    for item in manifest.files:
        yield from (f"  {item.path}:{edit.line}  {change_text(edit)}" for edit in item.edits)
    yield from (f"  note: {note}" for note in manifest.notes)
    for left in manifest.left_out:
        yield f"  left out: fix {left.number}, {left.title}: {left.reason}"
    if manifest.left_out and state is State.PLANNED:
        yield "  add one by its number: --include N"
    if state is State.APPLIED:
        yield f"applied; undo: {shell_line(('perfgate', 'optimize', '--rollback', manifest.folder))}"
    elif manifest.files:
        yield f"apply: {shell_line(('perfgate', 'optimize', '--apply', '-o', manifest.folder))}"


def gain_text(manifest: Manifest) -> str:
    """`latency 9.13 s -> 2.23 s, -75.6 % (simulated)`."""
    if not manifest.files:
        return "nothing to change"
    found = manifest.prediction
    if found.now is None or found.planned is None:
        return f"{manifest.metric}, the gain of these fixes together was not simulated"
    now, planned = (amount_text(value, manifest.unit) for value in (found.now, found.planned))
    change = "" if found.gain is None else f", {percent(-found.gain)}"
    return f"{manifest.metric} {now} -> {planned}{change} (simulated)"


def amount_text(value: int, unit: str) -> str:
    """A whole amount of a diagnosis for people."""
    if unit == "ps":
        return readable(value / PS_PER_SECOND, "s")
    return readable(value / 1e9, "J") if unit == "nJ" else readable(value, unit)


def change_text(edit: TextEdit) -> str:
    """`--optypelayout NCHW -> NHWC`; of a whole file that it is that of the baseline."""
    if edit.kind in {DifferenceKind.FILE, DifferenceKind.MODEL}:
        return f"the whole file, as the baseline's commit has it ({(edit.after or '')[:_SHORT]})"
    before, after = ("absent" if value is None else value or "set" for value in (edit.before, edit.after))
    return f"{edit.name} {before} -> {after}"
