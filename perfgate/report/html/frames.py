"""The frames of the differential flame graph: scopes, operators, and what each operator's time went to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from perfgate.report.html.material import full_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.core.execution_profile import OperatorRow
    from perfgate.report.html.material import PageOperator

KERNELS = "kernels"
COPIES = "implicit copies"
CONVERSIONS = "layout conversions"
WAITS = "waiting"


@dataclass(slots=True)
class Frame:
    """A frame with the time of everything below it on both sides; `operator` is the page's index or -1.

    `left_ps` is where it begins in the drawing. `is_gone`: it has no time now, only before.
    """

    name: str
    parent: int
    depth: int
    operator: int = -1
    before_ps: int = 0
    after_ps: int = 0
    left_ps: int = 0
    children: list[int] = field(default_factory=list)

    @property
    def is_gone(self) -> bool:
        """Vanished: it stands in the strip of what was only before."""
        return self.after_ps == 0 and self.before_ps > 0


def flame_frames(operators: tuple[PageOperator, ...], title: str) -> list[Frame]:
    """The frames, each parent before its children; frame 0 is the whole execution.

    Operators stand in the order of the model, so the same place is the same part of the model on both sides.
    """
    frames = [Frame(title, -1, 0)]
    places: dict[tuple[int, str], int] = {}
    for index, operator in enumerate(operators):
        parent = 0
        *scopes, leaf = full_name(operator.row).split(".")
        for word in scopes:
            parent = _child(frames, places, parent, word)
        key = f"{leaf} #{operator.row.number}"
        own = _child(frames, places, parent, key)
        more = len(operator.rows_after or operator.rows_before) - 1
        frames[own].name, frames[own].operator = f"{leaf} and {more} more" if more else leaf, index
        _add_pieces(frames, places, own, operator)
        _add_time(frames, own, operator)
    _place(frames)
    return frames


def _child(frames: list[Frame], places: dict[tuple[int, str], int], parent: int, word: str) -> int:
    key = (parent, word)
    if key not in places:
        places[key] = len(frames)
        frames[parent].children.append(len(frames))
        frames.append(Frame(word, parent, frames[parent].depth + 1))
    return places[key]


def _add_time(frames: list[Frame], own: int, operator: PageOperator) -> None:
    place = own
    while place >= 0:
        frames[place].before_ps += operator.before_ps
        frames[place].after_ps += operator.after_ps
        place = frames[place].parent


def _add_pieces(
    frames: list[Frame], places: dict[tuple[int, str], int], own: int, operator: PageOperator
) -> None:
    """What the time went to, where that is more than the operator's own kernels."""
    before, after = operator_pieces(operator.rows_before), operator_pieces(operator.rows_after)
    if set(before) | set(after) <= {KERNELS}:
        return
    for name in (KERNELS, CONVERSIONS, COPIES, WAITS):
        if name in before or name in after:
            frame = frames[_child(frames, places, own, name)]
            frame.operator = frames[own].operator
            frame.before_ps, frame.after_ps = before.get(name, 0), after.get(name, 0)


def operator_pieces(rows: Sequence[OperatorRow]) -> dict[str, int]:
    """Time by what it was spent on; the pieces that are not zero, they sum to the operators' total."""
    pieces = {
        KERNELS: sum(row.parts.duration_ps - row.copies_ps - row.conversions_ps for row in rows),
        CONVERSIONS: sum(row.conversions_ps for row in rows),
        COPIES: sum(row.copies_ps for row in rows),
        WAITS: sum(row.parts.wait_ps for row in rows),
    }
    return {name: size for name, size in pieces.items() if size}


def _place(frames: list[Frame]) -> None:
    """Children side by side from the left edge of their parent; what is gone likewise, in its strip."""
    strip = 0
    for index in vanished(frames):
        frames[index].left_ps = strip
        strip += frames[index].before_ps
    for frame in frames:
        left = frame.left_ps
        for child in frame.children:
            if frame.is_gone or not frames[child].is_gone:
                frames[child].left_ps = left
                left += frames[child].before_ps if frame.is_gone else frames[child].after_ps


def vanished(frames: list[Frame]) -> list[int]:
    """The highest frames that are gone: what is below them is gone with them."""
    return [
        index
        for index, frame in enumerate(frames)
        if frame.is_gone and (frame.parent < 0 or not frames[frame.parent].is_gone)
    ]


def path_of(frames: list[Frame], index: int) -> tuple[int, ...]:
    """The frame and all that hold it, outermost first."""
    path = []
    while index >= 0:
        path.append(index)
        index = frames[index].parent
    return tuple(reversed(path))
