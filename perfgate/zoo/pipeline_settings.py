"""A pipeline as settings by name, so that stages are recorded, compared, changed and simulated like flags.

`period` and `engines.RESOURCE` belong to the pipeline, `STAGE.KEY` to a stage; the stages come in the order
of their first setting, and are brought into an order in which each follows its inputs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.errors import UsageError
from perfgate.core.setting import Setting, stage_and_key
from perfgate.core.units import PS_PER_SECOND, read_duration
from perfgate.zoo.perception import Pipeline, Resource, Stage

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

STAGE_KEYS = (
    "resource", "duration", "model", "after", "branch", "period", "deadline", "hard", "priority", "batch",
)  # fmt: skip
ENGINES = "engines"
PERIOD = "period"
MOST = 10_000  # engines of a resource, frames of a batch, steps of priority
_PS_PER_US = 1_000_000


def settings_of(pipeline: Pipeline) -> tuple[Setting, ...]:
    """What a pipeline says, without what goes without saying."""
    found = {PERIOD: _time(pipeline.period_ps)}
    found |= {f"{ENGINES}.{resource}": str(count) for resource, count in pipeline.engines.items()}
    for stage in pipeline.stages:
        values = {
            "resource": str(stage.resource),
            "duration": _time(stage.duration_ps),
            "model": stage.model,
            "after": ", ".join(stage.after),
            "branch": "" if stage.branch == stage_and_key(stage.name)[0] else stage.branch,
            "period": _time(stage.period_ps),
            "deadline": _time(stage.deadline_ps),
            "hard": "true" if stage.is_hard else "",
            "priority": str(stage.priority) if stage.priority else "",
            "batch": str(stage.batch) if stage.batch > 1 else "",
        }
        found |= {f"{stage.name}.{key}": value for key, value in values.items() if value}
    return tuple(Setting(name=name, value=value) for name, value in found.items())


def _time(picoseconds: int) -> str:
    """Exact in whole microseconds: what people write."""
    if not picoseconds:
        return ""
    microseconds = picoseconds // _PS_PER_US
    return f"{microseconds // 1000} ms" if microseconds % 1000 == 0 else f"{microseconds} us"


def read_pipeline(name: str, settings: Iterable[Setting], place: str) -> Pipeline:
    """The pipeline that the settings describe; `place` is that of its benchmark.

    Raises:
        UsageError: an unknown key, a value that cannot be read, stages that wait for each other.
    """
    period = 0
    engines = {Resource.HOST: 1, Resource.DEVICE: 1, Resource.LINK: 1}
    keys: dict[str, dict[str, Setting]] = {}
    for item in settings:
        stage, key = stage_and_key(item.name)
        if item.name == PERIOD:
            period = _duration(item, place)
        elif stage == ENGINES:
            engines[_resource(key, item.place or place)] = _count(item, place, least=1)
        elif not stage or key not in STAGE_KEYS:
            where = item.place or place
            raise UsageError(f"unknown key {item.name!r}", where, f"use {', '.join(STAGE_KEYS)}")
        else:
            keys.setdefault(stage, {})[key] = item
    if not keys:
        raise UsageError("a pipeline without stages", place, "write its `stages`")
    if not period:
        raise UsageError("a pipeline without a period", place, "add `period: 33 ms`, when frames start")
    stages = {stage: _stage(stage, found, place) for stage, found in keys.items()}
    return Pipeline(name=name, stages=_in_order(stages, place), period_ps=period, engines=engines)


def _stage(name: str, keys: Mapping[str, Setting], place: str) -> Stage:
    def text(key: str) -> str:
        return (keys[key].value or "").strip() if key in keys else ""

    def time(key: str) -> int:
        return _duration(keys[key], place) if key in keys else 0

    where = next(iter(keys.values())).place or place
    if bool(text("model")) == ("duration" in keys):
        what = f"the stage {name!r} has {'both a' if text('model') else 'no'} duration and model"
        raise UsageError(what, where, "a fixed stage has a `duration`, a model stage a `model`")
    if text("hard") not in {"", "true", "false"}:
        raise UsageError(
            f"{name}.hard is {text('hard')!r}", keys["hard"].place or place, "write true or false"
        )
    batch = _count(keys["batch"], place, least=1) if "batch" in keys else 1
    resource = _resource(text("resource"), where)
    if batch > 1 and resource is Resource.SENSOR:
        raise UsageError(f"the sensor {name!r} has a batch", where, "give the batch to a stage after it")
    return Stage(
        name=name,
        resource=resource,
        duration_ps=time("duration"),
        model=text("model"),
        after=tuple(part for part in (item.strip() for item in text("after").split(",")) if part),
        branch=text("branch") or stage_and_key(name)[0],
        period_ps=time("period"),
        deadline_ps=time("deadline"),
        is_hard=text("hard") == "true",
        priority=_count(keys["priority"], place, least=-MOST) if "priority" in keys else 0,
        batch=batch,
    )


def _resource(text: str, where: str) -> Resource:
    try:
        return Resource(text)
    except ValueError:
        known = ", ".join(Resource)
        raise UsageError(
            f"a stage on {text!r}" if text else "a stage without a resource", where, f"use {known}"
        ) from None


def _duration(item: Setting, place: str) -> int:
    seconds = read_duration(item.value or "")
    if seconds is None:
        where = item.place or place
        raise UsageError(f"{item.name} {item.value!r} is no time", where, "write it like `15 ms`")
    return round(seconds * PS_PER_SECOND)


def _count(item: Setting, place: str, *, least: int) -> int:
    text = (item.value or "").strip()
    number = int(text) if text.removeprefix("-").isdecimal() and len(text) < 10 else None  # noqa: PLR2004 - fits MOST
    if number is None or not least <= number <= MOST:
        remedy = f"write a whole number from {least} to {MOST:,}"
        raise UsageError(f"{item.name} is {item.value!r}", item.place or place, remedy)
    return number


def _in_order(stages: Mapping[str, Stage], place: str) -> tuple[Stage, ...]:
    """Inputs before what needs them, otherwise as written: that order decides between equal priorities."""
    ordered: dict[str, Stage] = {}
    left = list(stages.values())
    while left:
        ready = next((stage for stage in left if all(name in ordered for name in stage.after)), None)
        if ready is None:
            raise _stuck(left, stages, place)
        ordered[ready.name] = ready
        left.remove(ready)
    return tuple(ordered.values())


def _stuck(left: Sequence[Stage], stages: Mapping[str, Stage], place: str) -> UsageError:
    for stage in left:
        for name in stage.after:
            if name not in stages:
                return UsageError(
                    f"{stage.name} waits for {name!r}, which is no stage", place, "correct `after`"
                )
    circle = ", ".join(stage.name for stage in left)
    return UsageError(f"stages wait for each other: {circle}", place, "take one of their `after` away")
