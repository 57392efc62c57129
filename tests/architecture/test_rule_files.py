"""A rule holds no threshold of its own: `rules.yaml` has them all."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from perfgate.diagnose.limits import shipped_limits
from perfgate.diagnose.rules.registry import RULES
from tests.architecture.source import PACKAGE, python_files

if TYPE_CHECKING:
    from pathlib import Path

    from perfgate.diagnose.suspect import Rule

FOLDER = PACKAGE / "diagnose" / "rules"
FILES = [path for path in python_files(FOLDER) if path.stem not in {"__init__", "registry"}]
PLAIN = (0, 1, 2, -1)  # nothing, one, a pair, the last


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_rule_holds_no_threshold_of_its_own(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    numbers = [
        (node.value, node.lineno)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, int | float)
        and not isinstance(node.value, bool)
        and node.value not in PLAIN
    ]
    assert numbers == []


def test_each_file_is_a_rule_of_its_name_in_the_registry_and_has_limits() -> None:
    names = {path.stem for path in FILES}
    assert {rule.id for rule in RULES} == names
    assert set(shipped_limits()) == names
    assert len(RULES) == len(names)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_each_limit_is_used_by_its_rule(rule: Rule) -> None:
    text = (FOLDER / f"{rule.id}.py").read_text(encoding="utf-8")
    shared = {"least_share", "least_share_alone"}  # read by `worst_first`
    unused = [name for name in shipped_limits()[rule.id] if name not in shared and name not in text]
    assert unused == []
