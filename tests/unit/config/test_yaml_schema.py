"""The schema that an editor gets of a file whose scalars are read by their declared type."""

from __future__ import annotations

from enum import StrEnum

import jsonschema  # type: ignore[import-untyped]  # ships no types
import msgspec
import pytest

from perfgate.config.yaml_schema import yaml_json_schema


class Word(StrEnum):
    YES = "yes"


class Example(msgspec.Struct, forbid_unknown_fields=True):
    shape: list[str]
    word: Word = Word.YES
    values: dict[str, str] = {}


SCHEMA = yaml_json_schema(Example, "an example")


def test_a_text_may_be_written_as_a_number_or_a_truth_value() -> None:
    jsonschema.validate({"shape": [1, "N", 2.5], "values": {"pinned": False}}, SCHEMA)
    assert SCHEMA["title"] == "an example"


@pytest.mark.parametrize(
    "wrong", [{"shape": [[1]]}, {"shape": [], "word": "no"}, {"shape": [], "shapes": []}]
)
def test_lists_choices_and_keys_stay_as_strict_as_they_are(wrong: object) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, SCHEMA)
