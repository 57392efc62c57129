from __future__ import annotations

import msgspec

from perfgate.core.diagnosis import Cause, Diagnosis, MetricDelta
from perfgate.core.metric import KNOWN_METRICS
from perfgate.diagnose.merge import is_same_cause, merge_causes
from tests.diagnoses import LAYOUT, cause, diagnosis


def delta(name: str, relative: float | None, before: float = 1.0) -> MetricDelta:
    return MetricDelta(
        metric=KNOWN_METRICS[name], before=before, after=before * (1 + (relative or 1.0)), relative=relative
    )


def of(benchmark: str, *causes: Cause, metrics: tuple[MetricDelta, ...]) -> Diagnosis:
    return msgspec.structs.replace(diagnosis(causes=causes), benchmark=benchmark, metrics=metrics)


def test_one_flag_that_hits_three_benchmarks_is_one_cause_with_three_effects_worst_first() -> None:
    found = merge_causes(
        [
            of("a", cause(), metrics=(delta("latency", 0.5),)),
            of("b", cause(), metrics=(delta("latency", 3.0),)),
            of("c", cause(), metrics=(delta("latency", 1.0),)),
        ]
    )
    assert [item.benchmark for item in found] == ["b", "c", "a"]
    for item in found:
        assert [effect.benchmark for effect in item.causes[0].effects] == ["b", "c", "a"]


def test_six_benchmarks_that_one_flag_hits_are_one_cause_with_six_effects() -> None:
    growth = {name: 0.1 * number for number, name in enumerate("abcdef", 1)}
    found = merge_causes(
        [of(name, cause(), metrics=(delta("latency", worse),)) for name, worse in growth.items()]
    )
    assert all(item.causes == found[0].causes for item in found)
    assert [effect.benchmark for effect in found[0].causes[0].effects] == list("fedcba")
    assert all(is_same_cause(found[0], item) for item in found)


def test_the_same_flag_at_another_line_is_another_cause() -> None:
    other = msgspec.structs.replace(LAYOUT, place_after="deploy/other.sh:9:5")
    first, second = merge_causes(
        [
            of("a", cause(), metrics=(delta("latency", 0.5),)),
            of("b", cause(difference=other), metrics=(delta("latency", 0.4),)),
        ]
    )
    assert not is_same_cause(first, second)
    assert [effect.benchmark for effect in first.causes[0].effects] == ["a"]


def test_without_a_difference_the_rule_and_the_operator_make_the_cause() -> None:
    one = msgspec.structs.replace(cause(difference=None), rule="alignment")
    two = msgspec.structs.replace(one, rule="layout")
    three = msgspec.structs.replace(one, operator=None)
    metrics = (delta("latency", 0.5),)
    assert is_same_cause(of("a", one, metrics=metrics), of("b", one, metrics=metrics))
    assert not is_same_cause(of("a", one, metrics=metrics), of("b", two, metrics=metrics))
    assert not is_same_cause(of("a", one, metrics=metrics), of("b", three, metrics=metrics))
    assert not is_same_cause(of("a", metrics=metrics), of("b", metrics=metrics))


def test_sampled_metrics_tell_the_effect_and_exact_ones_where_nothing_else_got_worse() -> None:
    exact, sampled, better = delta("peak_memory", 0.2), delta("latency", 0.5), delta("latency", -0.5)
    (both,) = merge_causes([of("a", cause(), metrics=(exact, sampled))])
    assert [effect.metric for effect in both.causes[0].effects] == ["latency"]
    (alone,) = merge_causes([of("a", cause(), metrics=(exact, better))])
    assert [effect.metric for effect in alone.causes[0].effects] == ["peak_memory"]
    (neither,) = merge_causes([of("a", cause(), metrics=(better,))])
    assert neither.causes[0].effects == ()


def test_a_growth_from_nothing_is_worse_than_any_ratio() -> None:
    copies = MetricDelta(metric=KNOWN_METRICS["copied_bytes"], before=0.0, after=7.0, relative=None)
    first, second = merge_causes(
        [
            of("a", cause(), metrics=(delta("peak_memory", 0.2),)),
            of("b", cause(), metrics=(copies,)),
        ]
    )
    assert (first.benchmark, second.benchmark) == ("b", "a")
    assert [(effect.benchmark, effect.relative) for effect in first.causes[0].effects] == [
        ("b", None),
        ("a", 0.2),
    ]


def test_later_causes_are_merged_as_well_and_order_within_a_diagnosis_stays() -> None:
    second = msgspec.structs.replace(cause(0.6, None), rule="redundancy")
    metrics = (delta("latency", 0.5),)
    merged = merge_causes([of("a", cause(), second, metrics=metrics), of("b", second, metrics=metrics)])
    assert [item.rule for item in merged[0].causes] == ["config_flag", "redundancy"]
    assert {effect.benchmark for effect in merged[0].causes[1].effects} == {"a", "b"}
    assert [effect.benchmark for effect in merged[0].causes[0].effects] == ["a"]


def test_nothing_merges_to_nothing() -> None:
    assert merge_causes([]) == ()
