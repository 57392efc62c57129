"""Revisions, configuration and paths that a change can choose: nothing of it runs or leaves the tree."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.project import Project, Result


def one_line(done: Result, code: int, *words: str) -> None:
    assert done.code == code, done.text
    assert "Traceback" not in done.text
    line = next(line for line in done.text.splitlines() if all(word in line for word in words))
    assert line


@pytest.mark.parametrize(
    "revision", ["--upload-pack=x", "-x", "main\nx", "--output=stolen", "HEAD^{tree}", ""]
)
def test_a_revision_that_is_an_option_or_names_no_commit_is_refused(project: Project, revision: str) -> None:
    for done in (
        project.perfgate("check", f"--base={revision}"),
        project.pytest(f"--perfgate-base={revision}"),
        project.perfgate("baseline", "diff", f"--base={revision}"),
    ):
        assert done.code in {2, 12}, done.text
        assert "verdict:" not in done.out
        assert "Traceback" not in done.text
    assert not (project.folder / "stolen").exists()


HOOKS = ("post-checkout", "pre-commit", "post-index-change", "reference-transaction", "post-merge")


def test_nothing_that_the_repository_configures_runs(project: Project) -> None:
    mark = project.folder.parent / "ran"
    script = project.folder.parent / "evil.sh"
    script.write_text(f'#!/bin/sh\necho "$0 $@" >> {mark}\ncat\n', encoding="utf-8")
    script.chmod(0o755)
    attributes = "*.json diff=evil filter=evil\n*.yaml diff=evil filter=evil\n*.sh filter=evil\n"
    project.commit("attributes", {".gitattributes": attributes})
    project.git("update-ref", "refs/remotes/origin/main", "HEAD")
    for key in (
        "core.fsmonitor",
        "core.pager",
        "core.sshCommand",
        "core.askPass",
        "core.editor",
        "diff.external",
        "diff.evil.textconv",
        "diff.evil.command",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "gpg.program",
        "credential.helper",
        "uploadpack.packObjectsHook",
        "remote.origin.uploadpack",
        "alias.ls-files",
    ):
        project.git("config", key, str(script))
    project.git("config", "core.hooksPath", str(project.folder.parent / "hooks"))
    for folder in (project.folder / ".git" / "hooks", project.folder.parent / "hooks"):
        folder.mkdir(exist_ok=True)
        for name in HOOKS:
            (folder / name).write_bytes(script.read_bytes())
            (folder / name).chmod(0o755)
    for done in (
        project.perfgate("check", "-k", "resnet50"),
        project.pytest("-k", "resnet50", "-p", "no:benchmark"),  # which asks git itself, hooks and all
        project.perfgate("guard"),
        project.perfgate("doctor"),
        project.perfgate("baseline", "list"),
        project.perfgate("baseline", "diff"),
        project.perfgate("record", "-k", "resnet50", "-o", "records"),
    ):
        assert done.code == 0, done.text
    assert not mark.exists(), mark.read_text(encoding="utf-8")


MODELS = [
    "../outside.onnx",
    "/etc/passwd",
    "models/../../outside.onnx",
    "models/link.onnx",
    "linked/outside.onnx",
]


@pytest.mark.parametrize("model", MODELS)
def test_a_model_outside_is_refused_and_not_read(project: Project, model: str) -> None:
    elsewhere = project.folder.parent / "elsewhere"
    elsewhere.mkdir()
    outside = elsewhere / "outside.onnx"
    outside.write_bytes(b"secret content of another project")
    (project.folder / "models").mkdir()
    (project.folder / "models" / "link.onnx").symlink_to(outside)
    (project.folder / "linked").symlink_to(elsewhere)
    project.replace("perf_models.yaml", "onnx:light_resnet50", model)
    is_link = "link" in model
    code, words = (11, "the model cannot be read") if is_link else (2, "leaves the repository")
    checked = project.perfgate("check", "-k", "resnet50")
    one_line(checked, code, words, "perf_models.yaml")
    tested = project.pytest("-k", "resnet50")
    one_line(tested, code, words, "perf_models.yaml")
    for done in (checked, tested):
        assert "secret" not in done.text
        assert "root:" not in done.text


@pytest.mark.parametrize("place", ["compile: {from: ../outside.sh}", "runtime: {from: /etc/passwd}"])
def test_commands_and_configurations_outside_are_refused(project: Project, place: str) -> None:
    entry = "{name: a, model: 'zoo:resnet50', devices: [orin-like], " + place + "}"
    project.write({"perf_more.yaml": f"version: 1\nbenchmarks: [{entry}]\n"})
    one_line(project.perfgate("check"), 2, "leaves the repository", "perf_more.yaml:2")


def cached(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.json"))


CHECK = ("check", "-k", "resnet50", "--device", "ascend-310p-like", "--cache", "cache")


def test_a_poisoned_compile_cache_changes_no_verdict(project: Project) -> None:
    """The slower program's file is overwritten by the fast one's, then by rubbish with a right hash."""
    project.write({".git/info/exclude": "cache/\n"})
    assert project.perfgate(*CHECK).code == 0
    (fast,) = cached(project.folder / "cache")
    assert project.perfgate(*CHECK).code == 0  # out of the cache
    project.replace("deploy/resnet.sh", "force_fp16", "force_fp32")
    assert project.perfgate(*CHECK).code == 1
    (slow,) = [path for path in cached(project.folder / "cache") if path != fast]
    rubbish = b"{}"
    for content in (fast.read_bytes(), hashlib.sha256(rubbish).hexdigest().encode() + b"\n" + rubbish):
        slow.write_bytes(content)
        done = project.perfgate(*CHECK)
        assert done.code == 1, done.text


def test_a_compile_cache_that_a_change_could_have_committed_is_refused(project: Project) -> None:
    assert project.perfgate(*CHECK).code == 0
    project.commit("a cache")
    one_line(project.perfgate(*CHECK), 2, "the compile cache holds files of the repository", "cache")
