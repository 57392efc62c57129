"""Independent work on two engines no longer overlaps, because one stream or a blocking copy is between."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.diagnosis import Evidence
from perfgate.core.difference import DifferenceKind, NewSetting
from perfgate.diagnose.evidence import Step, share_text, time_text, worst_first
from perfgate.diagnose.signals import HOST, Signal, Signals, operator_ref
from perfgate.diagnose.suspect import Limits, Remedy, Rule, Suspect
from perfgate.diagnose.timeline import LINK, overlap, step_kernels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.core.diagnosis import OperatorRef
    from perfgate.core.execution_profile import KernelRow, Profile


def _match(signals: Signals, limits: Limits) -> Sequence[Suspect]:
    after = signals.after
    share = _overlap_share(after)
    if share >= limits["least_overlap"]:
        return ()
    if signals.before is None:
        lost = _could_overlap(after)
    else:
        lost = overlap(signals.before) - overlap(after)
        if _overlap_share(signals.before) <= share:
            return ()
    time = lost * _times(after)
    return worst_first(signals, [_suspect(signals, time)], limits)


def _overlap_share(profile: Profile) -> float:
    return overlap(profile) / profile.graph.makespan_ps if profile.graph.makespan_ps else 0.0


def _times(profile: Profile) -> int:
    return profile.application.steps[0].times if profile.application.steps else 1


def _could_overlap(profile: Profile) -> int:
    """What no schedule can save stays: the longest chain of dependencies, and the busiest engine."""
    busy: dict[str, int] = {}
    for row in step_kernels(profile):
        busy[row.engine] = busy.get(row.engine, 0) + row.duration_ps
    path = profile.graph.critical_path_ps
    if len(busy) <= 1 or not path:  # nothing to overlap with, or dependencies that nobody told
        return 0
    return profile.graph.makespan_ps - max(path, *busy.values())


def _suspect(signals: Signals, time: int) -> Suspect:
    after, before = signals.after, signals.before
    blocker = _blocking(after)
    share = share_text(_overlap_share(after))
    overlapping = share if before is None else f"{share_text(_overlap_share(before))} -> {share}"
    if after.graph.streams <= 1:
        why = "everything waits in one stream"
    elif blocker is not None:
        why = f"{blocker.name} blocks all streams for {time_text(blocker.duration_ps)}"
    else:
        why = _longest_gap(after)
    text = f"overlap of engines {overlapping}, {time_text(time)} lost: {why}"
    return Suspect(
        rule="serialised",
        sentence=text,
        cost=signals.cost(time),
        operator=_operator(signals, blocker),
        evidence=(Evidence(step=Step.PATTERNS, label="serialised", text=text),),
        remedies=_remedies(signals),
    )


def _blocking(profile: Profile) -> KernelRow | None:
    """The longest copy over the link, or work on the host, that another kernel waits for."""
    on_link = [row for row in step_kernels(profile) if row.engine in LINK or row.engine == HOST]
    return max(on_link, key=lambda row: (row.duration_ps, -row.index), default=None)


def _operator(signals: Signals, blocker: KernelRow | None) -> OperatorRef | None:
    if blocker is None or signals.after.graph.streams <= 1:
        return None
    row = next((row for row in signals.after.operators if row.number == blocker.owner), None)
    return None if row is None else operator_ref(row)


def _longest_gap(profile: Profile) -> str:
    gap = max(profile.graph.gaps, key=lambda item: item.length_ps, default=None)
    if gap is None:
        return "no wait is on record"
    return f"stream {gap.stream} waits {time_text(gap.length_ps)} before {gap.before}, for its {gap.cause}"


def _remedies(signals: Signals) -> tuple[Remedy, ...]:
    before = signals.before
    streams = max(2, before.graph.streams if before is not None else 0)
    second = Remedy(
        title=f"run on {streams} streams",
        risk="peak memory may rise",
        settings=(
            NewSetting(kind=DifferenceKind.RUNTIME, name="streams", value=str(streams)),
            NewSetting(kind=DifferenceKind.FLAG, name="--enable_single_stream", value="false"),
        ),
    )
    pinned = Remedy(
        title="copy from pinned memory, without blocking",
        risk="host memory that cannot be swapped",
        settings=(NewSetting(kind=DifferenceKind.RUNTIME, name="pinned_memory", value="true"),),
    )
    drop = Remedy(
        title="drop the sync", risk="", advice="remove the synchronisation between the two branches"
    )
    return (second, drop) if signals.after.graph.streams <= 1 else (pinned, drop)


RULE = Rule(
    id="serialised",
    about="Independent work on two engines no longer overlaps: one stream, or a blocking copy between.",
    needs=frozenset({Signal.KERNELS}),
    match=_match,
)
