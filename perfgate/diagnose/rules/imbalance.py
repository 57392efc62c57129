"""Like engines share the work unevenly: the busiest one decides, the others wait."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.diagnosis import Evidence
from perfgate.diagnose.engine_loads import balance, core_loads, like_engines, lost_in_last_wave
from perfgate.diagnose.evidence import Step, share_text, time_text, worst_first
from perfgate.diagnose.signals import Signals, operator_ref
from perfgate.diagnose.suspect import Limits, Remedy, Rule, Suspect

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perfgate.core.diagnosis import OperatorRef
    from perfgate.core.execution_profile import Profile

Loads = dict[str, int]


def _match(signals: Signals, limits: Limits) -> Sequence[Suspect]:
    found = []
    for stem, loads in _all_loads(signals.after).items():
        before = {} if signals.before is None else _all_loads(signals.before).get(stem, {})
        is_uneven = balance(loads) < limits["least_balance"]
        if is_uneven and (signals.before is None or balance(loads) < balance(before)):
            lost = _lost(loads) - (_lost(before) if before else 0)
            found.append(_suspect(signals, stem, loads, lost))
    return worst_first(signals, found, limits)


def _all_loads(profile: Profile) -> dict[str, Loads]:
    found: dict[str, Loads] = dict(like_engines(profile))
    cores = 0 if profile.machine is None else profile.machine.cores.matrix
    loads = core_loads(profile, cores)
    if any(loads.values()):
        found["matrix core"] = loads
    return found


def _lost(loads: Mapping[str, int]) -> int:
    """What an even split would save: the busiest engine against the mean."""
    return max(loads.values()) - sum(loads.values()) // len(loads)


def _suspect(signals: Signals, stem: str, loads: Mapping[str, int], lost: int) -> Suspect:
    most = max(loads, key=lambda name: loads[name])
    least = min(loads, key=lambda name: loads[name])
    text = (
        f"{most} is busy for {time_text(loads[most])}, {least} for {time_text(loads[least])}:"
        f" {share_text(loads[most] / sum(loads.values()))} of the work on 1 of {len(loads)}"
    )
    ref = _worst_operator(signals)
    where = f" (most in {ref.name})" if ref is not None else ""
    return Suspect(
        rule="imbalance",
        sentence=f"{stem}s share the work unevenly: {text}{where}",
        cost=signals.cost(lost),
        operator=ref,
        evidence=(Evidence(step=Step.PATTERNS, label="balance", text=text),),
        remedies=(
            Remedy(
                title="split on another axis",
                risk="none, same numerics",
                advice=f"split the work so that every {stem} gets a like part: another axis, or a size"
                f" that is a multiple of {len(loads)} tiles",
            ),
        ),
    )


def _worst_operator(signals: Signals) -> OperatorRef | None:
    """Whose products leave most time of the cores unused."""
    machine = signals.machine
    if machine is None:
        return None
    lost = {
        owner: sum(lost_in_last_wave(row, machine.cores.matrix) for row in rows)
        for owner, rows in signals.kernels_after.items()
    }
    worst = max(lost, key=lambda owner: lost[owner], default=-1)
    row = next((row for row in signals.after.operators if row.number == worst), None)
    return operator_ref(row) if row is not None and lost[worst] else None


RULE = Rule(
    id="imbalance",
    about="Like engines share the work unevenly: least over most busy falls below the limit.",
    needs=frozenset(),
    match=_match,
)
