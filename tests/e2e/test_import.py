"""`perfgate import` and what the other verbs make of its records."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.e2e.project import Project
from tests.repositories import clean_environment
from tests.result_files import DATA

if TYPE_CHECKING:
    from collections.abc import Callable

NAMES = ("parse", "render", "store")


def result_file(
    seed: int, *, factor: float = 1.0, names: tuple[str, ...] = NAMES, only_stats: bool = False
) -> str:
    """A pytest-benchmark file of one process: 20 rounds around 10 ms with 0.5 % of noise."""
    text = (DATA / "pytest_benchmark_5.json").read_text(encoding="utf-8")
    content = json.loads(text)
    template = content["benchmarks"][0]
    noise = random.Random(seed)  # noqa: S311 - reproducible, not secret
    content["benchmarks"] = []
    for name in names:
        slower = factor if name == "parse" else 1.0
        rounds = [0.010 * slower * noise.gauss(1.0, 0.005) for _ in range(20)]
        stats = template["stats"] | {"data": rounds, "median": sorted(rounds)[10]}
        if only_stats:
            del stats["data"]
        content["benchmarks"].append(template | {"fullname": f"tests/t.py::{name}", "stats": stats})
    return json.dumps(content)


@pytest.fixture
def ours(tmp_path: Path) -> Project:
    """A repository without any suite: all its numbers come from another tool."""
    project = Project(tmp_path / "ours")
    project.commit("start", {".gitignore": "*.json\n!baselines/**/*.json\n.perfgate/\n"})
    return project


def imported(project: Project, output: str, seeds: range, make: Callable[[int], str] = result_file) -> None:
    """Import one file for each seed into a folder that holds nothing else."""
    shutil.rmtree(project.folder / output, ignore_errors=True)
    files = {f"{output.strip('.').replace('/', '-')}-{seed}.json": make(seed) for seed in seeds}
    project.write(files)
    done = project.perfgate("import", *files, "-o", output)
    assert done.code == 0, done.text


def accepted(project: Project) -> None:
    imported(project, ".perfgate/old", range(5))
    done = project.perfgate("baseline", "update", "--from", ".perfgate/old", "--reason", "first numbers")
    assert done.code == 0, done.text
    assert "3 written" in done.out
    project.commit("accept")


def test_two_times_slower_is_regressed_and_the_same_is_not(ours: Project) -> None:
    imported(ours, "old", range(5))
    imported(ours, "new", range(10, 13), partial(result_file, factor=2.0))
    done = ours.perfgate("compare", "old", "new")
    assert done.code == 1, done.text
    assert "REGRESSED" in done.out
    assert "9.96 ms -> 19.9 ms  +100 %" in done.out  # the files hold 10 and 20 ms with .5 % of noise
    assert "1 regressed, 0 inconclusive, 2 unchanged" in done.out
    imported(ours, "new", range(10, 13))
    assert ours.perfgate("compare", "old", "new").code == 0


def test_one_file_on_each_side_is_never_green_without_a_word(ours: Project) -> None:
    imported(ours, "old", range(1))
    imported(ours, "new", range(10, 11), partial(result_file, factor=2.0))
    done = ours.perfgate("compare", "old", "new")
    assert "0 regressed, 3 inconclusive, 0 unchanged" in done.out
    assert "3 of 3 baselines hold one run only: they can warn, not fail" in done.out


def test_single_values_are_invalid_and_say_why(ours: Project) -> None:
    imported(ours, "old", range(5), partial(result_file, only_stats=True))
    imported(ours, "new", range(10, 13), partial(result_file, only_stats=True, factor=2.0))
    done = ours.perfgate("compare", "old", "new")
    assert done.code == 12, done.text
    assert "1 samples of latency; needs 5" in done.out
    refused = ours.perfgate("baseline", "update", "--from", "new", "--reason", "r")
    assert refused.code == 11
    assert "cannot be a baseline, candidate run 0: 1 samples of latency; needs 5" in refused.err


def test_imported_baselines_are_judged_in_a_repository_without_suites(ours: Project) -> None:
    accepted(ours)
    imported(ours, ".perfgate/now", range(10, 13))
    same = ours.perfgate("check", "--records", ".perfgate/now")
    assert same.code == 0, same.text
    assert "3 of 3 judged" in same.out
    imported(ours, ".perfgate/now", range(20, 23), partial(result_file, factor=1.3))
    slower = ours.perfgate("check", "--records", ".perfgate/now")
    assert slower.code == 1, slower.text
    assert "REGRESSED  tests/t.py::parse" in slower.out
    assert "1 regressed, 0 inconclusive, 2 unchanged" in slower.out


def test_a_benchmark_that_is_gone_from_the_files_is_missing(ours: Project) -> None:
    accepted(ours)
    imported(ours, ".perfgate/now", range(10, 13), partial(result_file, names=("parse", "store")))
    done = ours.perfgate("check", "--records", ".perfgate/now")
    assert done.code == 1, done.text
    assert "1 missing" in done.out
    part = ours.perfgate("check", "--records", ".perfgate/now", "-k", "parse")
    assert part.code == 0, part.text
    assert "missing" not in part.out


def test_one_run_that_looks_slower_stays_inconclusive(ours: Project) -> None:
    """Nobody can take fresh runs of another tool's benchmark (STATISTICS section 5)."""
    accepted(ours)
    imported(ours, ".perfgate/now", range(10, 11), partial(result_file, factor=1.3))
    done = ours.perfgate("check", "--records", ".perfgate/now", "--inconclusive", "fail")
    assert done.code == 10, done.text
    assert "1 inconclusive" in done.out


def test_an_update_refuses_what_got_worse_and_prune_leaves_imported_ones(ours: Project) -> None:
    accepted(ours)
    imported(ours, ".perfgate/now", range(10, 15), partial(result_file, factor=2.0))
    arguments = ("baseline", "update", "--from", ".perfgate/now", "--reason", "r")
    assert ours.perfgate(*arguments).code == 1
    done = ours.perfgate(*arguments, "--accept-regression", "safer")
    assert done.code == 0, done.text
    assert "0 without a benchmark" in ours.perfgate("baseline", "prune").out


def test_suites_and_imported_records_live_side_by_side(project: Project) -> None:
    imported(project, ".perfgate/old", range(5))
    done = project.perfgate(
        "baseline", "update", "--from", ".perfgate/old", "-k", "tests/t.py", "--reason", "first numbers"
    )
    # The files that the import read are in the tree and not ignored here.
    assert done.code == 2, done.text
    for path in project.folder.glob("*.json"):
        path.unlink()
    done = project.perfgate(
        "baseline", "update", "--from", ".perfgate/old", "-k", "tests/t.py", "--reason", "first numbers"
    )
    assert done.code == 0, done.text
    project.commit("accept")
    measured = project.perfgate("check", "--keep-records", ".perfgate/now", "--base", "HEAD")
    assert measured.code == 0, measured.text
    assert "4 of 4 judged" in measured.out
    assert "3 imported baselines are not judged here" in measured.out
    imported(project, ".perfgate/imported", range(10, 13))
    shutil.copytree(
        project.folder / ".perfgate/imported", project.folder / ".perfgate/now", dirs_exist_ok=True
    )
    both = project.perfgate("check", "--records", ".perfgate/now", "--base", "HEAD")
    assert both.code == 0, both.text
    assert "7 of 7 judged" in both.out
    alone = project.perfgate("check", "--records", ".perfgate/imported", "--base", "HEAD")
    assert alone.code == 11, alone.text  # the suites' benchmarks were expected as well


def test_the_json_holds_records_and_what_was_left_out(ours: Project) -> None:
    shutil.copy(DATA / "google_benchmark_schema_1.json", ours.folder / "g.json")
    done = ours.perfgate("import", "g.json", "-o", ".perfgate/g", "--json", "-", "--device", "ci")
    assert done.code == 0, done.text
    content = json.loads(done.out)
    assert [item["benchmark"] for item in content["records"]] == ["BM_Copy/64", "BM_Manual/manual_time"]
    assert {item["device"] for item in content["records"]} == {"ci"}
    assert {item["status"] for item in content["left_out"]} == {"failed", "skipped", "aggregate", "not read"}


@pytest.mark.parametrize(
    ("content", "code", "words"),
    [
        ("hello\n", 2, "of no format that is known here: r.bin: name a result file of"),
        ("", 12, "the file is empty: r.bin: "),
        ('{"benchmarks": [', 12, "broken JSON, expecting value: r.bin:1:17: "),
        ('{"machine_info": {}, "benchmarks": [], "version": "9.1"}', 12, "unknown version '9.1'"),
    ],
)
def test_what_cannot_be_imported_ends_in_one_line(ours: Project, content: str, code: int, words: str) -> None:
    ours.write({"r.bin": content})
    done = ours.perfgate("import", "r.bin")
    assert done.code == code
    assert done.out == ""
    assert done.err.count("\n") == 1
    assert words in done.err
    assert ours.perfgate("import").code == 2
    assert ours.perfgate("import", "r.bin", "--format", "nonsense").code == 2


def test_the_steps_of_the_page_make_a_gate(ours: Project) -> None:
    page = (DATA.parents[2] / "docs" / "IMPORT.md").read_text(encoding="utf-8")
    steps = page.split("```shell\n")[1].split("```")[0].splitlines()
    ours.write({f"base-{seed}.json": result_file(seed) for seed in range(5)})
    ours.write({f"head-{seed}.json": result_file(seed + 10, factor=1.5) for seed in range(3)})
    environment = clean_environment(PATH=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    codes = [
        subprocess.run(
            ["sh", "-c", step], cwd=ours.folder, env=environment, check=False, capture_output=True
        ).returncode
        for step in steps
    ]
    assert codes == [0, 0, 0, 0, 1, 1]  # the head's files are 1.5 times slower
