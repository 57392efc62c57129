from __future__ import annotations

import msgspec
import pytest
import yaml

from perfgate.config.typed_yaml import MAX_BYTES, quoted_scalar, read_typed
from perfgate.core.errors import UsageError


class Entry(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    count: int = 1
    ratio: float = 1.0
    on: bool = False


class File(msgspec.Struct, forbid_unknown_fields=True):
    version: int
    entries: list[Entry] = []
    names: dict[str, str] = {}


def refusal(text: str | bytes) -> str:
    data = text.encode() if isinstance(text, str) else text
    with pytest.raises(UsageError) as caught:
        read_typed(data, "f.yaml", File, UsageError)
    return str(caught.value)


def test_scalars_are_read_by_their_declared_type() -> None:
    text = (
        "version: 1\nentries: [{name: no, count: 10, ratio: 1e3, on: true}, {name: 1:30}]\nnames: {a: 017}\n"
    )
    file = read_typed(text.encode(), "f.yaml", File, UsageError).value
    assert file.entries == [Entry("no", 10, 1000.0, on=True), Entry("1:30")]
    assert file.names == {"a": "017"}


def test_every_value_has_its_place() -> None:
    document = read_typed(b"version: 1\nentries:\n  - name: a\n    count: 2\n", "f.yaml", File, UsageError)
    assert document.where("entries", 0, "count") == "f.yaml:4:5"
    assert document.where("entries", 0, "ratio") == "f.yaml:3:5"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("version: 1\nentrys: []\n", "unknown key 'entrys': f.yaml:2:1: did you mean 'entries'?"),
        (
            "version: 1\nentries:\n  - {nam: a}\n",
            "unknown key 'nam': f.yaml:3:6: did you mean 'name'?",
        ),
        ("version: 1\nversion: 2\n", "the key 'version' twice: f.yaml:2:1: keep one of them"),
        ("version: one\n", "'version' is 'one', expected 'int': f.yaml:1:1: correct the value"),
        ("version: 1\nversions: 2\nx: 3\n", "unknown key 'versions': f.yaml:2:1: did you mean 'version'?"),
        ("version: 1\nratio: 2\n", "unknown key 'ratio': f.yaml:2:1: want one of entries, names, version"),
        (
            "version: 1\nentries: [{name: a, names: {}}]\n",
            "unknown key 'names': f.yaml:2:21: did you mean 'name'?",
        ),
        (
            "version: 1\nentries: [{name: a, version: 1}]\n",
            "unknown key 'version': f.yaml:2:21: want one of count, name, on, ratio",
        ),
        (
            "version: 1\nentries: [{name: a, count: 5.5}]\n",
            "'count' is '5.5', expected 'int': f.yaml:2:21: correct the value",
        ),
        ("version: 1\nentries: 5\n", "'entries' is '5', expected 'array': f.yaml:2:1: correct the value"),
        ("entries: []\n", "missing key 'version': f.yaml:1:1: correct the value"),
        ("version: &a 1\n", "an anchor or alias: f.yaml:1:10: write the value out"),
        ("version: !x 1\n", "the tag '!x': f.yaml:1:10: remove the tag"),
        ("", "the file is empty: f.yaml: write at least `version: 1`"),
        ("? [a]\n: 1\n", "a key that is no text: f.yaml:1:3: write a plain key"),
    ],
)
def test_a_mistake_is_one_line_with_place_and_remedy(text: str, message: str) -> None:
    assert refusal(text) == message


@pytest.mark.parametrize(
    "data",
    [
        b"version: [",
        b"\xff\xfe",
        b"version: \x00",
        b"a: 1\n---\nb: 2\n",
        b"x" * (MAX_BYTES + 1),
        b"[" * 100_000,
        b"version: " + b"{a: " * 40,
    ],
)
def test_hostile_bytes_are_refused_in_one_line(data: bytes) -> None:
    text = refusal(data)
    assert "f.yaml" in text
    assert "\n" not in text


@pytest.mark.parametrize("text", ["a/b.onnx", "it's", "a: #b", "new\nline", "\x7f\u2028", "é 😀\t", 'a"b\\'])
def test_a_quoted_text_reads_back_as_itself(text: str) -> None:
    assert yaml.safe_load(f"- {{a: {quoted_scalar(text)}}}") == [{"a": text}]
