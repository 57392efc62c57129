"""Bars that are narrower than a pixel, merged: a far view draws few bars, and each shows its worst member."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

NARROWEST_PLOT = 1000  # pixels; a wider plot just takes the next finer step sooner
STEP = 16  # how much finer each step of detail is
MERGED_STEPS = 2


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of a drawing: its extent, and the row of the one it stands for."""

    left: float
    right: float
    row: int


@dataclass(frozen=True, slots=True)
class Detail:
    """The bars for one range of zoom: while a pixel is at least `least` and less than `most` units wide."""

    least: float
    most: float
    bars: tuple[Bar, ...]


def detail_steps(
    lanes: Sequence[Sequence[Bar]], worse_by: Sequence[float], width: float, pixels: int = NARROWEST_PLOT
) -> tuple[Detail, ...]:
    """The bars of all lanes, coarse to fine; the last step holds every bar as it is.

    A step that would merge nothing more than the next finer one is left out.
    """
    everything = tuple([bar for lane in lanes for bar in lane])
    found: list[Detail] = []
    most = float("inf")
    for step in range(MERGED_STEPS):
        pixel = width / pixels / STEP**step
        merged = tuple([bar for lane in lanes for bar in merge_bars(lane, worse_by, pixel)])
        if len(merged) < len(everything):
            found.append(Detail(pixel, most, merged))
            most = pixel
    return (*found, Detail(0.0, most, everything))


def merge_bars(lane: Sequence[Bar], worse_by: Sequence[float], pixel: float) -> list[Bar]:
    """The bars of one lane with those under a pixel joined into one per pixel, which is a pixel wide.

    It stands for the row that is worst by `worse_by` (by row); of equally bad ones the first. A worse bar
    never hides behind a better one: a wide bar may be overdrawn by less than a pixel.
    """
    wide: list[Bar] = []
    worst: dict[int, Bar] = {}
    for bar in lane:
        if bar.right - bar.left >= pixel:
            wide.append(bar)
            continue
        place = int((bar.left + bar.right) / 2 / pixel)
        known = worst.get(place)
        row = bar.row if known is None or worse_by[bar.row] > worse_by[known.row] else known.row
        worst[place] = Bar(place * pixel, (place + 1) * pixel, row)
    return [*wide, *(worst[place] for place in sorted(worst))]
