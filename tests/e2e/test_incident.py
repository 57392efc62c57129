"""The incident from the first red gate to never again, by real commands, with nothing made by hand.

DIAGNOSIS_AND_REPORT section 7; the last tests plant other faults and ask for the same way out.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.e2e.project import Project

KEY = "sd_unet[ascend-310p-like]"
CONVERT, RUNTIME, SWITCHES = "deploy/convert.sh", "deploy/runtime_config.yaml", "deploy/fusion.json"
RULES = "atc_convert: require --precision_mode=force_fp16\n"
DIAGNOSIS, PLAN = ".perfgate/d.json", ".perfgate/plan"
OWN = (".git/", ".perfgate/")


def ran(project: Project, *words: str, code: int = 0) -> str:
    done = project.perfgate(*words)
    assert done.code == code, f"{words}: {done.text}"
    return done.out


def files_of(project: Project) -> dict[str, tuple[int, bytes]]:
    """Mode and bytes of every file but git's and perfgate's own."""
    return {
        name: (path.stat().st_mode, path.read_bytes())
        for path in sorted(project.folder.rglob("*"))
        if path.is_file() and not (name := str(path.relative_to(project.folder))).startswith(OWN)
    }


def base(project: Project) -> None:
    project.git("update-ref", "refs/remotes/origin/main", "HEAD")


def record(project: Project, folder: str) -> None:
    ran(project, "record", "-k", KEY, "--profile", "-o", folder, "-q")


def test_from_a_red_gate_to_never_again(project: Project) -> None:
    project.commit("another guardrail", {"guardrails.yaml": RULES})
    base(project)
    project.replace(CONVERT, "NHWC", "NCHW")
    culprit = project.commit("tidy convert flags")
    assert "REGRESSED" in ran(project, "check", code=1)
    told = ran(project, "diagnose", "-k", KEY, "--json", DIAGNOSIS)
    for words in ("--optypelayout=NCHW", "conv2", culprit[:7], "GB", "restore flag --optypelayout"):
        assert words in told
    record(project, ".perfgate/before")
    before = files_of(project)

    ran(project, "optimize", "--diagnosis", DIAGNOSIS, "-o", PLAN, "--apply")
    assert "--optypelayout=NHWC" in (project.folder / CONVERT).read_text()
    record(project, ".perfgate/after")
    sides = ("--before", ".perfgate/before", "--after", ".perfgate/after")
    table = ran(
        project, "validate", *sides, "--diagnosis", DIAGNOSIS, "--plan", PLAN, "--json", ".perfgate/v.json"
    )
    assert re.search(r"copied_bytes, host-device +2\.34 GB +0 GB +-100\.0 % +improved +0 GB", table)
    rows = rows_of(project)
    assert rows["cycles"]["after"] == rows["cycles"]["predicted"]
    assert rows["UNet.mid_block"]["change"] < -0.9

    page = ("--incident", "sd3 layout", "--validation", ".perfgate/v.json", "-o", ".perfgate/page.md")
    ran(project, "postmortem", "--diagnosis", DIAGNOSIS, *page, "--append-guardrail")
    assert f"`commit {culprit[:7]}`: rejected" in (project.folder / ".perfgate/page.md").read_text()
    assert "sd3 layout" in ran(project, "cases")

    ran(project, "optimize", "--rollback", PLAN)  # the bad state again: now nothing of it is even measured
    added = {"guardrails.yaml", *(name for name in files_of(project) if name.startswith("perf-cases/"))}
    assert {name: item for name, item in files_of(project).items() if name not in added} == {
        name: item for name, item in before.items() if name not in added
    }
    red = json.loads(ran(project, "check", "--json", "-", code=1))
    assert any(key == KEY and "must be NHWC" in reason for key, reason in red["skipped"].items())
    assert "seen before: " in ran(project, "diagnose", "-k", KEY)


def rows_of(project: Project) -> dict[str, dict[str, Any]]:
    found = json.loads((project.folder / ".perfgate/v.json").read_text())
    return {row["name"]: row for table in found["tables"] for row in table["rows"]}


@pytest.mark.parametrize(
    ("path", "good", "bad"),
    [
        (CONVERT, "force_fp16", "force_fp32"),
        (SWITCHES, '"on"', '"off"'),
    ],
    ids=["precision", "fusion"],
)
def test_another_fault_has_the_same_way_out(project: Project, path: str, good: str, bad: str) -> None:
    switches = '{"Switch": {"GraphFusion": {"ALL": "on"}, "UBFusion": {"ALL": "on"}}}\n'
    project.replace(CONVERT, "--optypelayout", f"--fusion_switch_file={SWITCHES} --optypelayout")
    project.commit("name the fusions", {SWITCHES: switches})
    ran(project, "baseline", "update", "-k", KEY, "--refresh", "--reason", "the fusions are named")
    project.commit("accept it")
    base(project)
    project.replace(path, good, bad)
    project.commit("tidy")
    before = files_of(project)
    ran(project, "diagnose", "-k", KEY, "--json", DIAGNOSIS)
    planned = json.loads(
        ran(project, "optimize", "--diagnosis", DIAGNOSIS, "-o", PLAN, "--apply", "--json", "-")
    )
    assert good in (project.folder / path).read_text()
    assert bad not in (project.folder / path).read_text()
    assert path in planned["files"]
    # What the baseline of the healthy state keeps is at least reached.
    healthy = json.loads((project.folder / "baselines/ascend-310p-like/sd_unet.json").read_text())
    assert planned["manifest"]["prediction"]["planned"] <= healthy["profile"]["total_ps"]
    ran(project, "optimize", "--rollback", PLAN)
    assert files_of(project) == before
