"""Rules in words."""

from __future__ import annotations

import pytest

from perfgate.guardrails.rule_text import rule_in_words
from tests.guard_facts import rules

LONG = "rules: [{{id: r, {}}}]"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("aoe: require --a={X,Y}", "calls of aoe: --a must be one of X, Y"),
        ("aoe: require --a", "calls of aoe: --a must be there"),
        ("aoe: require --a!=X", "calls of aoe: --a must be other than X"),
        ("aoe: forbid --a", "calls of aoe: --a must not be there"),
        ('aoe: "forbid --a>3"', "calls of aoe: --a must not be >3"),
        ("xla: require --a=1", "flags in XLA_FLAGS: --a must be 1"),
        (
            "plan: forbid --a",
            "flags under the key flags of **/*optimization_plan.json: --a must not be there",
        ),
        (
            LONG.format("target: aoe, values: {--a: {glob: 'x*'}}"),
            "calls of aoe: --a, where it is there, must be like x*",
        ),
        (
            LONG.format("target: aoe, values: {--a: {each: [x, y]}}"),
            "calls of aoe: --a, where it is there, must be a list of x, y with ',' between",
        ),
        (
            LONG.format("target: aoe, range: {--a: {min: 1, max: 4}}"),
            "calls of aoe: --a, where it is there, must be >=1 and <=4",
        ),
        (
            LONG.format("target: aoe, range: {--a: {type: size}}"),
            "calls of aoe: --a, where it is there, must be of type size",
        ),
        (LONG.format("target: aoe, at_most_one: [--a, --b]"), "calls of aoe: at most one of --a, --b"),
        (LONG.format("target: aoe, all_or_none: [--a, --b]"), "calls of aoe: all or none of --a, --b"),
        (
            LONG.format("consistent: [{target: aoe, flag: --a}, {target: runtime, key: b}]"),
            "the same value at aoe --a, runtime b",
        ),
        ("latency: <=33ms", "latency <=33ms"),
        (
            LONG.format("alert: {any: ['power>9W', 'time_to_oom<5min'], action: stop}"),
            "power>9W or time_to_oom<5min: stop",
        ),
        (
            LONG.format(
                "target: aoe, forbid: [--a], paths: [x/**], when: {has: [--b, --c], lacks: --d, device: A*,"
                " model: m, flag: {--e: ['1', '2']}, open: false, any: [{shows: --f}, {precision: fp16}],"
                " not: {path: y/**}}"
            ),
            (
                "calls of aoe: --a must not be there when --e=1|2 and --b or --c and without --d"
                " and device A* and model m and all arguments shown"
                " and (--f seen or precision fp16) and not (path y/**) in x/**"
            ),
        ),
    ],
)
def test_rule(text: str, words: str) -> None:
    (rule,) = rules(text).rules
    assert rule_in_words(rule) == words
