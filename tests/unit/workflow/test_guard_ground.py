"""The facts of a commit: what guardrails see of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.baseline.revision import open_repository
from perfgate.guardrails.load import load_rules
from perfgate.guardrails.rule import ROOT_FILE, RuleSource
from perfgate.workflow.guard_ground import facts_of_commit
from perfgate.workflow.worktree import WorkTree
from tests.repositories import Repository

if TYPE_CHECKING:
    from pathlib import Path


def test_an_executable_script_of_a_commit_is_seen(tmp_path: Path) -> None:
    """Compile scripts are executable; a rule that cannot see them would let every old commit pass."""
    repository = Repository(tmp_path / "project")
    script = "#!/bin/sh\natc --model=m.onnx --output=m --optypelayout=NCHW\n"
    repository.commit("start", {"deploy/convert.sh": script, "notes.md": "x"})
    (repository.folder / "deploy" / "convert.sh").chmod(0o755)
    commit = repository.commit("make it executable")
    rules = load_rules([RuleSource(path=ROOT_FILE, text=b"atc_convert: require --optypelayout=NHWC\n")])
    tree = WorkTree(repository.folder, open_repository(repository.folder))
    found = facts_of_commit(tree, rules, commit)
    assert {facts.path: len(facts.commands) for facts in found if facts.commands} == {"deploy/convert.sh": 1}
