"""Readers of configuration on damaged files: no exception whatever the bytes, and YAML text in its place."""

from __future__ import annotations

import json
from pathlib import Path

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from perfgate.config.read import read
from perfgate.config.spans import Source
from perfgate.config.yaml_load import LOADER, YamlNode, load_yaml
from perfgate.config.yaml_places import scalar_text

CORPUS = Path(__file__).parents[1] / "data" / "commands"
FIRST = 27  # the files before are shell scripts
NAMES = [
    name
    for name in json.loads((CORPUS / "expected.json").read_text(encoding="utf-8"))
    if int(name[:2]) >= FIRST
]
FILES = {name: (CORPUS / "files" / name).read_bytes() for name in NAMES}
SCRAPS = [
    *(b"{", b"}", b"(", b")", b"[", b"]", b'"', b"'", b"$", b"\\", b"\n", b"\t", b" ", b"#", b":", b"="),
    *(b"|", b">", b"<", b"&", b"*", b"%", b"{{", b"}}", b"$(", b"${", b"$<", b"\xff", b"\r\n", b"---\n"),
    *(b'"""', b"f'{", b"endif\n", b"else\n", b"<<EOF\n", b"- ", b"!", b"@", b"\\\n", b"`", b"<<: *env"),
]
EDITS = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 12), st.sampled_from(SCRAPS)), min_size=1, max_size=6
)


def damaged(data: bytes, edits: list[tuple[float, int, bytes]]) -> bytes:
    for where, cut, scrap in edits:
        position = int(where * len(data))
        data = data[:position] + scrap + data[position + cut :]
    return data


@settings(max_examples=100, deadline=None)
@given(name=st.sampled_from(NAMES), edits=EDITS)
def test_no_damage_to_a_file_ends_in_an_exception(name: str, edits: list[tuple[float, int, bytes]]) -> None:
    data = damaged(FILES[name], edits)
    facts = read(name, data)
    lines = data.count(b"\n") + 1
    spans = [command.program_span for command in facts.commands] + [note.span for note in facts.notes]
    assert all(1 <= span.line <= lines for span in spans)


LINES = st.lists(
    st.sampled_from(["", "  ", "a b", " c", "\tx", "-d 'e'", 'f "g"', "\\t", "# x", "h\\", "i  "]),
    min_size=1,
    max_size=6,
)


def scalars(node: YamlNode) -> list[YamlNode]:
    if node.kind == "scalar":
        return [node]
    children = [*node.items, *(part for pair in node.pairs for part in pair)]
    return [scalar for child in children for scalar in scalars(child)]


@settings(max_examples=100, deadline=None)
@given(header=st.sampled_from(["|", ">", "|-", ">-", "|+", ">+", "|2", ">2-", '"', "'", ""]), lines=LINES)
def test_every_yaml_scalar_is_decoded_as_pyyaml_does_it(header: str, lines: list[str]) -> None:
    quote = header if header in {'"', "'"} else ""
    inner = ("\n  " if header and not quote else "") + "\n  ".join(lines)
    text = f"k: {header}{inner}{quote}\nz: 1\n"
    loaded = load_yaml(text)
    source = Source(path="x.yaml", text=text)
    found = [scalar_text(source, node) for document in loaded.documents for node in scalars(document)]
    if loaded.broken is None:
        assert found[1].text == yaml.load(text, Loader=LOADER)["k"]  # noqa: S506 - builds text only
    plain = [placed for placed in found if placed.text and "\n" not in placed.text]
    for placed in plain:
        written = placed.source.text[placed.starts[0]]
        assert written in {placed.text[0], "\\"} or (placed.text[0] == " " and written == "\n")  # folded
