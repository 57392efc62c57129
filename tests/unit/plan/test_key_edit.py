"""Keys of runtime files: exactly one value changes, everything else of the file stays as it is."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfgate.config.key_files import read_key_tree
from perfgate.config.spans import Source
from perfgate.guardrails.patch import NotCertainError
from perfgate.plan.key_edit import key_edit, key_value, path_parts

YAML = "# pools\nmemory_pool: 1.5GB  # per device\nstream:\n  priority: 'low'\n  count: 2\n"
JSON = '{\n  "memory_pool": "1.5GB",\n  "stream": {"priority": "low", "count": 2}\n}\n'
TOML = 'memory_pool = "1.5GB" # per device\n[stream]\npriority = "low"\ncount = 2\n'


def edited(path: str, text: str, key: str, value: str | None) -> str:
    written = key_edit(path, text.encode(), path_parts(key), value)
    assert written is not None
    data = text.encode()
    assert data[: written.offset] + written.new + data[written.offset + len(written.old) :] == written.data
    return written.data.decode()


@pytest.mark.parametrize(
    ("path", "text", "key", "value", "after"),
    [
        ("a.yaml", YAML, "memory_pool", "2GB", YAML.replace("1.5GB", "2GB")),
        ("a.yaml", YAML, "stream.priority", "high", YAML.replace("low", "high")),
        ("a.yaml", YAML, "stream.count", "4", YAML.replace("2\n", "4\n")),
        ("a.json", JSON, "stream.priority", "high", JSON.replace("low", "high")),
        ("a.json", JSON, "stream.count", "4", JSON.replace("2}", "4}")),
        ("a.toml", TOML, "stream.priority", "high", TOML.replace("low", "high")),
        ("a.yaml", "a: x\n", "a", "k: v", 'a: "k: v"\n'),
        ("a.json", '{"a": 1}', "a", "high", '{"a": "high"}'),
    ],
)
def test_a_value_is_replaced_in_its_quotes(path: str, text: str, key: str, value: str, after: str) -> None:
    assert edited(path, text, key, value) == after


@pytest.mark.parametrize(
    ("path", "text", "key", "after"),
    [
        ("a.yaml", YAML, "tea", YAML + "tea: on\n"),
        ("a.yaml", YAML, "stream.tea", YAML + "  tea: on\n"),
        ("a.yaml", YAML, "new.tea", YAML + "new: {tea: on}\n"),
        ("a.yaml", "a: {b: 1}\n", "a.tea", "a: {b: 1, tea: on}\n"),
        ("a.yaml", "s:\n- b: 1\n- b: 2\n", "s[0].tea", "s:\n- b: 1\n  tea: on\n- b: 2\n"),
        ("a.yaml", "a: 1", "tea", "a: 1\ntea: on"),
        ("a.yaml", "# nothing yet\n", "tea", "# nothing yet\ntea: on\n"),
        ("a.yaml", "", "tea", "tea: on\n"),
        ("a.json", JSON, "tea", JSON.replace("}\n}", '},\n  "tea": "on"\n}')),
        ("a.json", JSON, "stream.tea", JSON.replace("2}", '2, "tea": "on"}')),
        ("a.json", "{}", "tea", '{"tea": "on"}'),
        ("a.toml", TOML, "tea", TOML.replace("device\n", 'device\ntea = "on"\n')),
        ("a.toml", TOML, "stream.tea", TOML + 'tea = "on"\n'),
    ],
)
def test_a_new_key_stands_behind_its_siblings(path: str, text: str, key: str, after: str) -> None:
    assert edited(path, text, key, "on") == after


@pytest.mark.parametrize(
    ("path", "text", "key", "after"),
    [
        ("a.yaml", YAML, "memory_pool", YAML.replace("memory_pool: 1.5GB  # per device\n", "")),
        ("a.yaml", YAML, "stream.count", YAML.replace("  count: 2\n", "")),
        ("a.yaml", "a: 1\nb: 2", "b", "a: 1"),
        ("a.json", JSON, "memory_pool", JSON.replace('  "memory_pool": "1.5GB",\n', "")),
        ("a.json", JSON, "stream.count", JSON.replace(', "count": 2', "")),
        ("a.json", '{"a": 1, "b": 2}', "a", '{"b": 2}'),
        ("a.toml", TOML, "stream.count", TOML.replace("count = 2\n", "")),
    ],
)
def test_a_key_goes_with_its_line_or_comma(path: str, text: str, key: str, after: str) -> None:
    assert edited(path, text, key, None) == after


@pytest.mark.parametrize("lead", ["", "\ufeff"])
def test_byte_order_mark_and_line_ends_are_kept(lead: str) -> None:
    text = lead + YAML.replace("\n", "\r\n")
    assert edited("a.yaml", text, "memory_pool", "2GB") == text.replace("1.5GB", "2GB")
    assert edited("a.yaml", text, "stream.tea", "on") == text + "  tea: on\r\n"
    assert edited("a.yaml", text, "stream.count", None) == text.replace("  count: 2\r\n", "")


def test_what_is_so_already_needs_no_edit() -> None:
    assert key_edit("a.yaml", YAML.encode(), ("stream", "count"), "2") is None
    assert key_edit("a.yaml", YAML.encode(), ("tea",), None) is None


@pytest.mark.parametrize(
    ("path", "text", "key", "reason"),
    [
        ("a.yaml", "a: &x 1\nb: *x\n", "b", "no way is certain"),
        ("a.yaml", "a: [1\n", "b", "cannot be read to its end"),
        ("a.ini", "a = 1\n", "a", "is no YAML, JSON or TOML file"),
        ("a.yaml", "a: 1\na: 2\n", "a", "several times"),
        ("a.yaml", "a: 1\n", "a[0].b", "no way is certain"),
    ],
)
def test_what_is_not_certain_is_refused(path: str, text: str, key: str, reason: str) -> None:
    with pytest.raises(NotCertainError, match=reason):
        key_edit(path, text.encode(), path_parts(key), "3")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a.b", ("a", "b")),
        ("stages[1].name", ("stages", 1, "name")),
        ('a."x.y"', ("a", "x.y")),
        ("--optypelayout", ("--optypelayout",)),
        ("a..b", ("a..b",)),
    ],
)
def test_a_written_path_is_taken_apart(text: str, parts: tuple[str | int, ...]) -> None:
    assert path_parts(text) == parts


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(st.from_regex(r"[a-z]{1,4}", fullmatch=True), st.integers(0, 99), min_size=1, max_size=4),
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8),
    st.sampled_from(["a.yaml", "a.json", "a.toml"]),
)
def test_any_text_reads_back_or_is_refused(keys: dict[str, int], value: str, path: str) -> None:
    lines = {
        "a.yaml": "".join(f"{name}: {number}\n" for name, number in keys.items()),
        "a.json": "{" + ", ".join(f'"{name}": {number}' for name, number in keys.items()) + "}",
        "a.toml": "".join(f"{name} = {number}\n" for name, number in keys.items()),
    }
    name = next(iter(keys))
    try:
        written = key_edit(path, lines[path].encode(), (name,), value)
    except NotCertainError:
        return
    data = lines[path].encode() if written is None else written.data
    assert key_value(path, data, (name,)) == value
    tree = read_key_tree(Source(path=path, text=data.decode()))
    assert tree is not None
    others = {leaf.path[0]: leaf.text for leaf in tree.leaves if leaf.path != (name,)}
    assert others == {other: str(number) for other, number in keys.items() if other != name}
