"""All rules, in the order in which equal causes are told: the more specific reason first."""

from __future__ import annotations

from perfgate.diagnose.rules import config_flag, implicit_copy
from perfgate.diagnose.suspect import Rule  # noqa: TC001 - the type of a public constant

RULES: tuple[Rule, ...] = (config_flag.RULE, implicit_copy.RULE)
SPECIFICITY = {rule.id: position for position, rule in enumerate(RULES)}
# What is seen of a machine as a whole: evidence for a cause with an operator, else a cause.
SYMPTOMS = frozenset(
    {"short_tasks", "transfer_bound", "dispatch_bound", "imbalance", "energy", "memory_peak", "fragmentation"}
)
