"""Markdown tables of fields, targets, metrics and shipped alerts, from what the validator uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.guardrails.load import alert_rules
from perfgate.guardrails.metric_names import METRIC_NAMES, UNITS, canonical_metric
from perfgate.guardrails.rule_text import rule_in_words, watched_in_words
from perfgate.guardrails.schema import BUDGET, RESERVED, RULE, SETTINGS, TARGET, WAIVER, WHEN
from perfgate.guardrails.targets import builtin_targets

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfgate.guardrails.shape import Field


def reference_tables() -> dict[str, str]:
    """Each table by the name it has in docs/RULES.md."""
    return {
        "file": _fields(RESERVED),
        "rule": _fields(RULE.fields),
        "when": _fields(WHEN.fields),
        "budget": _fields(BUDGET.fields),
        "target": _fields(TARGET.fields),
        "settings": _fields(SETTINGS.fields),
        "waiver": _fields(WAIVER.fields),
        "targets": _table(
            ("target", "watches"), ((f"`{n}`", watched_in_words(t)) for n, t in builtin_targets().items())
        ),
        "metrics": _table(("metric", "unit"), ((f"`{name}`", _unit(name)) for name in METRIC_NAMES)),
        "alerts": _table(
            ("alert", "asks"), ((f"`{rule.id}`", rule_in_words(rule)) for rule in alert_rules())
        ),
    }


def _unit(name: str) -> str:
    metric = canonical_metric(name) or name
    return UNITS[metric] if metric == name else f"the same as `{metric}`"


def _fields(fields: Iterable[Field]) -> str:
    rows = (
        (f"`{field.name}`", field.text + (" (required)" if field.is_required else "")) for field in fields
    )
    return _table(("key", "meaning"), rows)


def _table(head: tuple[str, str], rows: Iterable[tuple[str, str]]) -> str:
    lines = [f"| {head[0]} | {head[1]} |", "|---|---|"]
    lines += [f"| {left} | {right.replace('|', chr(92) + '|')} |" for left, right in rows]
    return "\n".join(lines)
