from __future__ import annotations

import pytest

from perfgate.core.metric import KNOWN_METRICS
from perfgate.gate.thresholds import DEFAULT_ORIGIN, PolicyRule, SuitePolicy


def rule(origin: str, match: str = "*", metric: str = "*", **values: object) -> PolicyRule:
    return PolicyRule(match=match, metric=metric, values=values, origin=origin)


def test_the_last_match_wins_key_by_key() -> None:
    policy = SuitePolicy(
        rules=(
            rule("f:1", min_effect=0.02, equivalence=0.05),
            rule("f:2", match="vision/*", min_effect=0.04),
            rule("f:3", match="vision/*", metric="latency", equivalence=0.10),
        )
    )
    found = policy.for_metric("vision/resnet[d]", "latency")
    assert (found.min_effect, found.equivalence) == (0.04, 0.10)
    assert (found.origin("min_effect"), found.origin("equivalence")) == ("f:2", "f:3")
    assert policy.for_metric("audio", "latency").min_effect == 0.02
    assert found.origin("alpha") == DEFAULT_ORIGIN


def test_a_benchmark_matches_by_name_by_key_and_literally() -> None:
    for glob in ("resnet", "resnet[a-b]", "res*", "*"):
        assert rule("f:1", match=glob).applies("resnet[a-b]", "latency"), glob
    assert not rule("f:1", match="resnet[other]").applies("resnet[a-b]", "latency")


def test_a_percentiles_own_rule_sets_its_tail_effect() -> None:
    policy = SuitePolicy(
        rules=(rule("f:1", min_effect=0.02), rule("f:2", metric="p99_latency", min_effect=0.08))
    )
    assert policy.for_metric("b", "p99_latency").effect(KNOWN_METRICS["p99_latency"]) == 0.08
    # the general rule leaves the percentile's default of 3 %
    assert policy.for_metric("b", "p95_latency").effect(KNOWN_METRICS["p95_latency"]) == 0.03
    assert policy.for_metric("b", "latency").effect(KNOWN_METRICS["latency"]) == 0.02


def test_only_rules_for_everything_hold_for_the_suite() -> None:
    policy = SuitePolicy(rules=(rule("f:1", alpha=0.01), rule("f:2", match="b*", alpha=0.2, max_runs=3)))
    assert (policy.suite.alpha, policy.suite.max_runs) == (0.01, 9)


def test_an_unknown_key_raises() -> None:
    with pytest.raises(ValueError, match="min_efect"):
        rule("f:1", min_efect=0.1)


def test_removed_benchmarks_match_by_glob() -> None:
    policy = SuitePolicy(removed=("old_*", "b[d]"))
    assert policy.is_removed("old_net[d]")
    assert policy.is_removed("b[d]")
    assert not policy.is_removed("new[d]")
