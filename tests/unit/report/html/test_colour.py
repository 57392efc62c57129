"""Colours can be told apart by everybody: contrast of neighbours under simulated colour deficiency."""

from __future__ import annotations

from itertools import pairwise

import pytest

from perfgate.report.html.colour import (
    CHANGE_WORDS,
    CHANGES,
    HEAT,
    HEAT_LIMITS,
    HEAT_WORDS,
    LIMITS,
    NEW,
    SAME,
    change_colour,
    change_sign,
    heat_colour,
    is_faster,
)

# Machado, Oliveira and Fernandes 2009, severity 1: what is left of linear RGB.
DEFICIENCIES = {
    "none": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900),
    ),
}  # fmt: skip


def linear(colour: str) -> list[float]:
    """The sRGB transfer function of WCAG 2.2, undone."""
    shares = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    return [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in shares]


def luminance(colour: str, deficiency: str) -> float:
    seen = [
        min(max(sum(a * b for a, b in zip(row, linear(colour), strict=True)), 0.0), 1.0)
        for row in DEFICIENCIES[deficiency]
    ]
    return 0.2126 * seen[0] + 0.7152 * seen[1] + 0.0722 * seen[2]


def contrast(one: str, other: str, deficiency: str = "none") -> float:
    """WCAG 2.2, from 1 to 21."""
    low, high = sorted((luminance(one, deficiency), luminance(other, deficiency)))
    return (high + 0.05) / (low + 0.05)


def test_black_on_white_has_the_contrast_that_the_standard_says() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)


@pytest.mark.parametrize("deficiency", DEFICIENCIES)
def test_neighbours_of_the_scale_of_changes_differ_threefold(deficiency: str) -> None:
    found = [contrast(one, other, deficiency) for one, other in pairwise(CHANGES)]
    assert min(found) >= 3.0, [f"{value:.2f}" for value in found]


def test_what_is_new_stands_out_from_what_is_the_same() -> None:
    assert all(contrast(NEW, SAME, deficiency) >= 3.0 for deficiency in DEFICIENCIES)


def test_heat_falls_in_lightness_so_that_a_print_in_grey_keeps_its_order() -> None:
    for deficiency in DEFICIENCIES:
        found = [luminance(colour, deficiency) for colour in HEAT]
        assert found == sorted(found, reverse=True)


@pytest.mark.parametrize(
    ("before", "after", "colour", "sign"),
    [
        (100, 121, CHANGES[4], "+"),
        (100, 120, CHANGES[3], "+"),
        (100, 102, CHANGES[3], "+"),
        (100, 101, SAME, "="),
        (100, 100, SAME, "="),
        (100, 98, CHANGES[1], "-"),
        (100, 70, CHANGES[0], "-"),
        (0, 5, NEW, "new"),
        (0, 0, SAME, "="),
    ],
)
def test_a_change_has_a_colour_and_says_the_same_in_a_word(
    before: int, after: int, colour: str, sign: str
) -> None:
    assert change_colour(before, after) == colour
    assert change_sign(before, after) == sign
    assert is_faster(before, after) == (sign == "-")


@pytest.mark.parametrize(
    ("share", "place"), [(0.0, 0), (0.02, 0), (0.021, 1), (0.1, 1), (0.2, 2), (0.25, 2), (0.26, 3), (1.0, 3)]
)
def test_heat_is_a_share_of_the_latency(share: float, place: int) -> None:
    assert heat_colour(share) == HEAT[place]


def test_every_colour_of_a_scale_has_its_words() -> None:
    assert len(CHANGES) == len(CHANGE_WORDS) == len(LIMITS) + 1
    assert len(HEAT) == len(HEAT_WORDS) == len(HEAT_LIMITS) + 1
