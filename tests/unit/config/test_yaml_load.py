"""Loading of YAML: limits, recovery, and the reader in pure Python where libyaml is missing."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from perfgate.config import yaml_load
from perfgate.config.read import read
from perfgate.config.yaml_load import load_yaml

FILES = Path(__file__).parents[2] / "data" / "commands" / "files"
YAML_FILES = sorted(path.relative_to(FILES).as_posix() for path in FILES.rglob("*.y*ml"))


@pytest.mark.parametrize("name", YAML_FILES)
def test_without_libyaml_the_answers_are_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = (FILES / name).read_bytes()
    with_libyaml = read(name, data)
    monkeypatch.setattr(yaml_load, "LOADER", yaml.BaseLoader)
    assert read(name, data) == with_libyaml


def test_what_stands_before_a_fault_is_a_tree() -> None:
    loaded = load_yaml("a: [1, {b: 2}]\nc: [3, *no]\n")
    assert loaded.broken is not None
    assert loaded.broken.reason == "alias *no has no anchor"
    (document,) = loaded.documents
    assert [(key.text, len(value.items)) for key, value in document.pairs] == [("a", 2), ("c", 1)]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[" * 70, "nested deeper than 64"),
        ("a: &a [*a]", "alias *a stands inside its own anchor"),
        ("a: \x07", "special characters are not allowed"),
    ],
)
def test_limits_are_said(text: str, reason: str) -> None:
    loaded = load_yaml(text)
    assert loaded.broken is not None
    assert loaded.broken.reason == reason


def test_a_tag_constructs_nothing() -> None:
    (document,) = load_yaml("a: !!python/object/apply:os.system ['atc']\n").documents
    (pair,) = document.pairs
    assert [item.text for item in pair[1].items] == ["atc"]
