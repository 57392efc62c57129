"""The device computes nothing while a copy runs that an operator waits for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.diagnosis import Evidence
from perfgate.core.difference import DifferenceKind, NewSetting
from perfgate.diagnose.evidence import Step, bytes_text, time_text, worst_first
from perfgate.diagnose.signals import Signal, Signals, operator_ref
from perfgate.diagnose.suspect import Limits, Remedy, Rule, Suspect
from perfgate.diagnose.timeline import COMPUTE, step_kernels, uncovered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.core.execution_profile import KernelRow, OperatorRow, Profile

_H2D = "h2d"


def _match(signals: Signals, limits: Limits) -> Sequence[Suspect]:
    waits = _waits(signals.after)
    before = {} if signals.before is None else _by_name(signals.before)
    rows = {row.number: row for row in signals.after.operators}
    found = []
    for owner, (copy, time) in waits.items():
        row = rows.get(owner)
        if row is None:
            continue
        more = time - _expected(before.get(row.name), copy)
        if more > 0:
            found.append(_suspect(signals, row, copy, more))
    return worst_first(signals, found, limits)


def _expected(old: tuple[KernelRow, int] | None, copy: KernelRow) -> int:
    """The wait of before for the bytes of now: more bytes are more work, not more waiting."""
    if old is None:
        return 0
    link_bytes, time = old[0].link_bytes, old[1]
    return max(time, time * copy.link_bytes // link_bytes) if link_bytes else time


def _waits(profile: Profile) -> dict[int, tuple[KernelRow, int]]:
    """Per operator its longest copy to the device, and the time in which nothing is computed meanwhile.

    Implicit copies have a rule of their own: the reason there is not the waiting.
    """
    rows = step_kernels(profile)
    working = [row for row in rows if row.engine in COMPUTE]
    found: dict[int, tuple[KernelRow, int]] = {}
    for row in rows:
        if row.engine != _H2D or row.implicit or not row.critical:
            continue
        idle = uncovered(row, working) * row.times
        longest, time = found.get(row.owner, (row, 0))
        found[row.owner] = (max(longest, row, key=lambda item: item.duration_ps), time + idle)
    return found


def _by_name(profile: Profile) -> dict[str, tuple[KernelRow, int]]:
    names = {row.number: row.name for row in profile.operators}
    return {names[owner]: found for owner, found in _waits(profile).items() if owner in names}


def _suspect(signals: Signals, row: OperatorRow, copy: KernelRow, time: int) -> Suspect:
    name = copy.name.removesuffix(f":{_H2D}")
    text = f"waits {time_text(time)} for {name} ({bytes_text(copy.link_bytes)} over the link)"
    pinned = NewSetting(kind=DifferenceKind.RUNTIME, name="pinned_memory", value="true")
    return Suspect(
        rule="transfer_wait",
        sentence=f"{row.name} {text}{' more than before' if signals.before is not None else ''}",
        cost=signals.cost(time),
        operator=operator_ref(row),
        evidence=(Evidence(step=Step.PATTERNS, label="waits for a copy", text=f"{row.name} {text}"),),
        remedies=(
            Remedy(
                title="copy from pinned memory",
                risk="host memory that cannot be swapped",
                settings=(pinned,),
            ),
            Remedy(
                title="copy ahead",
                risk="memory for a second buffer",
                advice=f"prefetch {name} into a second buffer while the step before computes",
            ),
        ),
    )


RULE = Rule(
    id="transfer_wait",
    about="Nothing is computed while a copy runs that an operator waits for.",
    needs=frozenset({Signal.KERNELS}),
    match=_match,
)
