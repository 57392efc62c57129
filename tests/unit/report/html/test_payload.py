"""What travels inside the page: packed, harmless, and the same for the same input."""

from __future__ import annotations

import gzip
import json
from base64 import b64decode
from typing import Any

import pytest

from perfgate.report.html.flame import flame_view
from perfgate.report.html.payload import document, inline_json, packed, table_payload, view_payload
from tests.page_profiles import HOSTILE_HERE, in_a_row, material

PROFILE = in_a_row({"a": 1, "b": 2})


def unpacked(text: str) -> Any:  # noqa: ANN401 - JSON
    return json.loads(gzip.decompress(b64decode(text)))


@pytest.mark.parametrize("name", HOSTILE_HERE)
def test_inline_json_holds_no_sign_that_ends_a_block_or_a_line_and_reads_back(name: str) -> None:
    text = inline_json({"name": name})
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == {"name": name}


@pytest.mark.parametrize("name", HOSTILE_HERE)
def test_a_packed_value_is_plain_letters_and_reads_back(name: str) -> None:
    text = packed([name])
    assert all(sign.isalnum() or sign in "+/=" for sign in text)
    assert unpacked(text) == [name]


def test_a_drawing_made_twice_has_the_same_ids() -> None:
    view = flame_view(material(PROFILE, PROFILE))
    first, second = document(view.draw()), document(view.draw())
    assert first == second
    ids = set(json.dumps(first).split('"id": "')[1:])
    assert {text.partition('"')[0] for text in ids} == {
        f"p{number}" for number in range(1, 1 + len(_ids(first)))
    }


def _ids(value: object) -> set[str]:
    if isinstance(value, dict):
        own = {value["id"]} if isinstance(value.get("id"), str) else set()
        return own.union(*map(_ids, value.values()))
    return set().union(*map(_ids, value)) if isinstance(value, list | tuple) else set()


def test_numbers_of_the_walk_travel_with_seven_digits() -> None:
    view = flame_view(material(PROFILE, PROFILE))
    sent = unpacked(view_payload(view))["walk"]
    assert sent["x1"] == [pytest.approx(value, rel=1e-6) for value in view.walk["x1"]]
    assert max(len(repr(value)) for value in sent["x1"]) <= 9


def test_the_tables_are_those_of_the_view() -> None:
    view = flame_view(material(PROFILE, PROFILE))
    (sent,) = unpacked(table_payload(view.tables))
    assert sent["rows"] == [list(row) for row in view.tables[0].rows]
