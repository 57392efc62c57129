from __future__ import annotations

import msgspec
import pytest

from perfgate.core.errors import UsageError
from perfgate.core.setting import Setting
from perfgate.zoo.perception import MS, PIPELINES, Resource
from perfgate.zoo.pipeline_settings import read_pipeline, settings_of

PLAIN = {"period": "33 ms", "a.resource": "host", "a.duration": "2 ms"}


def settings(values: dict[str, str]) -> tuple[Setting, ...]:
    return tuple(
        Setting(name=name, value=value, place=f"p.yaml:{line}:1")
        for line, (name, value) in enumerate(values.items(), 1)
    )


def refusal(**values: str) -> str:
    named = {name.replace("__", "."): value for name, value in values.items()}
    with pytest.raises(UsageError) as caught:
        read_pipeline("p", settings(PLAIN | named), "suite.yaml:3:5")
    return str(caught.value)


@pytest.mark.parametrize("preset", sorted(PIPELINES))
def test_a_shipped_pipeline_is_what_its_settings_say(preset: str) -> None:
    pipeline = PIPELINES[preset]
    assert read_pipeline("perception", settings_of(pipeline), "") == pipeline


def test_what_goes_without_saying_is_not_said() -> None:
    pipeline = PIPELINES["single_frame"]
    plain = msgspec.structs.replace(pipeline.stages[1], priority=0, after=())
    names = [item.name for item in settings_of(msgspec.structs.replace(pipeline, stages=(plain,)))]
    assert names[-2:] == ["frame.process.resource", "frame.process.duration"]


def test_stages_may_stand_in_any_order_and_keep_theirs_where_nothing_else_decides() -> None:
    values = PLAIN | {
        "a.after": "c",
        "b.resource": "host",
        "b.duration": "1 ms",
        "c.resource": "sensor",
        "c.duration": "500 us",
    }
    found = read_pipeline("p", settings(values), "")
    assert [stage.name for stage in found.stages] == ["b", "c", "a"]
    assert found.stages[1].duration_ps == MS // 2
    assert found.engines == {Resource.HOST: 1, Resource.DEVICE: 1, Resource.LINK: 1}


def test_what_cannot_be_read_is_refused_with_its_place() -> None:
    assert "unknown key 'a.prio': p.yaml:4:1" in refusal(a__prio="1")
    assert "a.duration '2' is no time: p.yaml:3:1" in refusal(a__duration="2")
    assert "a.batch is '0'" in refusal(a__batch="0")
    assert "engines.host is 'two'" in refusal(engines__host="two")
    assert "a stage on 'gpu'" in refusal(a__resource="gpu")
    assert "the sensor 'a' has a batch" in refusal(a__resource="sensor", a__batch="2")
    assert "both a duration and model" in refusal(a__model="zoo:resnet50")
    assert "a.hard is 'yes'" in refusal(a__hard="yes")
    assert "a waits for 'b', which is no stage" in refusal(a__after="b")
    assert "wait for each other: a, b" in refusal(
        a__after="b", b__resource="host", b__duration="1 ms", b__after="a"
    )


@pytest.mark.parametrize(
    ("values", "what"),
    [
        ({"period": "33 ms"}, "a pipeline without stages"),
        ({"a.resource": "host", "a.duration": "1 ms"}, "without a period"),
    ],
)
def test_a_pipeline_has_stages_and_a_period(values: dict[str, str], what: str) -> None:
    with pytest.raises(UsageError, match=what):
        read_pipeline("p", settings(values), "suite.yaml:3:5")
