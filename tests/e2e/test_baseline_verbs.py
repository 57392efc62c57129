"""`perfgate baseline list`, `show`, `diff` and `prune` on a user's repository."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.e2e.project import Project


def test_the_list_names_every_baseline_with_runs_and_reason(project: Project) -> None:
    done = project.perfgate("baseline", "list")
    assert done.code == 0, done.text
    assert done.out.count("first baselines") == 4
    (project.folder / "baselines/ascend-310p-like/resnet50.json").write_text("{")
    broken = project.perfgate("baseline", "list")
    assert broken.code == 12
    assert "broken JSON" in broken.err


def test_one_baseline_is_shown_here_and_as_it_was(project: Project) -> None:
    here = project.perfgate("baseline", "show", "resnet50[ascend-310p-like]")
    assert here.code == 0, here.text
    assert "deploy/resnet.sh:3:25 --precision_mode force_fp16" in here.out
    there = project.perfgate("baseline", "show", "resnet50[ascend-310p-like]", "--at", "HEAD")
    assert there.out == here.out
    assert project.perfgate("baseline", "show", "resnet50").code == 2
    assert project.perfgate("baseline", "show", "nothing").code == 11
    assert project.perfgate("baseline", "show", "resnet50", "--at", "--upload-pack=x").code == 2


def test_the_difference_is_shown_in_percent(project: Project) -> None:
    assert "no difference" in project.perfgate("baseline", "diff").out
    project.replace("deploy/resnet.sh", "force_fp16", "force_fp32")
    project.commit("full precision")
    arguments = ("--reason", "r", "--accept-regression", "accuracy", "-k", "resnet50")
    assert project.perfgate("baseline", "update", *arguments).code == 0
    done = project.perfgate("baseline", "diff", "HEAD")
    assert done.code == 0, done.text
    rows = [line for line in done.out.splitlines() if "latency" in line]
    assert len(rows) == 2
    assert all("+" in row and "%" in row for row in rows)


def test_only_baselines_without_a_benchmark_are_pruned_and_only_when_asked(project: Project) -> None:
    assert "0 without a benchmark" in project.perfgate("baseline", "prune").out
    project.replace("perf_models.yaml", "name: resnet50", "name: resnet_fifty")
    named = project.perfgate("baseline", "prune")
    assert "unused: baselines/ascend-310p-like/resnet50.json" in named.out
    assert (project.folder / "baselines/ascend-310p-like/resnet50.json").exists()
    assert project.perfgate("baseline", "prune", "--yes").code == 0
    assert not (project.folder / "baselines/ascend-310p-like/resnet50.json").exists()
    assert (project.folder / "baselines/ascend-310p-like/sd_unet.json").exists()
    project.write({"perf_models.yaml": "version: [\n"})
    assert project.perfgate("baseline", "prune", "--yes").code == 2
    assert (project.folder / "baselines/ascend-310p-like/sd_unet.json").exists()
