"""A custom list that the user calls `custom-smaller`."""

from __future__ import annotations

from perfgate.formats import custom_smaller
from perfgate.formats.document import read_document
from tests.result_files import series_of

TEXT = b'[{"name": "quality", "unit": "points", "value": 42}, {"name": "t", "unit": "ms", "value": 5}]'


def test_the_user_decides_the_direction_of_every_entry() -> None:
    results = custom_smaller.read(read_document(TEXT, "x.bin"))
    assert series_of(results, "quality", "value").metric.direction == "lower"
    assert series_of(results, "t").metric.direction == "lower"
    assert series_of(results, "t").runs == ((0.005,),)


def test_it_is_never_recognised() -> None:
    assert not custom_smaller.recognises(read_document(TEXT, "x.bin"))
