"""A diagnosis loses nothing: parts sum to the delta whatever is compared, and every effect is kept."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from perfgate.compiler.program import Program  # noqa: TC001 - hypothesis reads the annotations
from perfgate.compiler.runtime import RuntimeConfig
from perfgate.core.diagnosis import Cause, Diagnosis, Effect, Focus, MetricDelta, OperatorRef
from perfgate.core.execution_profile import Profile, summarise
from perfgate.core.metric import KNOWN_METRICS
from perfgate.diagnose.amounts import amount_of, attribute_amount
from perfgate.diagnose.attribute import attribute_latency
from perfgate.diagnose.critical import critical_path
from perfgate.diagnose.matched import match_operators
from perfgate.diagnose.merge import merge_causes
from perfgate.diagnose.summary_profile import profile_of_summary
from perfgate.npu.device_file import load_device
from perfgate.npu.phase import Phase
from perfgate.npu.profiling import build_profile
from perfgate.npu.simulation import simulate
from perfgate.report.diagnosis_rows import delta_rows
from perfgate.zoo.catalogue import names
from tests.diagnose_sides import profile_of, side
from tests.diagnoses import LAYOUT, diagnosis
from tests.programs import programs
from tests.records import make_record

DEVICE = load_device("ascend-310p-like")
ZOO = st.builds(
    lambda model, layout, streams, steps: profile_of(
        side(
            model,
            "tiny",
            flags={"--optypelayout": layout},
            runtime={"streams": streams},
            iterations=steps,
        )
    ),
    st.sampled_from(names()),
    st.sampled_from(("NHWC", "NCHW")),
    st.sampled_from(("1", "3")),
    st.sampled_from((1, 3)),
)


@dataclass(frozen=True)
class Drawn:
    """A random program on some streams, some times."""

    program: Program
    streams: int
    times: int

    @property
    def profile(self) -> Profile:
        execution = simulate(self.program, DEVICE, RuntimeConfig(streams=self.streams))
        return build_profile([Phase(execution=execution, times=self.times)])


DRAWN = st.builds(Drawn, programs(largest=40), st.integers(1, 4), st.integers(1, 3))


def assert_conserved(before: Profile, after: Profile, noise: tuple[int, int] = (0, 0)) -> None:
    matched, _ = match_operators(before, after)
    gate = before.application.total_ps + noise[0], after.application.total_ps + noise[1]
    found = attribute_latency(before, after, matched, gate)
    assert sum(row.delta for row in found.rows) + found.residual == found.total == gate[1] - gate[0]
    assert found.residual == noise[1] - noise[0]
    for row in found.rows:
        for part in row.parts:
            assert 0 <= part.before <= row.before
            assert 0 <= part.after <= row.after
    printed = [row for row in delta_rows(found) if not row.is_part]
    numbers = [float(row.delta.split()[0]) for row in printed]
    assert abs(sum(numbers[:-1]) - numbers[-1]) < 1e-6
    for focus in (Focus.MEMORY, Focus.ENERGY, Focus.COPIES):
        other = attribute_amount(before, after, matched, focus)
        assert sum(row.delta for row in other.rows) == amount_of(after, focus) - amount_of(before, focus)


@settings(max_examples=60, deadline=None)
@given(before=ZOO, after=ZOO, noise=st.tuples(*[st.integers(-(10**9), 10**9)] * 2))
def test_rows_and_residual_sum_to_the_delta_of_any_two_models(
    before: Profile, after: Profile, noise: tuple[int, int]
) -> None:
    assert_conserved(before, after, noise)


@settings(max_examples=60, deadline=None)
@given(before=DRAWN, after=DRAWN)
def test_rows_and_residual_sum_to_the_delta_of_random_programs_on_several_streams(
    before: Drawn, after: Drawn
) -> None:
    assert_conserved(before.profile, after.profile)


@settings(max_examples=60, deadline=None)
@given(drawn=DRAWN)
def test_the_path_is_no_longer_than_the_latency_and_that_no_longer_than_all_work(drawn: Drawn) -> None:
    profile = drawn.profile
    path = critical_path(profile)
    work = sum(share.total for share in path.shares.values())
    assert 0 <= work <= path.total == profile.application.total_ps
    assert work + path.wait == path.total
    serial = sum((row.duration_ps + row.parts.wait_ps) * row.times for row in profile.kernels)
    assert path.total <= serial
    if drawn.streams == 1:
        assert path.total == serial


@settings(max_examples=40, deadline=None)
@given(drawn=DRAWN)
def test_taking_away_an_operator_beside_the_path_changes_nothing(drawn: Drawn) -> None:
    profile = drawn.profile
    if profile.graph.streams == 1:
        return
    on_path = {row.owner for row in profile.kernels if row.critical}
    fewer = msgspec.structs.replace(
        profile,
        kernels=tuple(row for row in profile.kernels if row.owner in on_path),
        operators=tuple(row for row in profile.operators if row.number in on_path),
    )
    assert critical_path(fewer) == critical_path(profile)
    assert_conserved_rows(profile, fewer)


def assert_conserved_rows(before: Profile, after: Profile) -> None:
    matched, _ = match_operators(before, after)
    totals = before.application.total_ps, after.application.total_ps
    found = attribute_latency(before, after, matched, totals)
    assert found.total == sum(row.delta for row in found.rows) == 0


@settings(max_examples=30, deadline=None)
@given(before=ZOO, after=ZOO)
def test_summaries_of_profiles_sum_to_the_same_delta(before: Profile, after: Profile) -> None:
    sides = [
        profile_of_summary(make_record("net", profile=summarise(profile))) for profile in (before, after)
    ]
    old, new = sides
    if old is None or new is None:  # operators that overlapped on streams do not add up
        assert max(before.graph.streams, after.graph.streams) > 1
        return
    matched, _ = match_operators(old, new)
    totals = before.application.total_ps, after.application.total_ps
    found = attribute_latency(old, new, matched, totals)
    assert sum(row.delta for row in found.rows) == found.total == totals[1] - totals[0]


CAUSES = st.builds(
    lambda rule, operator, value: Cause(
        rule=rule,
        sentence=rule,
        operator=OperatorRef(number=1, name=operator, op="Conv"),
        difference=None if value is None else msgspec.structs.replace(LAYOUT, after=value),
        cost=1,
        confidence=0.9,
    ),
    st.sampled_from(("alignment", "layout")),
    st.sampled_from(("a", "b")),
    st.sampled_from((None, "NCHW", "ND")),
)
METRICS = st.lists(
    st.builds(
        lambda name, relative: MetricDelta(
            metric=KNOWN_METRICS[name], before=1.0, after=1.0 + relative, relative=relative
        ),
        st.sampled_from(("latency", "p99_latency", "peak_memory")),
        st.floats(-0.9, 9.0),
    ),
    max_size=3,
    unique_by=lambda row: row.metric.name,
)


@settings(max_examples=100, deadline=None)
@given(drawn=st.lists(st.tuples(st.lists(CAUSES, max_size=3), METRICS), max_size=5))
def test_merging_keeps_every_diagnosis_and_every_effect(
    drawn: list[tuple[list[Cause], list[MetricDelta]]],
) -> None:
    diagnoses = [
        msgspec.structs.replace(
            diagnosis(causes=tuple(causes)), benchmark=f"net{number}", metrics=tuple(metrics)
        )
        for number, (causes, metrics) in enumerate(drawn)
    ]
    merged = merge_causes(diagnoses)
    assert sorted(item.key for item in merged) == sorted(item.key for item in diagnoses)
    of = {item.key: item for item in merged}
    for one in diagnoses:
        assert [(item.rule, item.difference) for item in of[one.key].causes] == [
            (item.rule, item.difference) for item in one.causes
        ]
        assert all(own_effects(one) <= set(item.effects) for item in of[one.key].causes)
    for item in merged:
        for found in item.causes:
            ratios = [effect.relative or 0.0 for effect in found.effects]
            assert ratios == sorted(ratios, reverse=True)
            assert len(set(found.effects)) == len(found.effects)


def own_effects(found: Diagnosis) -> set[Effect]:
    worse = [row for row in found.metrics if (row.relative or 0.0) > 0]
    kept = [row for row in worse if row.metric.is_sampled] or worse
    return {
        Effect(
            benchmark=found.benchmark,
            device=found.device,
            metric=row.metric.name,
            before=row.before,
            after=row.after,
            relative=row.relative,
        )
        for row in kept
    }
