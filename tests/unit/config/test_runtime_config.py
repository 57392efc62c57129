"""The strict reader of runtime files that a suite names."""

from __future__ import annotations

import pytest

from perfgate.config.runtime_config import read_runtime_keys
from perfgate.core.errors import UsageError

SAME = {
    "r.yaml": b"npu:\n  pool: 2GB\n  stream: {count: 4}\n",
    "r.yml": b"npu:\n  pool: 2GB\n  stream: {count: 4}\n",
    "r.json": b'{"npu": {"pool": "2GB", "stream": {"count": 4}}}',
    "r.toml": b'[npu]\npool = "2GB"\nstream = {count = 4}\n',
}


@pytest.mark.parametrize("path", SAME)
def test_all_endings_give_the_same_keys_below_the_chosen_one(path: str) -> None:
    keys = read_runtime_keys(path, SAME[path], "npu")
    assert [(key.path, key.type, key.text) for key in keys] == [
        ("pool", "str", "2GB"),
        ("stream.count", "int", "4"),
    ]


def test_without_a_key_the_whole_file_counts_and_places_are_those_of_the_file() -> None:
    (pool, count) = read_runtime_keys("deploy/r.yaml", SAME["r.yaml"], None)
    assert (pool.path, str(pool.span)) == ("npu.pool", "deploy/r.yaml:2:9")
    assert (count.path, str(count.span)) == ("npu.stream.count", "deploy/r.yaml:3:19")


def test_a_dotted_key_goes_down_several_levels() -> None:
    (count,) = read_runtime_keys("r.toml", SAME["r.toml"], "npu.stream")
    assert (count.path, count.text) == ("count", "4")


def test_a_byte_order_mark_takes_no_column() -> None:
    (key,) = read_runtime_keys("r.json", b'\xef\xbb\xbf{"a": 1}', None)
    assert (key.span.line, key.span.column) == (1, 7)


@pytest.mark.parametrize(
    ("path", "data", "key", "message"),
    [
        ("r.yaml", b"a: [1\nb: 2\n", None, "r.yaml:2:2"),  # libyaml stops at the colon of b
        ("r.json", b'{"a":\n 1,}', None, "r.json:2:4"),  # the brace behind the comma
        ("r.toml", b"a = 1\nb = \n", None, "r.toml:2:5"),  # tomllib points behind the blank
        ("r.yaml", b"a: 1\na: 2\n", None, "key 'a' is given twice: r.yaml:2:1"),
        ("r.yaml", b"a: 1\nb: 2\n", "c", "nothing under key 'c': r.yaml: name one of its keys: a, b"),
        ("r.yaml", b"a: 1\nb: \xff\n", None, "not UTF-8: r.yaml:2"),
        ("r.ini", b"", None, "'.ini' is no kind of runtime file"),
        ("r.yaml", b"a: &a [*a]\n", None, "stands inside its own anchor"),
    ],
)
def test_a_file_that_cannot_be_relied_on_is_refused_with_its_place(
    path: str, data: bytes, key: str | None, message: str
) -> None:
    with pytest.raises(UsageError) as caught:
        read_runtime_keys(path, data, key)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
