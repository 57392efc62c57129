from __future__ import annotations

from perfgate.backends.protocol import Request, StageRequest
from perfgate.core.setting import Setting
from perfgate.workflow.changed_request import with_settings, with_stage


def request(pipeline: dict[str, str], **fields: object) -> Request:
    settings = tuple(Setting(name=name, value=value) for name, value in pipeline.items())
    return Request(benchmark="p", device="d", pipeline=settings, **fields)  # type: ignore[arg-type]  # fields of a request


def values(found: Request) -> dict[str, str | None]:
    return {item.name: item.value for item in found.pipeline}


SHORT = {"a.duration": "1 ms", "c.duration": "3 ms", "c.after": "a"}
LONG = {"a.duration": "1 ms", "b.duration": "2 ms", "b.after": "a", "c.duration": "3 ms", "c.after": "b"}


def test_one_setting_comes_from_the_other_side_where_its_own_stood() -> None:
    found = with_stage(request(SHORT), request({**SHORT, "a.duration": "9 ms"}), "a.duration")
    assert list(values(found).items()) == list({**SHORT, "a.duration": "9 ms"}.items())


def test_a_stage_goes_with_all_it_says_and_others_wait_for_its_inputs() -> None:
    assert values(with_stage(request(LONG), request(SHORT), "b")) == SHORT


def test_a_stage_comes_with_all_it_says_and_with_its_model() -> None:
    model = StageRequest(request=request({}), of_batch=lambda _: request({}))
    found = with_stage(request(SHORT), request(LONG, stages={"b": model, "other": model}), "b")
    assert values(found) == {**SHORT, "b.duration": "2 ms", "b.after": "a"}
    assert set(found.stages) == {"b"}


def test_a_key_is_replaced_by_its_whole_name() -> None:
    keys = (Setting(name="pool.size", value="1"), Setting(name="pool", value="2"))
    found = with_settings(request({}, runtime=keys), "runtime", "pool", (Setting(name="pool", value="3"),))
    assert [(item.name, item.value) for item in found.runtime] == [("pool.size", "1"), ("pool", "3")]
