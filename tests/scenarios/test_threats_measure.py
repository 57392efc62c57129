"""A change that moves what it is measured against, or what is measured: never green.

The rows on baselines and on benchmarks of docs/THREATS.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from perfgate.baseline.store import decode_record, encode_record
from perfgate.core.record import Run
from perfgate.workflow.measuring import write_record

if TYPE_CHECKING:
    from perfgate.core.record import Record
    from tests.e2e.project import Project

BASELINE = "baselines/ascend-310p-like/resnet50.json"


def slower(record: Record, factor: float) -> Record:
    """The same record, every latency longer by the factor."""
    runs = tuple(
        msgspec.structs.replace(
            run,
            samples=run.samples | {"latency": tuple(factor * value for value in run.samples["latency"])},
        )
        for run in record.runs
    )
    assert all(isinstance(run, Run) for run in runs)
    return msgspec.structs.replace(record, runs=runs)


@pytest.mark.parametrize("is_committed", [False, True])
def test_a_doubled_baseline_does_not_hide_one_and_a_half_times_the_time(
    project: Project, *, is_committed: bool
) -> None:
    project.git("checkout", "-q", "-b", "topic")
    file = project.folder / BASELINE
    accepted = decode_record(file.read_bytes(), BASELINE)
    file.write_text(encode_record(slower(accepted, 2.0)), encoding="utf-8")
    if is_committed:
        project.commit("a new baseline")
    write_record(project.folder / "measured", slower(accepted, 1.5))
    arguments = ("-k", "resnet50[ascend-310p-like]", "--records", "measured")
    done = project.perfgate("check", *arguments)
    assert done.code == 1, done.text
    assert "regressed: latency +50.0 %" in done.out
    assert f"{BASELINE}: accepts +100 % latency" in done.out


EASIER = {
    "shape": ("preset: poster\n", "preset: poster_1024\n", "input"),
    "batch": ("preset: poster\n", "preset: poster\n    parameters: {batch: 1}\n", "input"),
    "repeat": ("preset: poster\n", "preset: poster\n    iterations: 2\n", "iterations"),
    "samples": ("samples: 20", "samples: 10", "protocol samples 20 -> 10"),
    "noise": ("samples: 20", "samples: 20\n  noise: noisy-ci", "protocol noise"),
    "metrics": ("metrics: [latency, cycles,", "metrics: [latency,", "metric"),
}


@pytest.mark.parametrize("way", EASIER)
def test_a_benchmark_that_was_made_easier_is_changed(project: Project, way: str) -> None:
    old, new, words = EASIER[way]
    project.replace("perf_models.yaml", old, new)
    done = project.perfgate("check", "-k", "sd_unet")
    assert done.code == 1, done.text
    assert "2 changed" in done.out
    assert words in done.out


GONE = {
    "deleted": ("  - name: resnet50\n    model: onnx:light_resnet50\n", "", 2, 0),
    "renamed": ("name: resnet50", "name: resnet_fifty", 2, 2),
    "a device less": ("[ascend-310p-like, ascend-910b-like]", "[ascend-910b-like]", 2, 0),
}


@pytest.mark.parametrize("way", GONE)
def test_a_benchmark_that_is_gone_is_missing(project: Project, way: str) -> None:
    old, new, missing, added = GONE[way]
    if way == "deleted":
        old += "    compile: {from: deploy/resnet.sh, command: atc}\n"
    project.replace("perf_models.yaml", old, new)
    for done in (project.perfgate("check"), project.pytest()):
        assert done.code == 1, done.text
        assert f"{missing} missing" in done.out
        assert (f"{added} new" in done.out) == (added > 0)


def test_a_suite_that_is_gone_is_missing_too(project: Project) -> None:
    project.git("rm", "-q", "perf_models.yaml")
    for done in (project.perfgate("check"), project.pytest()):
        assert done.code in {1, 11}, done.text
        assert "verdict: PASS" not in done.out
