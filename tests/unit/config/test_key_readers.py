"""Leaves of JSON, YAML and TOML with their places; truth comes from `json`, `tomllib` and PyYAML."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING

import pytest
import yaml

from perfgate.config.json_places import json_keys
from perfgate.config.key_paths import KeyTree, written_path
from perfgate.config.read import read
from perfgate.config.toml_places import toml_keys
from perfgate.config.yaml_keys import yaml_keys
from perfgate.config.yaml_load import load_yaml

if TYPE_CHECKING:
    from perfgate.config.facts import FileFacts

TOML = """\
a.b."c d" = 1
'lit' = 'x\\y'
t = \"\"\"
one \\
   two\"\"\"
u = "\\u00e9\\n"
nested = [[1, 2], [{x = 1}, {x = 2.5}]]  # ]
when = 1979-05-27 07:32:00Z
f = inf
[[p.q]]
n = 1
[[p.q]]
[p.q.sub]
k = 0b11
[p.r]
empty = []
"""
JSON = '{"a": [1, {"b": [true, null]}], "\\ud83d\\ude00": "x\\ty", "c.d": -0.5e3, "": {"a": ""}}'


def flat(value: object, path: tuple[str | int, ...] = ()) -> dict[tuple[str | int, ...], object]:
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    else:
        return {path: value}
    return {key: leaf for name, item in items for key, leaf in flat(item, (*path, name)).items()}


def texts(tree: KeyTree) -> dict[tuple[str | int, ...], str]:
    return {leaf.path: leaf.text for leaf in tree.leaves}


def test_toml_agrees_with_tomllib_and_points_at_the_value() -> None:
    tree = toml_keys(TOML)
    truth = flat(tomllib.loads(TOML))
    assert tree.broken is None
    assert set(texts(tree)) == set(truth)
    strings = {path: value for path, value in truth.items() if isinstance(value, str)}
    assert {path: texts(tree)[path] for path in strings} == strings
    starts = {written_path(leaf.path): TOML[leaf.start : leaf.end] for leaf in tree.leaves}
    assert starts['a.b."c d"'] == "1"
    assert starts["nested[1][1].x"] == "2.5"
    assert starts["p.q[1].sub.k"] == "0b11"
    assert starts["when"] == "1979-05-27 07:32:00Z"


def test_json_agrees_with_json_and_points_at_the_value() -> None:
    tree = json_keys(JSON)
    assert set(texts(tree)) == set(flat(json.loads(JSON)))
    starts = {written_path(leaf.path): JSON[leaf.start : leaf.end] for leaf in tree.leaves}
    assert starts == {
        "a[0]": "1",
        "a[1].b[0]": "true",
        "a[1].b[1]": "null",
        '"😀"': '"x\\ty"',
        '"c.d"': "-0.5e3",
        '"".a': '""',
    }


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        *(("true", "bool"), ("Yes", "str"), ("off", "str"), ("null", "null"), ("", "null"), ("0o17", "int")),
        *(
            ("0x1f", "int"),
            ("-12", "int"),
            ("1_000", "str"),
            ("1:30", "str"),
            (".5", "float"),
            ("1.", "float"),
        ),
        *((".inf", "float"), (".NaN", "float"), ("2026-11-29", "str"), ("'1'", "str"), ("!!str 1", "str")),
        *(("!!int '3'", "int"), ("&x 7", "int"), ("1e3", "float"), ("0b11", "str"), ("+.INF", "float")),
    ],
)
def test_scalars_of_yaml_have_the_types_of_version_1_2(written: str, kind: str) -> None:
    (leaf,) = yaml_keys(f"k: {written}\n").leaves
    assert leaf.type == kind


def test_a_value_behind_anchor_or_tag_is_placed_at_itself() -> None:
    text = "a: &x !!str  7\nb: *x\n"
    assert [(leaf.path, text[leaf.start : leaf.end]) for leaf in yaml_keys(text).leaves] == [
        (("a",), "7"),
        (("b",), "7"),
    ]


def test_merges_own_keys_first_then_the_earlier_source() -> None:
    text = "a: &a {x: 1, y: 1}\nb: &b {y: 2, z: 2}\nc: {<<: [*a, *b], x: 3}\n"
    leaves = {leaf.path: leaf.text for leaf in yaml_keys(text).leaves if leaf.path[0] == "c"}
    loaded = yaml.safe_load(text)["c"]
    assert leaves == {("c", name): str(value) for name, value in loaded.items()}


def runtime(name: str, text: str) -> FileFacts:
    return read(name, text.encode("utf-8"))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("runtime_config.json", '{"a": 1,\n "b": [2,\n<<<<<<< HEAD\n 3]}'),
        ("runtime_config.yaml", "a: 1\nb: [2,\n<<<<<<< HEAD\n 3]\n"),
        ("runtime_config.toml", "a = 1\nb = 2\n<<<<<<< HEAD\nc = 3\n"),
    ],
)
def test_before_a_conflict_marker_keys_count_and_the_file_is_incomplete(name: str, text: str) -> None:
    facts = runtime(name, text)
    assert [key.text for key in facts.keys] == ["1", "2"]
    assert facts.incomplete
    assert [(note.code, note.span.line) for note in facts.notes] == [("conflict-markers", 3)]


BOMB = "a: &a [x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n"
    for before, name in zip("abcdefghi", "bcdefghij", strict=True)
)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("runtime_config.yaml", BOMB),
        ("runtime_config.yaml", "a: " + "[" * 100_000),
        ("runtime_config.json", "[" * 100_000),
        ("runtime_config.toml", "a = " + "[" * 100_000),
        ("runtime_config.toml", "a" + ".a" * 100_000 + " = 1"),
        ("runtime_config.yaml", "a: &a [*a]\n"),
    ],
)
def test_hostile_key_files_end_incomplete(name: str, text: str) -> None:
    facts = runtime(name, text)
    assert facts.incomplete
    assert [note.code for note in facts.notes] == ["syntax-error"]


def test_too_many_aliases_are_refused_before_any_tree_exists() -> None:
    loaded = load_yaml("a: &a 1\nb: [" + ", ".join(["*a"] * 101) + "]\n")
    assert loaded.broken is not None
    assert loaded.broken.reason == "more than 100 aliases"
