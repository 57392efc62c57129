"""The marker's words, and the names of measurements."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from perfgate.core.errors import UsageError
from perfgate.pytest_plugin.marker import Wishes, benchmark_name, read_marker

if TYPE_CHECKING:
    from collections.abc import Iterator


class Item(SimpleNamespace):
    """As much of a pytest item as names need; the nearest mark comes first, as in pytest."""

    def iter_markers(self, name: str) -> Iterator[Any]:
        assert name == "perfgate"
        yield from self.marks


def item(nodeid: str = "t.py::test_x", *marks: Any) -> pytest.Item:  # noqa: ANN401 - marks of pytest
    return cast("pytest.Item", Item(nodeid=nodeid, marks=[mark.mark for mark in marks]))


mark = pytest.mark.perfgate


@pytest.mark.parametrize(
    ("nodeid", "device", "name"),
    [
        ("a/t.py::test_x", "", "a/t.py::test_x"),
        ("t.py::TestIt::test_x[1-b]", "", "t.py::TestIt::test_x[1-b]"),
        ("t.py::test_x[orin-like]", "orin-like", "t.py::test_x"),
        ("t.py::test_x[4-orin-like]", "orin-like", "t.py::test_x[4]"),
        ("t.py::test_x[orin-like-4]", "orin-like", "t.py::test_x[4]"),
        ("t.py::test_x[my-orin-likely]", "orin-like", "t.py::test_x[my-orin-likely]"),
        ("t.py::test_x[a[0]]", "", "t.py::test_x[a[0]]"),
    ],
)
def test_a_name_is_the_node_id_without_what_repeats_the_device(nodeid: str, device: str, name: str) -> None:
    assert benchmark_name(item(nodeid), Wishes(), device) == name


def test_the_marker_s_name_replaces_the_node_id_and_keeps_the_parameters() -> None:
    assert benchmark_name(item("t.py::test_x[7]"), Wishes(name="decode")) == "decode[7]"


def test_a_memory_address_in_an_id_is_refused() -> None:
    with pytest.raises(UsageError, match=r"holds a memory address.*ids="):
        benchmark_name(item("t.py::test_x[<f at 0x7f00aa>]"), Wishes())


def test_the_nearest_mark_wins_key_by_key() -> None:
    found = read_marker(item("t.py::t", mark(owner="@a", name="n"), mark(owner="@b", min_effect="2%")))
    assert found == Wishes(owner="@a", name="n", min_effect="2%")


@pytest.mark.parametrize(
    ("bad", "word"),
    [
        (mark("x"), "keywords only"),
        (mark(owners="@a"), "did you mean 'owner'"),
        (mark(min_effect=2), "min_effect of the marker is no text"),
        (mark(min_effect="2"), "'2' is no percentage"),
        (mark(metrics="latency"), "is no list"),
        (mark(metrics=["latencies"]), "unknown metric 'latencies'"),
        (mark(limit="<=3ms"), "is no mapping"),
        (mark(limit={"latency": "3"}), "'3' is no value of latency"),
    ],
)
def test_a_wrong_word_names_the_test_and_the_remedy(bad: Any, word: str) -> None:  # noqa: ANN401 - a mark of pytest
    with pytest.raises(UsageError, match=r"t\.py::test_x") as caught:
        read_marker(item("t.py::test_x", bad))
    assert word in str(caught.value)


def test_one_smallest_effect_is_meant_for_every_metric() -> None:
    wishes = read_marker(item("t.py::t", mark(min_effect="3%", metrics=["latency", "cpu_time"])))
    assert wishes.thresholds(wishes.metrics_of(("throughput",))) == {"latency": "3%", "cpu_time": "3%"}
