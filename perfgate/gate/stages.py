"""The loop around the decision: judge, take the fresh runs that suspects need, judge again."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from perfgate.gate.decide import judge
from perfgate.gate.decision import Decision, JudgeOptions, RunRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from perfgate.core.record import Record, Run
    from perfgate.gate.thresholds import SuitePolicy

    TakeRuns = Callable[[Sequence[RunRequest]], Mapping[str, tuple[Run, ...]]]


def with_fresh_runs(record: Record, runs: Sequence[Run]) -> Record:
    """The record with these runs appended and marked as fresh, so that the stages stay apart."""
    fresh = tuple(msgspec.structs.replace(run, is_fresh=True) for run in runs)
    return msgspec.structs.replace(record, runs=record.runs + fresh)


def decide_in_stages(
    baselines: Mapping[str, Record],
    candidates: Mapping[str, Record],
    policy: SuitePolicy,
    take_runs: TakeRuns | None,
    *,
    options: JudgeOptions = JudgeOptions(),  # noqa: B008 - a frozen value
) -> Decision:
    """Judge a suite, with fresh runs of the suspects where `take_runs` can take them.

    `take_runs` gets all requests at once and returns the new runs by record key; a key without an answer
    stays as it was and its verdict is `inconclusive`. It is called at most once. `Decision.fresh` holds the
    runs, marked as fresh: append them to the stored records.
    """
    first = judge(
        baselines, candidates, policy, options=replace(options, fresh_allowed=take_runs is not None)
    )
    if take_runs is None or not first.wanted:
        return first
    taken = take_runs(first.wanted)
    merged = {key: with_fresh_runs(record, taken.get(key, ())) for key, record in candidates.items()}
    final = judge(baselines, merged, policy, options=replace(options, fresh_allowed=False))
    fresh = {key: merged[key].runs[len(candidates[key].runs) :] for key in candidates if taken.get(key)}
    return replace(final, fresh=fresh)
