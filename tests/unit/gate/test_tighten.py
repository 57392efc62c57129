from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfgate.core.metric import KNOWN_METRICS
from perfgate.gate.thresholds import Answer, Level, Limit, PolicyRule, SuitePolicy
from perfgate.gate.tighten import tighten

PAIRS = [("a[d]", "latency"), ("b[d]", "peak_memory")]


def policy(**values: object) -> SuitePolicy:
    return SuitePolicy(rules=(PolicyRule(values=values, origin="perfgate.yaml:3:5"),))


@pytest.mark.parametrize(
    ("key", "strict", "loose"),
    [
        ("min_effect", 0.01, 0.05),
        ("equivalence", 0.02, 0.10),
        ("relative", 0.001, 0.5),
        ("absolute", 0.0, 10.0),
        ("alpha", 0.10, 0.01),
        ("tail_effect", 0.03, 0.2),
        ("on_inconclusive", Answer.FAIL, Answer.PASS),
        ("on_missing", Answer.FAIL, Answer.WARN),
        ("on_new", Answer.FAIL, Answer.WARN),
        ("on_changed", Answer.FAIL, Answer.PASS),
        ("common_shift", Answer.FAIL, Answer.WARN),
        ("level", Level.BLOCK, Level.WARN),
        ("bootstrap_veto", False, True),
        ("is_gated", True, False),
        ("limit", Limit(value=1.0), Limit(value=2.0)),
        ("limit", Limit(value=1.0), None),
    ],
)
def test_the_stricter_value_holds_whoever_wrote_it(key: str, strict: object, loose: object) -> None:
    loosened_in_head, notices = tighten(policy(**{key: strict}), policy(**{key: loose}), PAIRS)
    assert getattr(loosened_in_head.for_metric("a[d]", "latency"), key) == strict
    assert [notice.key for notice in notices] == [key]
    tightened_in_head, notices = tighten(policy(**{key: loose}), policy(**{key: strict}), PAIRS)
    assert getattr(tightened_in_head.for_metric("a[d]", "latency"), key) == strict
    assert notices == ()


def test_a_floor_is_stricter_when_it_is_higher() -> None:
    pairs = [("a[d]", "throughput")]
    merged, notices = tighten(policy(limit=Limit(value=30.0)), policy(limit=Limit(value=20.0)), pairs)
    limit = merged.for_metric("a[d]", "throughput").limit
    assert limit == Limit(value=30.0)
    assert any(notice.metric == "throughput" for notice in notices)


def test_a_notice_says_what_is_looser_than_what_and_where() -> None:
    _, notices = tighten(policy(min_effect=0.01), policy(min_effect=0.5), PAIRS)
    assert str(notices[0]) == "perfgate.yaml:3:5: min_effect 0.5 for everything is looser than base's 0.01"


def test_a_policy_that_appears_in_the_change_cannot_loosen_the_defaults() -> None:
    merged, notices = tighten(SuitePolicy(), policy(min_effect=0.5), PAIRS)
    assert merged.for_metric("a[d]", "latency").min_effect == 0.01
    assert notices


def test_a_benchmark_listed_as_removed_counts_only_when_base_lists_it() -> None:
    merged, notices = tighten(SuitePolicy(), SuitePolicy(removed=("a*",)), PAIRS)
    assert merged.removed == ()
    assert [notice.key for notice in notices] == ["removed"]
    merged, _ = tighten(SuitePolicy(removed=("a*",)), SuitePolicy(removed=("a*",)), PAIRS)
    assert merged.removed == ("a*",)


shares = st.floats(min_value=0.0, max_value=1.0, allow_nan=False)


@given(shares, shares, st.sampled_from(list(Answer)), st.sampled_from(list(Answer)))
def test_the_result_is_never_looser_than_base(
    base_effect: float, head_effect: float, base_answer: Answer, head_answer: Answer
) -> None:
    order = [Answer.PASS, Answer.WARN, Answer.FAIL]
    merged, _ = tighten(
        policy(min_effect=base_effect, on_inconclusive=base_answer),
        policy(min_effect=head_effect, on_inconclusive=head_answer),
        PAIRS,
    )
    found = merged.for_metric("a[d]", "latency")
    assert found.min_effect == min(base_effect, head_effect)
    assert order.index(found.on_inconclusive) == max(order.index(base_answer), order.index(head_answer))


@pytest.mark.parametrize(("metric", "default"), [("p95_latency", 0.03), ("p99_latency", 0.05)])
def test_a_percentiles_own_default_is_what_a_change_may_not_loosen(metric: str, default: float) -> None:
    looser = policy(tail_effect=default + 0.01)
    result, notices = tighten(policy(), looser, [("a[d]", metric)])
    assert result.for_metric("a[d]", metric).effect(KNOWN_METRICS[metric]) == default
    assert [notice.key for notice in notices] == ["tail_effect"]


@pytest.mark.parametrize("min_effect", [0.02, 0.10])
def test_a_smallest_effect_of_everything_leaves_the_percentiles_alone(min_effect: float) -> None:
    same = policy(min_effect=min_effect)
    result, _ = tighten(same, same, [("a[d]", "p99_latency")])
    p99 = KNOWN_METRICS["p99_latency"]
    assert same.for_metric("a[d]", p99.name).effect(p99) == 0.05
    assert result.for_metric("a[d]", p99.name).effect(p99) == 0.05
