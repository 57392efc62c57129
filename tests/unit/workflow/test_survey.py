"""What init sees in a repository, and what it takes for certain."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfgate.baseline.revision import open_repository
from perfgate.workflow.survey import Survey, look
from perfgate.workflow.worktree import WorkTree
from tests.repositories import Repository

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FILES: dict[str, str | bytes] = {
    "a/net.onnx": b"",
    "b/net.onnx": b"",
    "c/only.onnx": b"",
    "deploy/a.sh": "atc --framework=5 --model=../a/net.onnx --output=x\n",
    "deploy/guess.sh": "trtexec --onnx=net.onnx --saveEngine=x\n",
    "deploy/by_name.sh": "atc --framework=5 --model=/build/only.onnx --output=x\n",
    "deploy/runtime_config.json": "{}",
    "two/runtime_config.yaml": "a: 1\n",
    "two/runtime_config.toml": "a = 1\n",
    "two/runtime_config.md": "not one\n",
    "tests/test_a.py": "def test_one(benchmark): pass\nasync def test_two(tmp_path, benchmark): pass\n",
    "tests/test_b.py": "def test_one(tmp_path): benchmark = 1\n",
    "src/speed.py": "def test_one(benchmark): pass\n",
    "bench/perf_x.yml": "version: 1\n",
}


@pytest.fixture
def survey(tmp_path: Path) -> Iterator[Survey]:
    repository = Repository(tmp_path / "r")
    repository.commit("one", FILES)
    with open_repository(repository.folder) as opened:
        yield look(WorkTree(repository.folder, opened))


def test_models_runtime_files_tests_and_suites_are_found(survey: Survey) -> None:
    assert survey.models == ("a/net.onnx", "b/net.onnx", "c/only.onnx")
    assert len(survey.runtimes) == 3
    assert survey.timed_tests == {"tests/test_a.py": 2}
    assert survey.suites == ("bench/perf_x.yml",)
    assert survey.branch == "main"


def test_a_command_belongs_to_the_model_it_names_and_a_name_that_two_share_to_none(survey: Survey) -> None:
    assert [path for path, _ in survey.commands_of("a/net.onnx")] == ["deploy/a.sh"]
    assert survey.commands_of("b/net.onnx") == []
    assert [path for path, _ in survey.commands_of("c/only.onnx")] == ["deploy/by_name.sh"]


def test_only_the_one_runtime_file_beside_a_script_is_certain(survey: Survey) -> None:
    assert survey.runtime_beside("deploy/a.sh") == "deploy/runtime_config.json"
    assert survey.runtime_beside("two/convert.sh") is None
    assert survey.runtime_beside("a/convert.sh") is None


def test_a_large_file_is_not_searched_and_outside_git_the_branch_is_main(tmp_path: Path) -> None:
    (tmp_path / "large.sh").write_bytes(b"atc --model=x.onnx\n" + b"#" * (1 << 20))
    found = look(WorkTree(tmp_path, None))
    assert (found.commands, found.branch) == ((), "main")
