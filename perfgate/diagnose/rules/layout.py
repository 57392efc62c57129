"""Operators get a layout that their engine does not work in, and conversions stand around them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.diagnosis import Evidence
from perfgate.core.difference import DifferenceKind, NewSetting
from perfgate.diagnose.evidence import Step, and_more, time_text, worst_first
from perfgate.diagnose.signals import Matched, Signal, Signals, sum_of
from perfgate.diagnose.suspect import Limits, Remedy, Rule, Suspect
from perfgate.diagnose.timeline import LINK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.core.device import Device
    from perfgate.core.execution_profile import KernelRow, OperatorRow

_BETWEEN = "->"
_UNNAMED = "another layout"  # very large programs keep only some of their kernels


def _match(signals: Signals, limits: Limits) -> Sequence[Suspect]:
    machine = signals.machine
    if machine is None:
        return ()
    by_layout: dict[str, list[Matched]] = {}
    for matched in signals.compared:
        if signals.before is not None and signals.has_more_to_hand_over(matched):
            continue  # a new output of the model is converted to the caller's order, as it has to be
        layout = _foreign_layout(signals, matched, machine)
        if layout and _added(matched) > 0:
            by_layout.setdefault(layout, []).append(matched)
    # A conversion that only moved to another operator costs nothing.
    net = sum(map(_added, signals.compared))
    found = [_suspect(signals, layout, group, machine) for layout, group in by_layout.items() if net > 0]
    return worst_first(signals, found, limits)


def _spent(rows: Sequence[OperatorRow]) -> int:
    return sum_of(rows, "conversions_ps") + sum_of(rows, "copies_ps")


def _added(matched: Matched) -> int:
    return _spent(matched.after) - _spent(matched.before)


def _foreign_layout(signals: Signals, matched: Matched, machine: Device) -> str:
    """The layout that the engine does not work in, of a conversion that was not there before."""
    if not any(row.number in signals.kernels_after for row in matched.after):
        return _UNNAMED
    own = {machine.native_layout, machine.matrix_layout}
    before = [form for row in matched.before for form in _forms(signals.kernels_before.get(row.number, ()))]
    for row in matched.after:
        for form in _forms(signals.kernels_after.get(row.number, ())):
            if form in before:
                before.remove(form)
                continue
            foreign = [layout for layout in form.split(_BETWEEN) if layout not in own]
            if foreign:
                return foreign[0]
    return ""


def _forms(kernels: Sequence[KernelRow]) -> list[str]:
    """Of a round trip over the host the reorder counts, not its two copies."""
    return [
        row.variant for row in kernels if row.implicit and _BETWEEN in row.variant and row.engine not in LINK
    ]


def _suspect(signals: Signals, layout: str, group: list[Matched], machine: Device) -> Suspect:
    worst = max(group, key=_added)
    steps = max(1, signals.after.application.iterations)
    rows = [row for matched in group for row in matched.after]
    old = [row for matched in group for row in matched.before]
    wanted = machine.matrix_layout if layout == _logical(machine) else machine.native_layout
    text = (
        f"conversions {_crossings(worst.after) // steps} at {worst.ref.name},"
        f" {_crossings(rows) // steps} per step in all, {time_text(sum(map(_added, group)))}"
    )
    return Suspect(
        rule="layout",
        sentence=f"{and_more(worst.ref, group)} got {layout}, {machine.name} works in {wanted}: {text}",
        cost=signals.cost(
            sum(map(_added, group)), sum_of(rows, "copied_bytes") - sum_of(old, "copied_bytes")
        ),
        operator=worst.ref,
        evidence=(Evidence(step=Step.KERNELS, label="layout conversions", text=text),),
        remedies=_remedies(wanted, machine),
    )


def _logical(machine: Device) -> str:
    """What a matrix product reads from where the device's own matrix form is another."""
    return "" if machine.matrix_layout == "ND" else "ND"


def _crossings(rows: Sequence[OperatorRow]) -> int:
    """Conversions on the device, and round trips: down and up again is one."""
    return sum_of(rows, "conversions") + sum_of(rows, "copies") // 2


def _remedies(wanted: str, machine: Device) -> tuple[Remedy, ...]:
    advice = Remedy(
        title="move the conversion out of the loop",
        risk="none, same numerics",
        advice=f"convert to {wanted} once where the data enters, and keep it between the operators",
    )
    if wanted != machine.native_layout:
        return (advice,)
    setting = NewSetting(kind=DifferenceKind.FLAG, name="--optypelayout", value=wanted)
    return (
        Remedy(title=f"store data in {wanted}", risk="none, same numerics", settings=(setting,)),
        advice,
    )


RULE = Rule(
    id="layout",
    about="An operator gets another layout than its engine works in, and conversions stand around it.",
    needs=frozenset({Signal.MACHINE, Signal.KERNELS}),
    match=_match,
)
