"""What the suite's samples say about the host and the baseline, besides the verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfgate.gate.ground import Ground
    from perfgate.gate.sampled import SampledDecision
    from perfgate.gate.sampled_case import SuiteRule


def suite_notes(decision: SampledDecision, rule: SuiteRule) -> tuple[str, ...]:
    """One line per finding and metric: drift, modes, a baseline that is not replicated."""
    notes = [note for ground in decision.grounds for note in _notes(ground, rule)]
    if rule.uses_permutation and decision.outcomes and not decision.is_permuted:
        notes.append("method permutation needs equal run counts, 3 v 3 or more: used the t test")
    return tuple(notes)


def _notes(ground: Ground, rule: SuiteRule) -> list[str]:
    metric = ground.cases[0].metric.name
    notes = []
    if ground.drift.is_drifting:
        notes.append(
            f"{metric}: this host drifts (neighbouring runs are alike, V = {ground.drift.ratio:.2f} instead "
            "of 2): record the baseline again, or compare interleaved"
        )
    modal = len(ground.modes.modal)
    if ground.modes.share > 0:
        needed = ground.needed_runs(rule.alpha, slower=True)
        notes.append(
            f"{metric}: {modal} of {len(ground.cases)} benchmarks have runs in two modes: a regression needs "
            f"{needed} candidate runs"
        )
    single = sum(1 for case in ground.cases if len(case.baseline) == 1)
    if single:
        notes.append(
            f"{metric}: {single} of {len(ground.cases)} baselines hold one run only: they can warn, not fail"
        )
    return notes
