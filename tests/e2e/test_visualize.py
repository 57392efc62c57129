"""`perfgate visualize` and the pages of a gate's run, by the real commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.e2e.project import Project

ONE = ("-k", "sd_unet", "--device", "ascend-310p-like")
FLAG = "deploy/convert.sh:4 --optypelayout NHWC -&gt; NCHW"


@pytest.fixture
def slower(project: Project) -> Project:
    """The layout flag flipped in the working tree."""
    project.replace("deploy/convert.sh", "--optypelayout=NHWC", "--optypelayout=NCHW")
    return project


def head(project: Project, path: str) -> str:
    """The part of a page that people read first."""
    return (project.folder / path).read_text(encoding="utf-8").partition("</header>")[0]


def test_a_benchmark_of_the_working_tree_is_drawn_against_its_base_with_cause_and_fix(
    slower: Project,
) -> None:
    done = slower.perfgate("visualize", *ONE, "-o", "page.html")
    assert done.code == 0, done.text
    assert done.out.startswith("sd_unet on ascend-310p-like: page.html")
    text = head(slower, "page.html")
    assert "REGRESSED latency +" in text
    assert FLAG in text
    assert "restore flag --optypelayout" in text


def test_two_recorded_profiles_are_drawn_and_a_diagnosis_of_them_is_told(slower: Project) -> None:
    file = "ascend-310p-like/sd_unet.profile.json"
    assert slower.perfgate("record", *ONE, "--profile", "--at", "HEAD", "-o", "old").code == 0
    assert slower.perfgate("record", *ONE, "--profile", "-o", "new").code == 0
    diagnosed = slower.perfgate("diagnose", *ONE, "--json", "d.json")
    assert diagnosed.code == 0, diagnosed.text
    told = slower.perfgate(
        "visualize", f"old/{file}", f"new/{file}", "--diagnosis", "d.json", "-o", "told.html"
    )
    assert told.code == 0, told.text
    assert FLAG in head(slower, "told.html")


def test_a_red_check_draws_its_worst_regression(slower: Project) -> None:
    done = slower.perfgate("check", *ONE, "--on-guardrail", "measure", "--html", "out/gate.html")
    assert done.code == 1, done.text
    assert "page of sd_unet[ascend-310p-like]: out/gate.html" in done.out
    text = head(slower, "out/gate.html")
    assert "REGRESSED latency +" in text
    assert FLAG in text


def test_a_green_run_of_the_plugin_draws_its_first_benchmark(project: Project) -> None:
    done = project.pytest("-k", "resnet50", "--perfgate-html", "gate.html")
    assert done.code == 0, done.text
    assert "page of resnet50[" in done.out
    assert "UNCHANGED" in head(project, "gate.html")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((), 2, "4 benchmarks are selected, and a page shows one"),
        (("-k", "nothing"), 11, "no benchmark matches '-k nothing'"),
        (("gone.profile.json",), 2, "no such file or directory: gone.profile.json: name a file that"),
        (("a", "b", "c"), 2, "3 profiles: BEFORE AFTER: name one or two"),
        (("perfgate.yaml",), 2, "perfgate.yaml"),
        ((*ONE, "--base", "gone"), 12, "gone"),
    ],
)
def test_a_mistake_is_one_line_and_its_exit_code(
    project: Project, arguments: tuple[str, ...], code: int, said: str
) -> None:
    done = project.perfgate("visualize", *arguments)
    assert done.code == code, done.text
    assert said in done.err
    assert len(done.err.strip().splitlines()) == 1
    assert not (project.folder / "report.html").exists()


def test_a_diagnosis_of_another_benchmark_is_refused(slower: Project) -> None:
    assert slower.perfgate("diagnose", *ONE, "--json", "d.json").code == 0
    done = slower.perfgate(
        "visualize", "-k", "resnet50", "--device", "ascend-310p-like", "--diagnosis", "d.json"
    )
    assert done.code == 2
    assert "no diagnosis of 'resnet50[ascend-310p-like]'" in done.err
    assert "it has those of sd_unet[ascend-310p-like]" in done.err
