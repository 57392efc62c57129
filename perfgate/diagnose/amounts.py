"""The focus metric of a profile as a whole number, and its delta split over owners where it is no time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.diagnosis import Attribution, AttributionRow, Focus, RowKind
from perfgate.diagnose.signals import operator_ref, sum_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.core.execution_profile import Profile
    from perfgate.diagnose.signals import Matched

UNITS = {Focus.LATENCY: "ps", Focus.TAIL: "ps", Focus.MEMORY: "B", Focus.ENERGY: "nJ", Focus.COPIES: "B"}
METRICS = {
    Focus.LATENCY: "latency",
    Focus.TAIL: "p99_latency",
    Focus.MEMORY: "peak_memory",
    Focus.ENERGY: "energy_j",
    Focus.COPIES: "copied_bytes",
}
ALIASES = {
    "latency_regression": Focus.LATENCY,
    "training_step": Focus.LATENCY,
    "latency_spike": Focus.TAIL,
    "power_consumption": Focus.ENERGY,
}
NANO = 1e9
_MOST_ROWS = 5


def amount_of(profile: Profile, focus: Focus) -> int:
    """Picoseconds, bytes or nanojoules of one execution, by focus."""
    if focus is Focus.MEMORY:
        return profile.hardware.memory.peak
    if focus is Focus.ENERGY:
        return sum(_nanojoules(profile).values())
    if focus is Focus.COPIES:
        return profile.application.copied_bytes
    return profile.application.total_ps


def attribute_amount(
    before: Profile, after: Profile, matched: Sequence[Matched], focus: Focus
) -> Attribution:
    """Split bytes or energy: copies by operator, energy by engine, peak memory by pool.

    Raises:
        ArithmeticError: parts and total differ.
    """
    sides = amount_of(before, focus), amount_of(after, focus)
    if focus is Focus.COPIES:
        rows = _copies(matched)
    elif focus is Focus.ENERGY:
        rows = _by_name(_nanojoules(before), _nanojoules(after))
    else:
        rows = _by_name(_pools(before), _pools(after))
    found = Attribution(
        unit=UNITS[focus],
        before=sides[0],
        after=sides[1],
        rows=rows,
        residual=0,
        steps=max(1, after.application.iterations),
        paired=sum(bool(item.before and item.after) for item in matched),
    )
    if sum(row.delta for row in rows) != found.total:
        raise ArithmeticError(f"{after.device}: parts of {focus} do not sum to {found.total} {found.unit}")
    return found


def _nanojoules(profile: Profile) -> dict[str, int]:
    return {name: round(joules * NANO) for name, joules in profile.hardware.energy_j.items()}


def _pools(profile: Profile) -> dict[str, int]:
    memory = profile.hardware.memory
    known = {"weights": memory.weights, "activations": memory.activations, "workspace": memory.workspace}
    return {**known, "not planned": memory.peak - sum(known.values())}


def _by_name(before: dict[str, int], after: dict[str, int]) -> tuple[AttributionRow, ...]:
    names = dict.fromkeys([*after, *before])
    rows = [
        AttributionRow(kind=RowKind.OTHER, label=name, before=before.get(name, 0), after=after.get(name, 0))
        for name in names
        if before.get(name, 0) or after.get(name, 0)
    ]
    return tuple(sorted(rows, key=lambda row: (-row.delta, row.label)))


def _copies(matched: Sequence[Matched]) -> tuple[AttributionRow, ...]:
    rows = []
    for item in matched:
        old, new = sum_of(item.before, "copied_bytes"), sum_of(item.after, "copied_bytes")
        if old or new:
            row = max(item.after or item.before, key=lambda row: (row.copied_bytes, -row.number))
            rows.append(
                AttributionRow(
                    kind=RowKind.OPERATOR,
                    label=row.name,
                    operator=operator_ref(row),
                    before=old,
                    after=new,
                    count=sum_of(item.after, "copies"),
                )
            )
    rows.sort(key=lambda row: (-row.delta, row.label))
    shown, rest = rows[:_MOST_ROWS], rows[_MOST_ROWS:]
    if not rest:
        return tuple(shown)
    others = AttributionRow(
        kind=RowKind.OTHER,
        label=f"{len(rest)} other operators",
        before=sum(row.before for row in rest),
        after=sum(row.after for row in rest),
        count=sum(row.count for row in rest),
    )
    return (*shown, others)
