from __future__ import annotations

import json

import msgspec
import numpy as np
import pytest

from perfgate.core.codec import compact_json, decode, plain, readable_json
from perfgate.core.errors import UnusableError


class Pair(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    value: float


def refused(data: bytes) -> str:
    with pytest.raises(UnusableError) as caught:
        decode(data, Pair, "file.json", UnusableError, "restore it")
    return str(caught.value)


def test_a_value_is_read() -> None:
    assert decode(b'{"name": "a", "value": 1}', Pair, "f", UnusableError, "r") == Pair("a", 1.0)


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b'{"name": "a", "value": NaN}', "NaN is no JSON number"),
        (b'{"name": "a", "value": -Infinity}', "-Infinity is no JSON number"),
        (b'{"name": "a", "value": 1e999}', "the number 1e999 is too large"),
        (b'{"name": "a", "name": "b", "value": 1}', "the key 'name' twice"),
        (b'{"name": "a", "value": 1', "broken JSON, expecting ',' delimiter"),
        (b"", "broken JSON, expecting value"),
        (b'\xef\xbb\xbf{"name": "a", "value": 1}', "broken JSON, unexpected UTF-8 BOM"),
        (b'{"name": "\xff", "value": 1}', "byte 10 is not UTF-8"),
        (b'{"name": "a", "value": "1"}', "expected `float`, got `str`".replace("`", "'")),
        (b'{"name": "a", "value": 1, "more": 2}', "unknown field 'more'"),
        (b'"{\\"name\\": 1}"', "expected `object`, got `str`".replace("`", "'")),
        (b"[" * 100_000, "nested too deep"),
        (b'{"name": "a", "value": ' + b"9" * 5000 + b"}", "file.json: restore it"),
    ],
)
def test_broken_bytes_are_refused_in_one_line_with_the_place(data: bytes, what: str) -> None:
    text = refused(data)
    assert what in text
    assert "file.json" in text
    assert text.endswith("restore it")
    assert "\n" not in text


def test_readable_json_sorts_keys_and_keeps_number_lists_on_one_line() -> None:
    text = readable_json({"b": [1.5, 2.5], "a": {"y": [[1, 2], [3]], "x": None}})
    rows = ["{", '  "a": {', '    "x": null,', '    "y": [', "      [1, 2],", "      [3]", "    ]", "  },"]
    assert text == "\n".join([*rows, '  "b": [1.5, 2.5]', "}", ""])
    assert json.loads(text) == {"a": {"x": None, "y": [[1, 2], [3]]}, "b": [1.5, 2.5]}


def test_readable_json_refuses_numbers_that_are_not_finite() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        readable_json({"a": float("nan")})


@pytest.mark.parametrize(
    "scalar",
    [np.float64(1.5), np.float32(1.5), np.int64(3), np.int8(3), np.uint16(3), np.array([1.0, 2.0]), np.True_],
)
def test_numpy_scalars_become_builtins(scalar: object) -> None:
    value = plain({"value": scalar})["value"]
    assert type(value) in {float, int, bool, list}
    assert json.loads(json.dumps(value)) == value


def test_compact_json_is_one_line_of_unicode_in_which_nothing_is_invisible() -> None:
    value = {"b": "卷积 \u202e", "a": [1, "x\0\n", "\ud800"]}
    text = compact_json(value)
    assert text == '{"b":"卷积 \\u202e","a":[1,"x\\u0000\\n","\\ud800"]}'
    assert json.loads(text.encode()) == value
    with pytest.raises(ValueError, match="not JSON compliant"):
        compact_json(float("inf"))
