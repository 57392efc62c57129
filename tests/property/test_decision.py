"""Properties of the decision (STATISTICS section 15), and any record that decodes gets a verdict."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from perfgate.core.metric import KNOWN_METRICS, Direction
from perfgate.core.record import Record, Run
from perfgate.core.verdict import PRECEDENCE, Verdict
from perfgate.gate.decide import judge
from perfgate.gate.decision import JudgeOptions
from perfgate.gate.thresholds import PolicyRule, SuitePolicy
from tests.noisy_records import Workshop

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfgate.core.verdict import Comparison
    from perfgate.gate.decision import Decision

    Suite = dict[str, Record]

POLICY = SuitePolicy()
FEW = settings(max_examples=20, deadline=None)
SEEDS = st.integers(0, 2**32 - 1)
FACTORS = st.sampled_from([0.9, 0.97, 1.0, 1.02, 1.05, 1.1, 1.5])
MIRROR = {Verdict.REGRESSED: Verdict.IMPROVED, Verdict.IMPROVED: Verdict.REGRESSED}


def suites(seed: int, factor: float, size: int = 9) -> tuple[Suite, Suite]:
    workshop = Workshop(seed)
    baseline = workshop.suite(size, 5)
    workshop.factors["b03[d]"] = factor
    return baseline, workshop.suite(size, 3)


def changed(suite: Suite, change: Callable[[tuple[float, ...]], tuple[float, ...]]) -> Suite:
    """Every run's samples changed alike."""
    return {
        key: msgspec.structs.replace(
            record,
            runs=tuple(
                msgspec.structs.replace(run, samples={"latency": change(run.samples["latency"])})
                for run in record.runs
            ),
        )
        for key, record in suite.items()
    }


def comparisons(decision: Decision) -> list[Comparison]:
    return [item.comparisons[0] for item in decision.benchmarks]


@FEW
@given(seed=SEEDS, factor=FACTORS, scale=st.floats(1e-6, 1e6))
def test_the_unit_does_not_matter(seed: int, factor: float, scale: float) -> None:
    baseline, candidate = suites(seed, factor)
    plain = comparisons(judge(baseline, candidate, POLICY))

    def scaled(values: tuple[float, ...]) -> tuple[float, ...]:
        return tuple(value * scale for value in values)

    other = comparisons(judge(changed(baseline, scaled), changed(candidate, scaled), POLICY))
    for before, after in zip(plain, other, strict=True):
        assert before.verdict is after.verdict
        assert math.isclose(before.p_runs or 0, after.p_runs or 0, rel_tol=1e-6, abs_tol=1e-12)
        assert math.isclose(before.worse_by or 0, after.worse_by or 0, rel_tol=1e-6, abs_tol=1e-9)


@FEW
@given(seed=SEEDS, factor=FACTORS)
def test_swapped_sides_give_the_mirror_image(seed: int, factor: float) -> None:
    # As many runs on both sides. Drift and trend are looked for in the baseline alone, so a swap may move
    # such a guard to the other side: it can hold a verdict back, never turn it round.
    workshop = Workshop(seed)
    baseline = workshop.suite(4, 5)
    workshop.factors["b03[d]"] = factor
    candidate = workshop.suite(4, 5)
    forward = comparisons(judge(baseline, candidate, POLICY))
    backward = comparisons(judge(candidate, baseline, POLICY))
    for one, other in zip(forward, backward, strict=True):
        is_guarded = any("drifts" in note for item in (one, other) for note in item.notes) or any(
            "trend this way" in item.reason for item in (one, other)
        )
        is_held_back = is_guarded and Verdict.INCONCLUSIVE in {one.verdict, other.verdict}
        assert is_held_back or other.verdict is MIRROR.get(one.verdict, one.verdict)
        assert one.worse_by is not None
        assert other.worse_by is not None
        assert math.isclose((1 + one.worse_by) * (1 + other.worse_by), 1.0, rel_tol=1e-9)


@FEW
@given(seed=SEEDS, factor=FACTORS)
def test_a_rate_is_judged_like_its_reciprocal(seed: int, factor: float) -> None:
    baseline, candidate = suites(seed, factor)
    turned = SuitePolicy(rules=(PolicyRule(values={"direction": Direction.HIGHER}),))

    def reciprocal(values: tuple[float, ...]) -> tuple[float, ...]:
        return tuple(1 / value for value in values)

    plain = comparisons(judge(baseline, candidate, POLICY))
    rates = comparisons(judge(changed(baseline, reciprocal), changed(candidate, reciprocal), turned))
    assert [item.verdict for item in plain] == [item.verdict for item in rates]


@FEW
@given(seed=SEEDS, factor=FACTORS)
def test_the_order_of_samples_inside_a_run_does_not_matter(seed: int, factor: float) -> None:
    baseline, candidate = suites(seed, factor)

    def turned(values: tuple[float, ...]) -> tuple[float, ...]:
        return tuple(reversed(values))

    plain = comparisons(judge(baseline, candidate, POLICY))
    other = comparisons(judge(changed(baseline, turned), changed(candidate, turned), POLICY))
    assert [(item.verdict, item.p_runs) for item in plain] == [(item.verdict, item.p_runs) for item in other]


@FEW
@given(seed=SEEDS, factor=st.floats(1.0, 1.2), more=st.floats(1.0, 1.5))
def test_slowing_the_candidate_never_clears_it(seed: int, factor: float, more: float) -> None:
    # one benchmark, so that no common mode moves with it
    baseline, candidate = suites(seed, factor, size=4)
    slower = {**candidate, "b03[d]": changed(candidate, lambda v: tuple(x * more for x in v))["b03[d]"]}
    before, after = (comparisons(judge(baseline, side, POLICY))[3] for side in (candidate, slower))
    assert (after.worse_by or 0) >= (before.worse_by or 0) - 1e-12
    assert (after.p_samples or 0) <= (before.p_samples or 0) + 1e-12
    if before.verdict is Verdict.REGRESSED:
        assert after.verdict is Verdict.REGRESSED


@FEW
@given(seed=SEEDS)
def test_the_same_records_give_the_same_decision(seed: int) -> None:
    baseline, candidate = suites(seed, 1.05)
    assert judge(baseline, candidate, POLICY) == judge(baseline, candidate, POLICY)


NUMBERS = st.floats(allow_nan=True, allow_infinity=True) | st.sampled_from([0.0, 1.0, 5e-324, 1e99, 1e308])
SANE = st.floats(1e-9, 1e9)
SAMPLES = st.lists(SANE, min_size=5, max_size=9) | st.lists(NUMBERS, max_size=6) | st.just([3.0] * 6)
RUNS = st.lists(
    st.dictionaries(
        st.sampled_from(["latency", "throughput", "p99_latency", "cycles"]), SAMPLES.map(tuple), max_size=3
    ),
    max_size=4,
)
METRICS = st.lists(
    st.sampled_from(["latency", "throughput", "p99_latency", "p50_latency", "cycles", "peak_memory"]),
    max_size=4,
)


@st.composite
def any_record(draw: st.DrawFn, name: str) -> Record:
    record = Workshop(0).record(name, 0)
    ruler = msgspec.structs.replace(
        record.ruler, metrics=tuple(KNOWN_METRICS[metric] for metric in draw(METRICS))
    )
    runs = tuple(
        Run(id=number, seed=0, samples=samples, is_fresh=draw(st.booleans()))
        for number, samples in enumerate(draw(RUNS))
    )
    exact = draw(st.dictionaries(st.sampled_from(["cycles", "peak_memory"]), NUMBERS, max_size=2))
    return msgspec.structs.replace(record, ruler=ruler, runs=runs, exact=exact)


@st.composite
def any_pair(draw: st.DrawFn) -> tuple[Suite, Suite]:
    sides: tuple[Suite, Suite] = ({}, {})
    for number in range(draw(st.integers(0, 3))):
        before = draw(any_record(f"b{number}"))
        after = draw(any_record(f"b{number}"))
        if draw(st.booleans()):
            after = msgspec.structs.replace(after, ruler=before.ruler)
        if draw(st.integers(0, 4)):
            sides[0][before.key] = before
        if draw(st.integers(0, 4)):
            sides[1][after.key] = after
    return sides


@settings(max_examples=100, deadline=None)
@given(pair=any_pair(), interleaved=st.booleans(), fresh=st.booleans())
def test_any_record_that_decodes_gets_a_verdict(
    *, pair: tuple[Suite, Suite], interleaved: bool, fresh: bool
) -> None:
    options = JudgeOptions(is_interleaved=interleaved, fresh_allowed=fresh)
    decision = judge(*pair, POLICY, options=options)
    assert len(decision.benchmarks) == len(pair[0].keys() | pair[1].keys())
    for item in decision.benchmarks:
        assert item.verdict in PRECEDENCE
        assert item.reason
        for comparison in item.comparisons:
            numbers = (comparison.worse_by, comparison.low, comparison.high, comparison.p_runs)
            assert all(number is None or math.isfinite(number) for number in numbers), comparison
    msgspec.json.decode(msgspec.json.encode(decision.evidence))


@settings(max_examples=50, deadline=None)
@given(
    values=st.lists(st.floats(1e-90, 1e90), min_size=10, max_size=10),
    others=st.lists(st.floats(1e-90, 1e90), min_size=6, max_size=6),
)
def test_no_nan_for_any_finite_positive_samples(values: list[float], others: list[float]) -> None:
    record = Workshop(0).record("b", 0)
    sides = []
    for numbers in (values, others):
        runs = tuple(
            Run(id=place, seed=0, samples={"latency": tuple((np.array([1, 2, 2, 3, 5]) * value).tolist())})
            for place, value in enumerate(numbers)
        )
        sides.append({record.key: msgspec.structs.replace(record, runs=runs)})
    comparison = judge(sides[0], sides[1], POLICY).benchmarks[0].comparisons[0]
    assert comparison.verdict is not Verdict.INVALID
    assert math.isfinite(comparison.worse_by or 0.0)
