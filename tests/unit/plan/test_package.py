"""The plan as files: the tree of the design, complete also when there is nothing to propose."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
import yaml

from perfgate.core.errors import UsageError
from perfgate.core.record import ProfileSummary
from perfgate.diagnose.summary_profile import profile_of_summary
from perfgate.measure.benchmark import CompileSource, RuntimeSource
from perfgate.plan.choice import choose
from perfgate.plan.package import Origin, build_plan, read_plan
from tests.diagnoses import LAYOUT, NOW, diagnosis, fix, flag, key
from tests.plan_ground import CONVERT, FILES, RUNTIME, SCRIPT, benchmark, ground
from tests.records import make_record

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from perfgate.core.diagnosis import Diagnosis
    from perfgate.core.execution_profile import Profile
    from perfgate.measure.benchmark import Benchmark
    from perfgate.plan.package import Plan

TREE = {  # as DIAGNOSIS_AND_REPORT section 3 draws it
    "atc_optimization/convert_command.sh",
    "atc_optimization/layout_config.json",
    "runtime_tuning/runtime_config.yaml",
    "modelbox_adjustment/pipeline_patch.yaml",
    "validation_script.py",
    "rollback_plan.md",
}
HOSTILE = "a; rm -rf b.onnx"


def plan_of(
    found: Diagnosis,
    files: Mapping[str, bytes] = FILES,
    item: Benchmark | None = None,
    *,
    commit: str = "",
    include: tuple[int, ...] = (),
) -> Plan:
    origin = Origin(
        diagnosis_sha256="00", folder="optimization_plan", commit_of=lambda _: commit, simulate=lambda _: None
    )
    return build_plan(ground(files, item), found, choose(found, 0.01, include), origin)


def test_the_tree_is_complete_and_the_script_is_the_repositorys_own_with_one_word_changed() -> None:
    plan = plan_of(diagnosis())
    assert set(plan.documents) == TREE
    script = plan.documents["atc_optimization/convert_command.sh"]
    assert script == SCRIPT.replace("NCHW", "NHWC").encode()
    assert json.loads(plan.documents["atc_optimization/layout_config.json"]) == {
        "flags": "--optypelayout=NHWC",
        "changes": [{"file": CONVERT, "line": 4, "from": "--optypelayout=NCHW", "to": "--optypelayout=NHWC"}],
    }


def test_a_file_with_nothing_to_propose_says_so_in_one_comment_line() -> None:
    plan = plan_of(diagnosis(fix(taken=(LAYOUT,), after=NOW)))
    assert set(plan.documents) == TREE
    for name in ("convert_command.sh", "runtime_config.yaml", "pipeline_patch.yaml"):
        (text,) = (data.decode() for path, data in plan.documents.items() if path.endswith(name))
        assert text.startswith("# nothing to change: ")
        assert text.count("\n") == 1
        assert text.endswith("\n")
    assert json.loads(plan.documents["atc_optimization/layout_config.json"]) == {"flags": "", "changes": []}
    assert plan.manifest.files == ()
    assert "it is not beyond" not in plan.manifest.left_out[0].reason


def test_the_runtime_file_keeps_comments_and_order() -> None:
    plan = plan_of(diagnosis(fix(settings=(key("memory_pool", "2GB"), key("tea_cache", "true")))))
    text = plan.documents["runtime_tuning/runtime_config.yaml"].decode()
    assert text == "# pools\nmemory_pool: 2GB  # per device\ntea_cache: true\n"


def test_keys_of_a_pipeline_are_a_patch() -> None:
    files = {**FILES, RUNTIME: b"stages:\n  - name: unet\n    batch: 1\n"}
    plan = plan_of(diagnosis(fix(settings=(key("stages[0].batch", "4"),))), files)
    patch = yaml.safe_load(plan.documents["modelbox_adjustment/pipeline_patch.yaml"])
    assert patch == [{"file": RUNTIME, "path": "stages[0].batch", "op": "set", "from": "1", "to": "4"}]


def test_a_toml_files_changed_keys_are_written_as_yaml() -> None:
    path = "deploy/run time.toml"
    item = benchmark(runtime=msgspec.structs.replace(benchmark().runtime, path=path))
    plan = plan_of(
        diagnosis(fix(settings=(key("memory_pool", "2GB"),))),
        {**FILES, path: b'memory_pool = "1GB"\n'},
        item,
    )
    text = plan.documents["runtime_tuning/runtime_config.yaml"].decode()
    assert text.startswith("# the changed keys of 'deploy/run time.toml'")
    assert yaml.safe_load(text) == {"memory_pool": "2GB"}


PYTHON = """\
import subprocess
subprocess.run(["atc", "--model=a; rm -rf b.onnx", "--optypelayout=NCHW"], check=True)
"""


def test_a_command_in_another_language_becomes_a_script_whose_words_stay_words(tmp_path: Path) -> None:
    item = benchmark(CompileSource(path="build.py"))
    found = diagnosis(fix(settings=(flag("--optypelayout", "NHWC"),)))
    script = plan_of(found, {**FILES, "build.py": PYTHON.encode()}, item).documents[
        "atc_optimization/convert_command.sh"
    ]
    assert script.decode().startswith("#!/bin/sh\n")
    assert "\nset -eu\n" in script.decode()
    (tmp_path / "atc").write_text("#!/bin/sh\nprintf '%s\\n' \"$@\"\n")
    (tmp_path / "atc").chmod(0o755)
    (tmp_path / "b.onnx").write_text("")
    (tmp_path / "run.sh").write_bytes(script)
    subprocess.run(["bash", "-n", "run.sh"], cwd=tmp_path, check=True)  # noqa: S607 - the bash of the machine
    done = subprocess.run(
        ["sh", "run.sh"],  # noqa: S607 - the shell of the machine
        cwd=tmp_path,
        env={"PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines() == [f"--model={HOSTILE}", "--optypelayout=NHWC"]
    assert (tmp_path / "b.onnx").exists()


def test_a_command_with_values_that_only_a_run_knows_is_not_made_up() -> None:
    text = PYTHON.replace('"--model=a; rm -rf b.onnx"', 'f"--model={name()}"')
    plan = plan_of(
        diagnosis(fix(settings=(flag("--optypelayout", "NHWC"),))),
        {**FILES, "build.py": text.encode()},
        benchmark(CompileSource(path="build.py")),
    )
    script = plan.documents["atc_optimization/convert_command.sh"].decode()
    assert script.startswith("# the command at build.py:2:")
    assert "only its own run knows" in script
    assert "NHWC" in plan.documents["atc_optimization/layout_config.json"].decode()


def test_a_hostile_file_name_stays_one_word_on_the_page_and_in_the_script() -> None:
    path = f"{HOSTILE}.sh"
    item = benchmark(CompileSource(path=path))
    found = diagnosis(fix(settings=(flag("--optypelayout", "NHWC"),)))
    plan = plan_of(found, {**FILES, path: SCRIPT.encode()}, item, commit="c0ffee")
    page = plan.documents["rollback_plan.md"].decode()
    assert f"git restore --source=c0ffee -- ':(literal){path}'" in page
    assert plan.manifest.files[0].path == path


def test_two_fixes_of_one_file_are_made_in_order_and_lines_are_those_of_the_original() -> None:
    found = diagnosis(
        fix(settings=(flag("--auto_tune_mode", "RL"),)),
        fix(taken=(LAYOUT,)),
        fix(settings=(key("a", "1"), key("b", "2"))),
        together=NOW // 2,
    )
    plan = plan_of(found)
    script = plan.documents["atc_optimization/convert_command.sh"].decode()
    assert script == SCRIPT.replace("NCHW", "NHWC \\\n    --auto_tune_mode=RL")
    assert [[edit.line for edit in item.edits] for item in plan.manifest.files] == [[4, 4], [2, 2]]
    assert plan.manifest.prediction.planned == NOW // 2


def test_a_fix_is_put_in_whole_or_not_at_all() -> None:
    found = diagnosis(fix(settings=(key("memory_pool", "2GB"), flag("--input_shape", "x:1;y:2"))))
    plan = plan_of(found)
    assert plan.manifest.files == ()
    assert plan.manifest.left_out[0].reason == "it cannot be written: the value needs quotes"


def test_two_fixes_that_contradict_each_other_are_not_both_taken() -> None:
    found = diagnosis(fix(settings=(key("pool", "2GB"),)), fix(settings=(key("pool", "4GB"),)))
    plan = plan_of(found)
    assert [item.number for item in plan.manifest.fixes] == [1]
    assert plan.manifest.left_out[0].reason == "it cannot be written: fix 1 sets pool to another value"


def profile(seconds: float) -> Profile:
    """A simulated profile whose time is all that it says."""
    found = profile_of_summary(make_record("a", profile=ProfileSummary(total_ps=round(seconds * 1e12))))
    assert found is not None
    return found


def test_a_fix_that_adds_nothing_beside_the_others_is_left_out_and_the_rest_is_simulated() -> None:
    """Two fixes of one cause: restore the flag, or another flag that does the same."""
    found = diagnosis(fix(taken=(LAYOUT,)), fix(settings=(flag("--auto_tune_mode", "RL"),)))

    def simulate(drafts: Mapping[str, bytes]) -> Profile | None:
        text = drafts.get(CONVERT, b"")
        return profile(9.0 if not text else 2.0 if b"NHWC" in text or b"RL" in text else 9.0)

    def made(include: tuple[int, ...] = ()) -> Plan:
        origin = Origin(
            diagnosis_sha256="00",
            folder="optimization_plan",
            commit_of=lambda _: "",
            simulate=simulate,
            least_gain=0.01,
        )
        return build_plan(ground(), found, choose(found, 0.01, include), origin)

    plan = made()
    assert [item.number for item in plan.manifest.fixes] == [1]
    assert plan.manifest.left_out[0].reason == "in the planned files it gives +0.0 %"
    assert (plan.manifest.prediction.now, plan.manifest.prediction.planned) == (9 * 10**12, 2 * 10**12)
    (note,) = plan.manifest.notes
    assert note.endswith("-75.6 % was promised, the planned files simulate to -77.8 %")
    assert [item.number for item in made((2,)).manifest.fixes] == [1, 2]


def test_a_promise_that_the_files_do_not_keep_is_not_planned() -> None:
    origin = Origin(
        diagnosis_sha256="00",
        folder="optimization_plan",
        commit_of=lambda _: "",
        simulate=lambda _: profile(9.0),
        least_gain=0.01,
    )
    plan = build_plan(ground(), diagnosis(), choose(diagnosis(), 0.01), origin)
    assert plan.manifest.files == ()
    assert plan.manifest.left_out[0].reason == "in the planned files it gives +0.0 %"


def test_some_of_several_fixes_have_no_prediction_together() -> None:
    found = diagnosis(
        fix(taken=(LAYOUT,)),
        fix(settings=(key("a", "1"),)),
        fix(settings=(key("b", "1"),), after=NOW),
        together=1,
    )
    plan = plan_of(found)
    assert plan.manifest.prediction.planned is None
    assert "the gain of all fixes together was not simulated" in plan.documents["rollback_plan.md"].decode()


def test_equal_inputs_give_equal_bytes() -> None:
    assert plan_of(diagnosis()).documents == plan_of(diagnosis()).documents


@pytest.mark.parametrize("name", sorted(TREE))
def test_a_changed_file_of_the_plan_is_noticed(name: str) -> None:
    documents = dict(plan_of(diagnosis()).documents)
    assert read_plan(documents.get, "plan").benchmark == "sd_unet"
    documents[name] = documents[name].replace(b"NHWC", b"NCHW") + b"\n"
    with pytest.raises(UsageError, match=r"not as perfgate wrote it|no manifest"):
        read_plan(documents.get, "plan")
    del documents[name]
    with pytest.raises(UsageError):
        read_plan(documents.get, "plan")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"-75.6 %", b"-99.9 %"),
        (b'"new": "NHWC"', b'"new": "NCHW"'),
        (b"deploy/convert.sh", b"deploy/other.sh"),
    ],
)
def test_a_changed_page_or_manifest_is_noticed(old: bytes, new: bytes) -> None:
    documents = dict(plan_of(diagnosis()).documents)
    assert old in documents["rollback_plan.md"]
    documents["rollback_plan.md"] = documents["rollback_plan.md"].replace(old, new)
    with pytest.raises(UsageError, match="not as perfgate wrote it"):
        read_plan(documents.get, "plan")


def test_the_validation_script_prints_its_commands(tmp_path: Path) -> None:
    found = msgspec.structs.replace(diagnosis(), benchmark='sd"; import os #')
    path = tmp_path / "validation_script.py"
    path.write_bytes(plan_of(found, commit="c0ffee").documents["validation_script.py"])
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, str(path), "--dry-run"], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    first, second, third = done.stdout.splitlines()
    assert first.startswith("perfgate record -k 'sd\"; import os #[ascend-310p-like]' --device")
    assert " --at c0ffee -o " in first
    assert "--at" not in second
    assert third.startswith("perfgate validate --before .perfgate/plans/")
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("after", "code", "said"),
    [(2.4, 0, "-75.6% predicted, -73.7% measured"), (6.0, 1, "does not reach"), (None, 0, "not compared")],
)
def test_the_validation_script_fails_when_less_than_half_was_gained(
    after: float | None, code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    script = plan_of(diagnosis()).documents["validation_script.py"].decode()
    names: dict[str, Any] = {"__name__": "script"}
    exec(compile(script, "validation_script.py", "exec"), names)  # noqa: S102 - our own script
    row = {"name": "latency", "before": 9.13, "after": after}
    answer = {"tables": [{"key": "sd_unet[ascend-310p-like]", "rows": [row]}]}
    assert names["compare"](answer) == code
    assert said in "".join(capsys.readouterr())


def test_without_a_commit_the_script_asks_for_the_records(tmp_path: Path) -> None:
    path = tmp_path / "validation_script.py"
    path.write_bytes(plan_of(diagnosis()).documents["validation_script.py"])
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, str(path)], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert (done.returncode, "--before DIR" in done.stderr) == (2, True)


SUITE = """\
version: 1
benchmarks:
  - name: sd_unet
    compile: {flags: {--optypelayout: NCHW}}
    runtime: {values: {memory_pool: 1GB}}
"""


def test_settings_written_out_in_a_suite_are_shown_as_a_command_and_as_keys() -> None:
    item = benchmark(
        CompileSource(flags={"--optypelayout": "NCHW"}), RuntimeSource(values={"memory_pool": "1GB"})
    )
    found = diagnosis(fix(settings=(flag("--optypelayout", "NHWC"), key("memory_pool", "2GB"))))
    plan = plan_of(found, {"perf_models.yaml": SUITE.encode()}, item)
    script = plan.documents["atc_optimization/convert_command.sh"].decode()
    assert script.endswith("atc \\\n    --optypelayout=NHWC\n")
    keys = yaml.safe_load(plan.documents["runtime_tuning/runtime_config.yaml"])
    assert keys == {"memory_pool": "2GB"}
    assert [edit.after for edit in plan.manifest.files[0].edits] == ["NHWC", "2GB"]


def test_positional_arguments_are_kept_in_a_made_script() -> None:
    text = 'import subprocess\nsubprocess.run(["atc", "in put.onnx", "--optypelayout=NCHW", "--log"])\n'
    plan = plan_of(
        diagnosis(fix(settings=(flag("--optypelayout", "NHWC"),))),
        {**FILES, "build.py": text.encode()},
        benchmark(CompileSource(path="build.py")),
    )
    script = plan.documents["atc_optimization/convert_command.sh"].decode()
    assert "'in put.onnx'" in script
    assert "--log" in script


def test_a_fix_whose_files_cannot_be_simulated_is_left_out() -> None:
    def simulate(drafts: Mapping[str, bytes]) -> Profile | None:
        if drafts:
            raise UsageError("no such mode", "deploy/convert.sh:4:5", "correct it")
        return profile(9.0)

    origin = Origin(
        diagnosis_sha256="00", folder="p", commit_of=lambda _: "", simulate=simulate, least_gain=0.01
    )
    plan = build_plan(ground(), diagnosis(), choose(diagnosis(), 0.01), origin)
    assert plan.manifest.left_out[0].reason.startswith("it cannot be used: no such mode")
