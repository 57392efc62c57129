"""The event loop against schedules drawn by hand; times are in plain units of the test."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from perfgate.zoo.frame_schedule import FrameSchedule
from perfgate.zoo.perception import Pipeline, Resource, Stage

if TYPE_CHECKING:
    from perfgate.zoo.frame_schedule import StageSpan

HOST = Resource.HOST


def run(*stages: Stage, frames: int = 1, period: int = 100, engines: int = 1) -> list[StageSpan]:
    pipeline = Pipeline(name="test", stages=stages, period_ps=period, engines={HOST: engines})
    times = {stage.name: stage.duration_ps for stage in stages}
    return FrameSchedule(pipeline, frames, times).run()


def host(name: str, duration: int, **fields: object) -> Stage:
    return Stage(name=name, resource=HOST, duration_ps=duration, **fields)  # type: ignore[arg-type]  # fields of a stage


def test_a_batch_waits_for_its_last_frame_and_serves_all() -> None:
    stages = host("make", 10), host("use", 30, after=("make",), batch=2), host("end", 5, after=("use",))
    spans = run(*stages, frames=4, engines=2)
    # frames start at 0, 100, 200, 300: the batches are ready when the second frames are made, at 110 and 310
    assert [(span.frames, span.ready_ps, span.end_ps) for span in spans if span.stage == "use"] == [
        ((0, 1), 110, 140), ((2, 3), 310, 340),
    ]  # fmt: skip
    # two engines: both frames of a batch end together
    assert [(span.frame, span.end_ps) for span in spans if span.stage == "end"] == [
        (0, 145), (1, 145), (2, 345), (3, 345),
    ]  # fmt: skip


def test_the_last_batch_takes_what_is_there() -> None:
    spans = run(host("make", 10), host("use", 30, after=("make",), batch=2), frames=3)
    assert [span.frames for span in spans if span.stage == "use"] == [(0, 1), (2,)]


def test_a_stage_that_waits_says_since_when_and_gets_the_engine_that_comes_free() -> None:
    spans = {span.stage: span for span in run(host("a", 10), host("b", 30), host("c", 5), engines=2)}
    # a and b take both engines at 0; c follows on a's
    assert (spans["c"].ready_ps, spans["c"].start_ps, spans["c"].unit) == (0, 10, spans["a"].unit)
    assert spans["a"].unit != spans["b"].unit


def test_of_two_that_are_ready_the_more_urgent_goes_first_and_nothing_is_interrupted() -> None:
    stages = host("first", 10), host("low", 20), host("high", 5, after=("first",), priority=1)
    # low takes the engine at 10? No: high is ready at 10 as well, and is more urgent
    assert [span.stage for span in run(*stages)] == ["first", "high", "low"]
    late = host("low", 20), host("start", 5), host("high", 5, after=("start",), priority=1)
    assert [(span.stage, span.start_ps) for span in run(*late)] == [("low", 0), ("start", 20), ("high", 25)]


@given(
    st.lists(st.tuples(st.integers(1, 50), st.integers(0, 3), st.integers(1, 3)), min_size=1, max_size=6),
    st.integers(1, 5),
    st.integers(1, 3),
)
def test_no_engine_is_used_twice_and_every_frame_passes_every_stage(
    chain: list[tuple[int, int, int]], frames: int, engines: int
) -> None:
    stages: list[Stage] = []
    for number, (duration, priority, batch) in enumerate(chain):
        after = (stages[number // 2].name,) if stages else ()
        stages.append(host(f"s{number}", duration, after=after, priority=priority, batch=batch))
    spans = run(*stages, frames=frames, period=20, engines=engines)
    done = [(frame, span.stage) for span in spans for frame in span.frames]
    assert sorted(done) == sorted((frame, stage.name) for frame in range(frames) for stage in stages)
    by_unit = sorted(spans, key=lambda span: (span.unit, span.start_ps, span.end_ps))
    for one, two in pairwise(by_unit):
        assert one.unit != two.unit or one.end_ps <= two.start_ps
