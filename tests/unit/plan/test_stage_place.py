from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from perfgate.guardrails.patch import NotCertainError
from perfgate.measure.benchmark import PipelineSource, StagePlan
from perfgate.plan.stage_place import stage_place
from tests.records import make_benchmark

if TYPE_CHECKING:
    from perfgate.config.key_paths import PathPart

FILE: dict[tuple[PathPart, ...], str] = {
    ("period",): "33 ms",
    ("stages", 0, "name"): "a",
    ("stages", 1, "name"): "camera.detect",
    ("stages", 1, "duration"): "5 ms",
    ("stages", 1, "after", 0): "a",
}
SUITE: dict[tuple[PathPart, ...], str] = {
    ("benchmarks", 0, "name"): "other",
    ("benchmarks", 1, "name"): "p",
    **{("benchmarks", 1, "pipeline", *path): text for path, text in FILE.items()},
}


def place(source: PipelineSource | None, name: str) -> tuple[str, tuple[PathPart, ...]]:
    item = msgspec.structs.replace(make_benchmark("p"), pipeline=source, place="perf_a.yaml:3:5")
    files = {"pipe.yaml": FILE, "perf_a.yaml": SUITE}
    return stage_place(item, lambda path: files[path], name)


def test_a_stage_is_found_by_its_name_wherever_its_pipeline_is_written() -> None:
    own, inline = (
        PipelineSource(name="pipe.yaml"),
        PipelineSource(name="perf_a.yaml", inline=StagePlan(settings=())),
    )
    assert place(own, "camera.detect.priority") == ("pipe.yaml", ("stages", 1, "priority"))
    above = ("benchmarks", 1, "pipeline")
    assert place(inline, "camera.detect.priority") == ("perf_a.yaml", (*above, "stages", 1, "priority"))
    assert place(own, "period") == ("pipe.yaml", ("period",))
    assert place(own, "engines.host") == ("pipe.yaml", ("engines", "host"))


def test_a_shipped_one_is_changed_beside_its_name() -> None:
    found = place(PipelineSource(name="zoo:perception"), "camera.detect.duration")
    assert found == ("perf_a.yaml", ("benchmarks", 1, "parameters", "camera.detect.duration"))


@pytest.mark.parametrize(
    ("source", "name", "why"),
    [
        (None, "a.priority", "no suite names a pipeline"),
        (PipelineSource(name="pipe.yaml"), "camera.detect", "comes or goes as a whole"),
        (PipelineSource(name="pipe.yaml"), "b.priority", "'b' is not written out literally"),
        (PipelineSource(name="pipe.yaml"), "camera.detect.after", "is a list"),
    ],
)
def test_what_is_not_certain_is_left_to_people(source: PipelineSource | None, name: str, why: str) -> None:
    with pytest.raises(NotCertainError, match=why):
        place(source, name)
