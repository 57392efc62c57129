"""`perfgate optimize` by the real command: plan, apply, roll back; and everything it refuses."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import jsonschema  # type: ignore[import-untyped]  # ships no types
import pytest

from perfgate.core.codec import readable_json
from perfgate.core.units import readable
from perfgate.workflow.json_schemas import schema_of
from tests.diagnoses import LAYOUT, diagnosis, fix, flag, key

if TYPE_CHECKING:
    from perfgate.core.diagnosis import Diagnosis
    from tests.e2e.project import Project

CONVERT, PLAN = "deploy/convert.sh", ".perfgate/plan"
Run = Callable[..., str]


@pytest.fixture
def broken(project: Project) -> Project:
    """The incident: the layout is turned and committed."""
    project.replace(CONVERT, "NHWC", "NCHW")
    project.commit("tidy convert flags")
    write(project, diagnosis())
    return project


def write(project: Project, found: Diagnosis) -> None:
    project.write({".perfgate/d.json": readable_json(found)})


@pytest.fixture
def optimize(project: Project) -> Run:
    """The verb, with what it says on both streams."""

    def run(*arguments: str, code: int = 0) -> str:
        done = project.perfgate("optimize", *arguments)
        assert done.code == code, done.text
        return done.text

    return run


def files_of(project: Project) -> dict[str, tuple[int, bytes]]:
    """Mode and bytes of every file but git's and the plan's own."""
    return {
        name: (path.stat().st_mode, path.read_bytes())
        for path in sorted(project.folder.rglob("*"))
        if path.is_file() and not (name := str(path.relative_to(project.folder))).startswith((".git/", PLAN))
    }


def healthy_seconds(project: Project) -> float:
    """The simulated time that the committed baseline keeps."""
    record = json.loads(text(project, "baselines/ascend-310p-like/sd_unet.json"))
    return float(record["profile"]["total_ps"]) / 1e12


def text(project: Project, path: str = CONVERT) -> str:
    return (project.folder / path).read_text()


ASKED = ("--diagnosis", ".perfgate/d.json")


def test_plan_apply_and_rollback_by_the_real_command_end_where_they_began(broken: Project) -> None:
    (broken.folder / CONVERT).chmod(0o755)
    before = files_of(broken)
    planned = broken.perfgate("optimize", *ASKED, "-o", PLAN)
    assert planned.code == 0, planned.text
    (amounts,) = re.findall(r"latency (\S+ s) -> (\S+ s), -\S+ % \(simulated\)", planned.out)
    assert amounts[1] == readable(healthy_seconds(broken), "s") != amounts[0]
    assert "-75.6 % was promised, the planned files simulate to -78.9 %" in planned.out
    assert f"{CONVERT}:4  --optypelayout NCHW -> NHWC" in planned.out
    assert files_of(broken) == before
    applied = json.loads(broken.perfgate("optimize", "--apply", "-o", PLAN, "--json", "-").out)
    jsonschema.validate(applied, schema_of("optimize"), cls=jsonschema.Draft202012Validator)
    assert (applied["state"], applied["files"]) == ("applied", [CONVERT])
    assert text(broken) == before[CONVERT][1].decode().replace("NCHW", "NHWC")
    assert broken.git("status", "--short").split() == ["M", CONVERT]  # the backup takes itself out of git
    refused = broken.perfgate("optimize", *ASKED, "-o", PLAN)
    assert (refused.code, "the plan there is applied" in refused.err) == (2, True)
    back = broken.perfgate("optimize", "--rollback", PLAN)
    assert (back.code, "is rolled back" in back.out) == (0, True)
    assert files_of(broken) == before
    again = broken.perfgate("optimize", "--rollback", PLAN)
    assert (again.code, "the plan is not applied" in again.err) == (2, True)


def test_a_diagnosis_can_be_applied_at_once_and_undone_from_its_backup(
    broken: Project, optimize: Run
) -> None:
    optimize(*ASKED, "--apply")
    assert "NHWC" in text(broken)
    (backup,) = (broken.folder / ".perfgate/backup").iterdir()
    (broken.folder / "optimization_plan/rollback_plan.md").unlink()
    assert "no rollback_plan.md" in optimize("--rollback", code=2)
    optimize("--rollback", f".perfgate/backup/{backup.name}")
    assert "NCHW" in text(broken)


def test_flags_are_printed_for_a_command_line(broken: Project, optimize: Run) -> None:
    assert json.loads(optimize(*ASKED, "--flags-only"))["flags"] == "--optypelayout=NHWC"
    assert not (broken.folder / "optimization_plan").exists()


def test_a_small_gain_is_added_by_its_number_only(broken: Project, optimize: Run) -> None:
    small = fix(settings=(key("tea_cache", "true"),), after=9_090_000_000_000, title="cache")
    write(broken, diagnosis(small))
    assert "left out: fix 1, cache: its change of -0.4 %" in optimize(*ASKED, "--apply")
    assert "tea_cache" not in text(broken, "deploy/runtime_config.yaml")
    optimize(*ASKED, "--include", "1", "-o", "other", "--apply")
    assert text(broken, "deploy/runtime_config.yaml").endswith("pinned_memory: false\ntea_cache: true\n")
    assert "no fix 7" in optimize(*ASKED, "--include", "7", code=2)


def test_the_policy_says_what_a_gain_is(broken: Project, optimize: Run) -> None:
    broken.replace("perfgate.yaml", "min_effect: 1%", "min_effect: 80%")
    assert "is not beyond the minimum effect, -80.0 %" in optimize(*ASKED)


def test_what_changed_meanwhile_is_refused_and_nothing_is_written(broken: Project, optimize: Run) -> None:
    optimize(*ASKED)
    broken.replace(CONVERT, "force_fp16", "force_fp32")
    before = text(broken)
    assert "has changed since the plan was made" in optimize("--apply", code=2)
    assert text(broken) == before
    assert not (broken.folder / ".perfgate/backup").exists()


def test_a_tampered_plan_and_one_of_another_diagnosis_are_refused(broken: Project, optimize: Run) -> None:
    optimize(*ASKED)
    write(broken, diagnosis(fix(taken=(LAYOUT,), after=1)))
    assert "the plan is of another diagnosis" in optimize(*ASKED, "--apply", code=2)
    broken.replace("optimization_plan/atc_optimization/convert_command.sh", "atc", "curl example.org; atc")
    assert "the plan is not as perfgate wrote it" in optimize("--apply", code=2)
    assert "NCHW" in text(broken)


@pytest.mark.usefixtures("broken")
def test_other_files_are_not_overwritten(optimize: Run) -> None:
    assert "holds other files than a plan: deploy/convert.sh" in optimize(*ASKED, "-o", "deploy", code=2)


def test_a_plan_that_was_half_written_is_written_again(broken: Project, optimize: Run) -> None:
    optimize(*ASKED)
    whole = (broken.folder / "optimization_plan/rollback_plan.md").read_bytes()
    (broken.folder / "optimization_plan/rollback_plan.md").unlink()
    assert "no rollback_plan.md" in optimize("--apply", code=2)
    optimize(*ASKED)
    assert (broken.folder / "optimization_plan/rollback_plan.md").read_bytes() == whole


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "broken JSON"),
        ('{"schema": "x"}', "not the expected form"),
        ('{"diagnoses": []}', "no diagnosis"),
    ],
)
def test_a_file_that_is_no_diagnosis_is_refused(
    project: Project, optimize: Run, content: str, said: str
) -> None:
    project.write({".perfgate/d.json": content})
    assert said in optimize(*ASKED, code=2)


def test_one_of_several_diagnoses_is_chosen(broken: Project, optimize: Run) -> None:
    other = diagnosis(fix(settings=(flag("--x", "1"),)))
    several = readable_json({"diagnoses": [diagnosis(), other]}).replace("sd_unet", "resnet50", 1)
    broken.write({".perfgate/d.json": several})
    assert "the file also explains sd_unet[" in optimize(*ASKED)
    assert "it has those of resnet50[" in optimize(*ASKED, "-k", "bert", code=2)
    assert "for sd_unet[" in optimize(*ASKED, "-k", "sd_unet[")


def test_no_diagnosis_and_an_unreadable_one_are_said(optimize: Run) -> None:
    assert "no diagnosis is named" in optimize(code=2)
    assert "cannot be read, no such file" in optimize("--diagnosis", "none.json", code=2)
