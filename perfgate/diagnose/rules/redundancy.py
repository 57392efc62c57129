"""Work that is done twice, that nobody reads, or that a loop repeats: what clean-up passes take away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.core.diagnosis import Evidence
from perfgate.core.difference import DifferenceKind, NewSetting
from perfgate.diagnose.evidence import Step, and_more, time_text, worst_first
from perfgate.diagnose.labels import FUSION, is_needless, name_of, needless_names
from perfgate.diagnose.signals import Signal, Signals, operator_ref, work_of
from perfgate.diagnose.suspect import Limits, Remedy, Rule, Suspect

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.core.execution_profile import OperatorRow, Profile
    from perfgate.core.pass_entry import PassEntry

_WORDS = {
    "cse": "duplicated subexpressions",
    "dce": "operators that reach no output",
    "loop_invariant": "operators that a loop repeats without need",
}
_TIMES = "times"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Waste:
    """Needless work of one kind: entries of the pass log and the time of each operator that does it."""

    entries: tuple[PassEntry, ...] = ()
    times: tuple[tuple[OperatorRow, int], ...] = ()

    @property
    def time_ps(self) -> int:
        return sum(time for _, time in self.times)


def _match(signals: Signals, limits: Limits) -> Sequence[Suspect]:
    found = []
    for name in _WORDS:
        after = _waste(signals.after, name)
        before = _Waste() if signals.before is None else _waste(signals.before, name)
        if after.times and len(after.entries) > len(before.entries):
            found.append(_suspect(signals, name, before, after))
    return worst_first(signals, found, limits)


def _waste(profile: Profile, name: str) -> _Waste:
    entries = [entry for entry in profile.pass_log if entry.pass_name == name and is_needless(entry)]
    kept = {name_of(entry.before[-1]): _needless(entry) for entry in entries}
    rows = [(row, round(work_of([row]) * _needless_share(row, kept))) for row in profile.operators]
    return _Waste(entries=tuple(entries), times=tuple((row, time) for row, time in rows if time))


def _needless(entry: PassEntry) -> float:
    """All of it; of what a loop makes `times` times, all but the first."""
    times = entry.details.get(_TIMES, 0)
    return 1 - 1 / times if isinstance(times, int) and times > 1 else 1.0


def _needless_share(row: OperatorRow, kept: dict[str, float]) -> float:
    """Share of an operator's time; in a fused kernel the nodes count alike."""
    names = [node.name for node in row.sources] or [row.name]
    return sum(kept.get(name, 0.0) for name in names) / len(names)


def _suspect(signals: Signals, name: str, before: _Waste, after: _Waste) -> Suspect:
    worst, _ = max(after.times, key=lambda item: (item[1], -item[0].number))
    ref = operator_ref(worst)
    count, old = len(after.entries), len(before.entries)
    text = f"{count} {_WORDS[name]}, {time_text(after.time_ps)}"
    if old:
        text += f" ({old} before)"
    return Suspect(
        rule="redundancy",
        sentence=f"{text}: {and_more(ref, after.times)}",
        cost=signals.cost(after.time_ps - before.time_ps + _blocked(signals)),
        operator=ref,
        evidence=(Evidence(step=Step.PASS_LOG, label=name, text=after.entries[0].reason),),
        remedies=_remedies(name, after),
    )


def _blocked(signals: Signals) -> int:
    """What operators lose that fused before and now stand beside needless readers of their result."""
    log = signals.after.pass_log
    needless = needless_names(log)
    anchors = {
        name_of(entry.before[0])
        for entry in log
        if entry.pass_name == FUSION and entry.before and name_of(entry.before[-1]) in needless
    }
    return sum(
        matched.work_delta_ps
        for matched in signals.matched
        if matched.before and matched.work_delta_ps > 0 and any(row.name in anchors for row in matched.after)
    )


def _remedies(name: str, waste: _Waste) -> tuple[Remedy, ...]:
    export = Remedy(
        title="export the model again",
        risk="none, same numerics",
        advice=f"take these {_WORDS[name]} out of the model where it is exported",
    )
    if all(entry.code != "switched-off" for entry in waste.entries):
        return (export,)
    setting = NewSetting(kind=DifferenceKind.FLAG, name="--disable_pass", value=None)
    enable = Remedy(title=f"switch pass {name} on", risk="none, same numerics", settings=(setting,))
    return enable, export


RULE = Rule(
    id="redundancy",
    about="Equal subexpressions, operators that reach no output or loop invariants run, more than before.",
    needs=frozenset({Signal.PASS_LOG}),
    match=_match,
)
