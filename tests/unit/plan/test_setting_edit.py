"""Where a setting belongs: the place of the diagnosis, the suite's file, or the suite itself."""

from __future__ import annotations

import msgspec
import pytest

from perfgate.core.difference import Difference, DifferenceKind
from perfgate.guardrails.patch import NotCertainError
from perfgate.measure.benchmark import CompileSource, RuntimeSource
from perfgate.plan.manifest import sha256
from perfgate.plan.setting_edit import Ground, edit_of
from perfgate.plan.wanted import wanted_of
from tests.diagnoses import LAYOUT, fix, flag, key
from tests.plan_ground import CONVERT, FILES, RUNTIME, SCRIPT, benchmark, ground

SUITE = """\
version: 1
benchmarks:
  - name: sd_unet
    model: zoo:sd_unet
    compile: {flags: {--optypelayout: NCHW, --precision_mode: force_fp16}}
    runtime:
      values:
        memory_pool: 1.5GB
"""
SUITE_PATH = "perf_models.yaml"
INLINE = benchmark(
    CompileSource(flags={"--optypelayout": "NCHW"}), RuntimeSource(values={"memory_pool": "1.5GB"})
)


def after(
    repository: Ground, *, taken: Difference | None = None, name: str = "", value: str | None = ""
) -> str:
    """The text of the one file that the setting changes."""
    setting = flag(name, value) if name.startswith("-") else key(name, value)
    wish = fix(taken=(taken,)) if taken is not None else fix(settings=(setting,))
    (wanted,) = wanted_of(wish)
    found = edit_of(repository, wanted)
    assert found is not None
    return found.written.data.decode()


def moved(**changes: str | None) -> Difference:
    return msgspec.structs.replace(LAYOUT, **changes)


def test_a_taken_difference_goes_back_where_it_stands() -> None:
    assert after(ground(), taken=LAYOUT) == SCRIPT.replace("NCHW", "NHWC")


def test_a_place_that_has_moved_is_found_by_the_suite() -> None:
    files = {**FILES, CONVERT: SCRIPT.replace("\natc", "\n\n# moved\natc").encode()}
    assert after(ground(files), taken=LAYOUT) == files[CONVERT].decode().replace("NCHW", "NHWC")


def test_without_a_suite_the_place_leads_to_the_command() -> None:
    alone = msgspec.structs.replace(benchmark(), compile=CompileSource())
    assert "NHWC" in after(ground(item=alone), taken=LAYOUT)
    with pytest.raises(NotCertainError, match="no suite names the file of the compile command"):
        after(ground(item=alone), name="--optypelayout", value="NHWC")


def test_another_value_than_the_diagnosis_saw_is_refused() -> None:
    files = {**FILES, CONVERT: SCRIPT.replace("NCHW", "ND").encode()}
    with pytest.raises(
        NotCertainError, match=r"--optypelayout is 'ND' in deploy/convert.sh, the diagnosis saw"
    ):
        after(ground(files), taken=LAYOUT)


def test_what_the_repository_says_already_needs_no_edit() -> None:
    files = {**FILES, CONVERT: SCRIPT.replace("NCHW", "NHWC").encode()}
    (wanted,) = wanted_of(fix(taken=(LAYOUT,)))
    assert edit_of(ground(files), wanted) is None


def test_a_flag_that_went_missing_comes_back_and_a_new_one_goes() -> None:
    gone = SCRIPT.replace(" \\\n    --optypelayout=NCHW", "")
    lost = moved(after=None, place_after="")
    files = {**FILES, CONVERT: gone.encode()}
    assert after(ground(files), taken=lost) == SCRIPT.replace("NCHW", "NHWC")
    assert after(ground(), taken=moved(before=None, place_before="")) == gone


def test_a_flag_without_a_value_is_written_bare() -> None:
    assert after(ground(), name="--save_original_model", value="") == SCRIPT.replace(
        "=NCHW\n", "=NCHW \\\n    --save_original_model\n"
    )


def test_a_runtime_key_is_set_in_the_file_and_below_the_key_that_the_suite_names() -> None:
    assert after(ground(), name="memory_pool", value="2GB") == FILES[RUNTIME].decode().replace("1.5GB", "2GB")
    item = benchmark(runtime=RuntimeSource(path=RUNTIME, key="npu"))
    files = {**FILES, RUNTIME: b"cpu: {pool: 1}\nnpu:\n  pool: 1\n"}
    assert after(ground(files, item), name="pool", value="2") == "cpu: {pool: 1}\nnpu:\n  pool: 2\n"


def test_settings_written_out_in_the_suite_are_changed_there() -> None:
    files = {SUITE_PATH: SUITE.encode()}
    assert after(ground(files, INLINE), taken=moved(place_after="")) == SUITE.replace("NCHW", "NHWC")
    assert after(ground(files, INLINE), name="memory_pool", value="2GB") == SUITE.replace("1.5GB", "2GB")
    added = SUITE.replace("force_fp16}", "force_fp16, --auto_tune_mode: RL}")
    assert after(ground(files, INLINE), name="--auto_tune_mode", value="RL") == added


def test_settings_written_out_in_a_test_are_left_to_its_author() -> None:
    item = msgspec.structs.replace(INLINE, test="tests/test_perf.py::test_it")
    with pytest.raises(NotCertainError, match="written out in a test"):
        after(ground(item=item), name="memory_pool", value="2GB")


def difference(kind: DifferenceKind, before: bytes, name: str) -> Difference:
    return Difference(kind=kind, name=name, before=sha256(before), after="ff")


def test_a_file_that_a_flag_names_comes_back_from_the_baselines_commit() -> None:
    old, path = b'{"Switch": {"GraphFusion": {"ALL": "on"}}}\n', "deploy/fusion.json"
    files = {**FILES, path: old.replace(b"on", b"off")}
    found = difference(DifferenceKind.FILE, old, path)
    assert after(ground(files, before={path: old}), taken=found).encode() == old
    with pytest.raises(NotCertainError, match=r"does not hold deploy/fusion.json as the baseline had it"):
        after(ground(files, before={path: b"other"}), taken=found)


def test_a_binary_model_is_left_to_git() -> None:
    old, path = b"\0onnx", "model.onnx"
    files = {**FILES, path: b"\0other"}
    with pytest.raises(NotCertainError, match="is no text; take it from the baseline's commit with git"):
        after(ground(files, before={path: old}), taken=difference(DifferenceKind.MODEL, old, path))


def test_what_no_plan_changes_is_refused() -> None:
    with pytest.raises(NotCertainError, match="a device is not changed by a plan"):
        after(ground(), taken=moved(kind=DifferenceKind.DEVICE))


def test_a_value_with_signs_of_the_shell_is_written_within_quotes_only() -> None:
    quoted = SCRIPT.replace("--optypelayout=NCHW", '--input_shape="x:1,4;y:2"')
    files = {**FILES, CONVERT: quoted.encode()}
    assert after(ground(files), name="--input_shape", value="x:8,4;y:2") == quoted.replace("x:1", "x:8")
    with pytest.raises(NotCertainError, match="the value needs quotes"):
        after(ground(files), name="--input_shape", value="$(id)")
    with pytest.raises(NotCertainError, match="the value needs quotes"):
        after(ground(), name="--optypelayout", value="a;b")


def test_a_flag_is_set_where_the_suites_defaults_write_the_flags_out() -> None:
    suite = (
        "version: 1\ndefaults: {compile: {flags: {--optypelayout: NCHW}}}\nbenchmarks: [{name: sd_unet}]\n"
    )
    files = {SUITE_PATH: suite.encode()}
    assert after(ground(files, INLINE), taken=moved(place_after="")) == suite.replace("NCHW", "NHWC")
    with pytest.raises(NotCertainError, match="names no benchmark 'sd_unet' literally"):
        after(ground({SUITE_PATH: b"version: 1\n"}, INLINE), name="--optypelayout", value="NHWC")
    bare = b"version: 1\nbenchmarks: [{name: sd_unet}]\n"
    with pytest.raises(NotCertainError, match=r"writes out no compile\.flags"):
        after(ground({SUITE_PATH: bare}, INLINE), name="--optypelayout", value="NHWC")


def test_without_a_suite_a_key_is_found_by_its_place_only() -> None:
    alone = msgspec.structs.replace(benchmark(), runtime=RuntimeSource())
    pool = Difference(
        kind=DifferenceKind.RUNTIME,
        name="memory_pool",
        before="2GB",
        after="1.5GB",
        place_after=f"{RUNTIME}:2:14",
    )
    assert "memory_pool: 2GB" in after(ground(item=alone), taken=pool)
    with pytest.raises(NotCertainError, match="no suite names a runtime configuration"):
        after(ground(item=alone), name="memory_pool", value="2GB")
    elsewhere = msgspec.structs.replace(pool, after="9GB")
    with pytest.raises(NotCertainError, match=r"memory_pool is '1\.5GB'"):
        after(ground(item=alone), taken=elsewhere)


def test_a_file_that_is_as_the_baseline_had_it_needs_no_edit() -> None:
    path = "deploy/fusion.json"
    (wanted,) = wanted_of(fix(taken=(difference(DifferenceKind.FILE, b"{}", path),)))
    assert edit_of(ground({**FILES, path: b"{}"}, before={path: b"{}"}), wanted) is None
