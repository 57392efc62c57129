"""Did you mean: near names."""

from __future__ import annotations

import pytest

from perfgate.config.catalogue import catalogue_of
from perfgate.config.suggest import edit_distance, near_names

KNOWN = ("--input_format", "--output", "--precision_mode", "--optypelist_for_implmode")


@pytest.mark.parametrize(
    ("left", "right", "distance"),
    [
        ("abc", "abc", 0),
        ("abc", "acb", 1),  # two signs exchanged count once
        ("abc", "abcd", 1),
        ("abc", "axc", 1),
        ("kitten", "sitting", 3),  # the textbook example; above the limit of 2 it is cut to 3
        ("a", "abcdef", 3),
        ("ca", "abc", 3),  # restricted distance: an exchanged pair is not edited again
    ],
)
def test_distance(left: str, right: str, distance: int) -> None:
    assert edit_distance(left, right) == distance


def test_slips_dashes_and_case_are_forgiven() -> None:
    assert near_names("--input-fromat", KNOWN) == ("--input_format",)
    assert near_names("outptu", KNOWN) == ("--output",)


def test_a_common_start_of_seven_signs_is_near() -> None:
    assert near_names("--optypelayout", KNOWN) == ("--optypelist_for_implmode",)


def test_synonyms_come_last() -> None:
    assert near_names("--layout", KNOWN, {"layout": ("--input_format",)}) == ("--input_format",)


def test_short_names_must_not_change_by_half() -> None:
    assert near_names("-o", ("-x", "-om")) == ("-om", "-x")
    assert near_names("xyz", ("abc",)) == ()


def test_the_catalogue_leads_from_the_legacy_layout_flag_to_the_one_that_means_it() -> None:
    assert catalogue_of("atc").near("--optypelayout") == ("--optypelist_for_implmode", "--input_format")
