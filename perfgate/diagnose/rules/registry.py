"""All rules, in the order in which equal causes are told: the more specific reason first."""

from __future__ import annotations

from perfgate.diagnose.rules import (
    alignment,
    bottleneck,
    comm_wait,
    config_flag,
    consistency,
    dispatch_bound,
    energy,
    fragmentation,
    fusion_lost,
    imbalance,
    implicit_copy,
    kernel_swap,
    layout,
    memory_leak,
    memory_peak,
    more_work,
    pool_growth,
    priority_inversion,
    quantisation,
    recompile,
    redundancy,
    serialised,
    short_tasks,
    stage_inversion,
    suite_shift,
    transfer_bound,
    transfer_wait,
)
from perfgate.diagnose.suspect import Rule  # noqa: TC001 - the type of a public constant

RULES: tuple[Rule, ...] = (
    config_flag.RULE,
    stage_inversion.RULE,
    bottleneck.RULE,
    alignment.RULE,
    layout.RULE,
    redundancy.RULE,
    fusion_lost.RULE,
    quantisation.RULE,
    kernel_swap.RULE,
    recompile.RULE,
    pool_growth.RULE,
    serialised.RULE,
    comm_wait.RULE,
    priority_inversion.RULE,
    transfer_wait.RULE,
    implicit_copy.RULE,
    memory_leak.RULE,
    memory_peak.RULE,
    fragmentation.RULE,
    imbalance.RULE,
    short_tasks.RULE,
    dispatch_bound.RULE,
    transfer_bound.RULE,
    energy.RULE,
    consistency.RULE,
    suite_shift.RULE,
    more_work.RULE,  # the honest reason where no other is left
)
SPECIFICITY = {rule.id: position for position, rule in enumerate(RULES)}
# What is seen of a machine as a whole: evidence for a cause with an operator, else a cause.
SYMPTOMS = frozenset(
    {"short_tasks", "transfer_bound", "dispatch_bound", "imbalance", "energy", "memory_peak", "fragmentation"}
)
