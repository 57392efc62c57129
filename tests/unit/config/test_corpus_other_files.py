"""The corpus of commands, its files that are not shell scripts, counted as its README says.

An answer is right when program, place, flags in order with value, place and certainty, and `open` agree; what
is not listed is false. Places were located by the corpus, by searching the text, never by this reader.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from perfgate.config.read import read

if TYPE_CHECKING:
    from perfgate.config.facts import Command, EnvSetting, FileFacts, Flag, Value

CORPUS = Path(__file__).parents[2] / "data" / "commands"
EXPECTED: dict[str, dict[str, Any]] = json.loads((CORPUS / "expected.json").read_text(encoding="utf-8"))
FIRST = 27  # the files before are shell scripts
NAMES = [name for name in EXPECTED if int(name[:2]) >= FIRST]
RENAMED = {
    "Ascend310P3": "Ascend910X99",
    "onnx": "tflx",
    "plover": "wagtail",
    "crane": "moa",
    "mossnet": "birch",
}

Answer = tuple[Any, ...]


def value_answer(value: Value) -> Answer:
    if value.candidates:
        return ("candidates", frozenset(value.candidates))
    if value.pieces is None:
        return ("bare",)
    if value.text is not None:
        return ("text", value.text)
    return ("parts", tuple(piece.text for piece in value.pieces))


def flag_answer(flag: Flag) -> Answer:
    place = (flag.span.line, flag.span.column)
    return (flag.name, *value_answer(flag.value), *place, flag.certainty.value, flag.overridden)


def command_answer(command: Command) -> Answer:
    place = (command.program_span.line, command.program_span.column)
    return (command.program, *place, command.open, tuple(map(flag_answer, command.flags)))


def setting_answer(setting: EnvSetting) -> Answer:
    value = value_answer(setting.value) if setting.value is not None else ()
    place = (setting.span.line, setting.span.column)
    return (setting.name, setting.operation.value, *place, value, tuple(map(flag_answer, setting.flags)))


def expected_value(flag: dict[str, Any]) -> Answer:
    if "candidates" in flag:
        return ("candidates", frozenset(flag["candidates"]))
    if "parts" in flag:
        return ("parts", tuple(flag["parts"]))
    return ("bare",) if flag["value"] is None else ("text", flag["value"])


def expected_flag(flag: dict[str, Any]) -> Answer:
    place = (flag["line"], flag["column"])
    return (flag["name"], *expected_value(flag), *place, flag["certainty"], flag.get("overridden", False))


def expected_command(command: dict[str, Any]) -> Answer:
    place = (command["line"], command["column"])
    return (command["program"], *place, command["open"], tuple(map(expected_flag, command["flags"])))


def expected_setting(setting: dict[str, Any]) -> Answer:
    value = ("text", setting["value"]) if "value" in setting else ()
    place = (setting["line"], setting["column"])
    flags = tuple(map(expected_flag, setting.get("flags", ())))
    return (setting["name"], setting["op"], *place, value, flags)


def answers(facts: FileFacts) -> dict[str, list[Answer]]:
    return {
        "commands": sorted(map(command_answer, facts.commands), key=lambda answer: answer[1:3]),
        "env": sorted(map(setting_answer, facts.env), key=lambda answer: answer[2:4]),
        "keys": [(key.path, key.type, key.text, key.span.line, key.span.column) for key in facts.keys],
        "incomplete": [(facts.incomplete,)],
    }


def expected_answers(entry: dict[str, Any]) -> dict[str, list[Answer]]:
    return {
        "commands": sorted(map(expected_command, entry["commands"]), key=lambda answer: answer[1:3]),
        "env": sorted(map(expected_setting, entry["env"]), key=lambda answer: answer[2:4]),
        "keys": [
            (key["path"], key["type"], key["value"], key["line"], key["column"]) for key in entry["keys"]
        ],
        "incomplete": [(entry["incomplete"],)],
    }


def file_bytes(name: str) -> bytes:
    return (CORPUS / "files" / name).read_bytes()


@pytest.mark.parametrize("name", NAMES)
def test_every_answer_of_the_corpus_is_found_and_nothing_else(name: str) -> None:
    facts = read(name, file_bytes(name))
    assert answers(facts) == expected_answers(EXPECTED[name])
    notes = [(note["code"], note["line"]) for note in EXPECTED[name]["notes"]]
    assert [(note.code, note.span.line) for note in facts.notes] == notes


@pytest.mark.parametrize("name", NAMES)
def test_windows_line_ends_change_no_answer(name: str) -> None:
    data = file_bytes(name).replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    assert answers(read(name, data)) == expected_answers(EXPECTED[name])


@pytest.mark.parametrize("name", NAMES)
def test_a_byte_order_mark_changes_no_answer(name: str) -> None:
    data = b"\xef\xbb\xbf" + file_bytes(name).removeprefix(b"\xef\xbb\xbf")
    assert answers(read(name, data)) == expected_answers(EXPECTED[name])


@pytest.mark.parametrize("name", NAMES)
def test_other_names_of_models_and_chips_give_the_same_answers(name: str) -> None:
    text = file_bytes(name).decode("utf-8")
    entry = json.dumps(EXPECTED[name], ensure_ascii=False)
    same_length = {old: (new + "xxxxxxxxxxxx")[: len(old)] for old, new in RENAMED.items()}
    for old, new in same_length.items():  # columns stay where they are
        text = re.sub(rf"\b{old}\b", new, text)
        entry = re.sub(rf"\b{old}\b", new, entry)
    assert answers(read(name, text.encode("utf-8"))) == expected_answers(json.loads(entry))
