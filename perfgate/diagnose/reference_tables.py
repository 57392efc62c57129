"""The Markdown table of the rules, from what the engine runs and the limits it reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.diagnose.limits import shipped_limits
from perfgate.diagnose.rules.registry import RULES, SYMPTOMS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perfgate.diagnose.suspect import Rule


def reference_tables() -> dict[str, str]:
    """Each table by the name it has in docs/DIAGNOSIS_RULES.md."""
    limits = shipped_limits()
    rows = [_row(rule, limits[rule.id]) for rule in RULES]
    return {"rules": "\n".join(["| rule | fires when | needs | limits |", "|---|---|---|---|", *rows])}


def _row(rule: Rule, limits: Mapping[str, float]) -> str:
    name = f"`{rule.id}`" + (" (symptom)" if rule.id in SYMPTOMS else "")
    needs = ", ".join(sorted(str(signal) for signal in rule.needs)) or "nothing more than a profile"
    values = ", ".join(f"`{limit}` {value:,g}" for limit, value in limits.items())
    return f"| {name} | {rule.about.replace('|', chr(92) + '|')} | {needs} | {values} |"
