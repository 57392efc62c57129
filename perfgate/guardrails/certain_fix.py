"""What to write instead of a fault, where a rule gives exactly one text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.config import programs
from perfgate.guardrails.rule import FlagTests, Kind
from perfgate.guardrails.subject import KEYS, canonical_flag
from perfgate.guardrails.value_test import OneOf

if TYPE_CHECKING:
    from perfgate.guardrails.fault import Fault
    from perfgate.guardrails.rule import Rule


def wanted_value(rule: Rule, flag: str) -> str | None:
    """The one value the rule allows or its author says to set; None when there are several."""
    for name, value in rule.fix_set:
        if _same(name, flag):
            return value
    if rule.kind is Kind.FORBID or not isinstance(rule.body, FlagTests):
        return None
    for test in rule.body.tests:
        lists = [item for item in test.tests if isinstance(item, OneOf)]
        if _same(test.flag, flag) and lists and len(lists[0].values) == 1:
            return lists[0].values[0]
    return None


def wanted_text(rule: Rule, fault: Fault) -> str:
    """The fix for people: `--x=NHWC`, `remove --best`, or "" when the rule leaves a choice."""
    value = wanted_value(rule, fault.flag)
    if value is not None:
        return f"{fault.flag}={value}"
    return f"remove {fault.flag}" if rule.kind is Kind.FORBID and fault.is_seen else ""


def _same(written: str, flag: str) -> bool:
    return flag in {written, canonical_flag(written, programs.GFLAGS, ""), canonical_flag(written, KEYS, "")}
