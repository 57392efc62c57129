"""Bars that are narrower than a pixel, merged: a far view draws few bars, and each shows its worst member."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

PIXELS = 1500  # of a usual plot; the first step merges what is narrower than one of them
STEP = 4  # how much finer each step is: a merged bar is one to four pixels wide when it is shown
MERGED_STEPS = 2  # nearer than that little is in view


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of a drawing: its extent, and the row of the one it stands for."""

    left: float
    right: float
    row: int


@dataclass(frozen=True, slots=True)
class Detail:
    """The bars for one range of zoom: while a pixel is at least `least` and less than `most` units wide.

    `narrow` is the width under which bars are merged, or would be: an outline would hide them.
    """

    least: float
    most: float
    narrow: float
    bars: tuple[Bar, ...]


def detail_steps(
    lanes: Sequence[Sequence[Bar]], worse_by: Sequence[float], width: float
) -> tuple[Detail, ...]:
    """The bars of all lanes, coarse to fine; the last step holds every bar as it is, the worst on top.

    A step that would merge nothing is left out, and with it all finer ones.
    """
    everything = tuple([bar for lane in lanes for bar in lane])
    found: list[Detail] = []
    most, pixel = float("inf"), width / PIXELS
    for _ in range(MERGED_STEPS):
        if all(bar.right - bar.left >= pixel for bar in everything):
            break
        merged = tuple([bar for lane in lanes for bar in merge_bars(lane, worse_by, pixel)])
        found.append(Detail(pixel / STEP, most, pixel, merged))
        most = pixel = pixel / STEP
    worst_last = tuple(sorted(everything, key=lambda bar: worse_by[bar.row]))
    return (*found, Detail(0.0, most, pixel, worst_last))


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
