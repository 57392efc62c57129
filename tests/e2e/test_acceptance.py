"""An intended slow-down: who may accept it, and that nothing else than the base commit says so."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import msgspec
import pytest

from perfgate.baseline.store import decode_record, encode_record

if TYPE_CHECKING:
    from tests.e2e.project import Project, Result

REVIEW = "version: 1\nacceptance: review\n"
OWNERS = "/baselines/ @org/perf\n"
PATHS = [f"baselines/ascend-{name}-like/resnet50.json" for name in ("310p", "910b")]


def as_base(project: Project, **files: str) -> None:
    project.commit("base", {name.replace("__", "/").replace("_", "."): text for name, text in files.items()})
    project.git("update-ref", "refs/remotes/origin/main", "HEAD")


def slow_down(project: Project, *accepted: str) -> None:
    """A change that is slower on purpose and brings its new baselines."""
    project.replace("deploy/resnet.sh", "force_fp16", "force_fp32")
    project.commit("full precision")
    arguments = ("baseline", "update", "-k", "resnet50", "--reason", "accuracy", *accepted)
    done = project.perfgate(*arguments)
    assert done.code == 0, done.text
    project.commit("new baselines")


def both_faces(project: Project) -> tuple[Result, Result]:
    return project.perfgate("check"), project.pytest()


def test_a_reviewed_slow_down_passes_and_is_still_called_regressed(project: Project) -> None:
    as_base(project, perfgate_yaml=REVIEW, CODEOWNERS=OWNERS)
    slow_down(project, "--accept-regression", "accuracy on night scenes")
    for done in both_faces(project):
        assert done.code == 0, done.text
        assert "regressed, accepted: latency +" in done.out
        assert "accepted by this change: accuracy on night scenes (review by @org/perf)" in done.out
        assert "2 regressed, 0 inconclusive, 2 unchanged" in done.out
        assert f"{PATHS[0]}: accepts +" in done.out
    report = json.loads(project.perfgate("check", "--json", "-").out)
    (first, second) = [item for item in report["verdicts"] if item["verdict"] == "regressed"]
    assert first["is_accepted"]
    assert second["is_accepted"]
    assert report["exit_code"] == 0


@pytest.mark.parametrize(
    ("base", "head", "words"),
    [
        ({"CODEOWNERS": OWNERS}, {"perfgate_yaml": REVIEW}, "acceptance review for everything is looser"),
        ({"perfgate_yaml": REVIEW}, {"CODEOWNERS": OWNERS}, "there is no such file: .github/CODEOWNERS"),
        ({"perfgate_yaml": REVIEW, "CODEOWNERS": "*.py @a\n"}, {"CODEOWNERS": OWNERS}, "names nobody for"),
        ({"perfgate_yaml": REVIEW, "CODEOWNERS": "!x @a\n"}, {}, "nothing that GitHub takes"),
        ({"perfgate_yaml": REVIEW, "CODEOWNERS": OWNERS}, {"perfgate_yaml": "version: 1\n"}, "regressed: "),
        ({"CODEOWNERS": OWNERS}, {}, "regressed: "),
    ],
    ids=["policy of head", "owners of head", "not covered", "broken owners", "head blocks", "default"],
)
def test_nothing_but_base_lets_a_change_accept(
    project: Project, base: dict[str, str], head: dict[str, str], words: str
) -> None:
    as_base(project, **base)
    slow_down(project, "--accept-regression", "accuracy")
    project.commit("more", {name.replace("_", "."): text for name, text in head.items()})
    for done in both_faces(project):
        assert done.code == 1, done.text
        assert words in done.out, done.out
        assert "regressed, accepted" not in done.out


def test_a_new_baseline_without_an_accepted_regression_does_not_count(project: Project) -> None:
    as_base(project, perfgate_yaml=REVIEW, CODEOWNERS=OWNERS)
    slow_down(project, "--accept-regression", "accuracy")
    for path in PATHS:
        _rewrite(project, path, accepted="", factor=1.0)
    done = project.perfgate("check")
    assert done.code == 1, done.text
    assert "carries no accepted regression" in done.out


@pytest.mark.parametrize("factor", [1.5, 0.9])
def test_a_forged_baseline_counts_only_when_it_is_what_was_measured(project: Project, factor: float) -> None:
    """With head room, or still below what was measured: later slow-downs would hide in it."""
    as_base(project, perfgate_yaml=REVIEW, CODEOWNERS=OWNERS)
    slow_down(project, "--accept-regression", "accuracy")
    for path in PATHS:
        _rewrite(project, path, accepted="trust me", factor=factor)
    for done in both_faces(project):
        assert done.code == 1, done.text
        assert "does not count: against it the change is" in done.out


def test_another_slow_down_beside_an_accepted_one_is_red(project: Project) -> None:
    as_base(project, perfgate_yaml=REVIEW, CODEOWNERS=OWNERS)
    slow_down(project, "--accept-regression", "accuracy")
    project.replace("deploy/convert.sh", "force_fp16", "force_fp32")
    done = project.perfgate("check")
    assert done.code == 1, done.text
    assert "REGRESSED  sd_unet" in done.out
    assert "REGRESSED  resnet50" not in done.out


def _rewrite(project: Project, path: str, *, accepted: str, factor: float) -> None:
    """A baseline edited by hand, with a right digest: what a hostile change can write."""
    file = project.folder / path
    record = decode_record(file.read_bytes(), path)
    runs = tuple(
        msgspec.structs.replace(
            run, samples={name: tuple(value * factor for value in row) for name, row in run.samples.items()}
        )
        for run in record.runs
    )
    provenance = msgspec.structs.replace(record.provenance, accepted_regression=accepted)
    file.write_text(encode_record(msgspec.structs.replace(record, runs=runs, provenance=provenance)))
