"""A stride is no multiple of what the device moves at once, so a conversion takes a slow way."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.core.diagnosis import Evidence
from perfgate.core.difference import DifferenceKind, NewSetting
from perfgate.diagnose.evidence import Step, and_more, time_text, worst_first
from perfgate.diagnose.labels import name_of
from perfgate.diagnose.signals import Matched, Signal, Signals, sum_of
from perfgate.diagnose.suspect import Limits, Remedy, Rule, Suspect

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from perfgate.core.execution_profile import OperatorRow
    from perfgate.core.pass_entry import PassEntry

_STRIDE, _PAD_TO, _ROUTE = "stride", "pad_to", "route"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Misaligned:
    """An operator whose conversions miss the alignment more often than before."""

    matched: Matched
    entry: PassEntry
    count: int

    @property
    def time_ps(self) -> int:
        return _spent(self.matched.after) - _spent(self.matched.before)


def _match(signals: Signals, limits: Limits) -> Sequence[Suspect]:
    before, after = _by_operator(signals.passes_before), _by_operator(signals.after.pass_log)
    groups: dict[tuple[object, ...], list[_Misaligned]] = {}
    for matched in signals.compared:
        new = _not_before(
            [entry for row in matched.after for entry in after.get(row.name, ())],
            [entry for row in matched.before for entry in before.get(row.name, ())],
        )
        if not new:
            continue
        item = _Misaligned(matched=matched, entry=_most_common(new), count=len(new))
        if item.time_ps > 0:
            key = (item.entry.details[_STRIDE], item.entry.details[_PAD_TO], item.entry.details[_ROUTE])
            groups.setdefault(key, []).append(item)
    return worst_first(signals, [_suspect(signals, group) for group in groups.values()], limits)


def _by_operator(log: Iterable[PassEntry]) -> dict[str, list[PassEntry]]:
    """Layout entries that know a stride, by the name of the operator that asked for the conversion."""
    found: dict[str, list[PassEntry]] = {}
    for entry in log:
        if _STRIDE in entry.details and entry.before:
            found.setdefault(name_of(entry.before[0]), []).append(entry)
    return found


def _not_before(after: Iterable[PassEntry], before: Iterable[PassEntry]) -> list[PassEntry]:
    """Entries of another stride or way, or more of them than before."""
    old = Counter(str(entry.details) for entry in before)
    new = []
    for entry in after:
        if old[str(entry.details)] > 0:
            old[str(entry.details)] -= 1
        else:
            new.append(entry)
    return new


def _most_common(entries: Sequence[PassEntry]) -> PassEntry:
    counts = Counter(str(entry.details) for entry in entries)
    return max(entries, key=lambda entry: counts[str(entry.details)])


def _spent(rows: Sequence[OperatorRow]) -> int:
    return sum_of(rows, "conversions_ps") + sum_of(rows, "copies_ps")


def _suspect(signals: Signals, group: list[_Misaligned]) -> Suspect:
    worst = max(group, key=lambda item: item.time_ps)
    facts = worst.entry.details
    time = sum(item.time_ps for item in group)
    where = "on the host" if facts[_ROUTE] == "host" else "on the device, by a slower way"
    text = (
        f"stride {facts[_STRIDE]} is no multiple of {facts['alignment']}, nearest {facts['nearest']}:"
        f" {sum(item.count for item in group)} conversions run {where}, {time_text(time)}"
    )
    ref = worst.matched.ref
    copied = sum(_copied(item.matched) for item in group)
    return Suspect(
        rule="alignment",
        sentence=f"{and_more(ref, group)}: {text}",
        cost=signals.cost(time, copied),
        operator=ref,
        evidence=(Evidence(step=Step.PASS_LOG, label="alignment", text=worst.entry.reason),),
        remedies=_remedies(signals, facts, worst.entry.reason),
    )


def _copied(matched: Matched) -> int:
    return sum_of(matched.after, "copied_bytes") - sum_of(matched.before, "copied_bytes")


def _remedies(signals: Signals, facts: dict[str, int | str], reason: str) -> tuple[Remedy, ...]:
    pad = Remedy(
        title=f"pad the stride to {facts[_PAD_TO]}",
        risk="a few bytes more per row",
        advice=(
            f"pad the data so that stride {facts[_STRIDE]} becomes {facts[_PAD_TO]}, or choose a size with"
            f" stride {facts['nearest']}; multiples of {facts['alignment']} elements are aligned"
        ),
    )
    machine = signals.machine
    if machine is None or machine.native_layout not in reason:
        return (pad,)
    native = NewSetting(kind=DifferenceKind.FLAG, name="--optypelayout", value=machine.native_layout)
    title = f"store data in {machine.native_layout}, where this stride does not count"
    return (pad, Remedy(title=title, risk="none, same numerics", settings=(native,)))


RULE = Rule(
    id="alignment",
    about="A stride is no multiple of the device's alignment, so a conversion runs slowly or on the host.",
    needs=frozenset({Signal.PASS_LOG}),
    match=_match,
)
