"""Arithmetic intensity: what each operator computes per byte it moves, against the device's own ridge point.

An operator below the ridge waits for memory, one above it for arithmetic; the ridge is that of the device,
the lines at 1 and 10 FLOP per byte are for the eye.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.report.html.colour import CATEGORIES
from perfgate.report.html.time_axis import readable_ps
from perfgate.report.html.view import Swatch, Table

if TYPE_CHECKING:
    from perfgate.core.device import Device
    from perfgate.report.html.material import Material
    from perfgate.report.html.view import Columns

MOST = 500  # operators, longest first: a dot of a shorter one would lie below all others
GUIDES = (1.0, 10.0)  # FLOP per byte
BELOW, ABOVE = CATEGORIES[1], CATEGORIES[0]
_LEAST_SHARE = 1e-5  # lower end of the axis
_GIGA = 1e9


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """An operator now; `share` of the latency, `operator` is the page's index."""

    operator: int
    label: str
    intensity: float
    is_above: bool
    bound: str
    time_ps: int
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class IntensityPlot:
    """Dots with x and y as decimal logarithms, and the places of ticks and guides on the same axes."""

    dots: Columns
    ridge: float | None
    left: float
    right: float

    @property
    def guides(self) -> list[float]:
        """Where the guide lines stand."""
        return [math.log10(value) for value in GUIDES]


def ridge_point(device: Device | None) -> float | None:
    """FLOP per byte at which arithmetic and device memory take the same time; None: unknown device."""
    if device is None:
        return None
    return 2 * device.peak_macs_per_second("float16") / (device.dram.gb_s * _GIGA)


def intensity_dots(material: Material) -> tuple[Dot, ...]:
    """The longest operators that compute and move anything, longest first."""
    total = max(material.after.application.total_ps, 1)
    found = [
        Dot(
            operator=index,
            label=operator.label,
            intensity=row.intensity,
            is_above=row.is_above_ridge,
            bound=row.bound,
            time_ps=operator.after_ps,
            share=operator.after_ps / total,
        )
        for index, operator in enumerate(material.operators)
        if (row := operator.after) is not None and row.intensity > 0 and operator.after_ps > 0
    ]
    return tuple(sorted(found, key=lambda dot: (-dot.time_ps, dot.operator))[:MOST])


def intensity_plot(dots: tuple[Dot, ...], device: Device | None, first_row: int) -> IntensityPlot:
    """The columns of the dots, whose rows of the walk begin at `first_row`."""
    ridge = ridge_point(device)
    xs = [math.log10(dot.intensity) for dot in dots]
    shown = [*xs, *(math.log10(value) for value in GUIDES), *([math.log10(ridge)] if ridge else [])]
    return IntensityPlot(
        dots={
            "x": xs,
            "y": [math.log10(max(dot.share, _LEAST_SHARE)) for dot in dots],
            "colour": [ABOVE if dot.is_above else BELOW for dot in dots],
            "row": list(range(first_row, first_row + len(dots))),
        },
        ridge=math.log10(ridge) if ridge else None,
        left=math.floor(min(shown)) - 0.2,
        right=math.ceil(max(shown)) + 0.2,
    )


def dot_text(dot: Dot) -> str:
    """What is said of a dot."""
    return "   ".join((dot.label, f"{dot.intensity:.3g} FLOP/B", _side(dot), readable_ps(dot.time_ps)))


def _side(dot: Dot) -> str:
    return "above the ridge" if dot.is_above else "below the ridge"


def intensity_table(dots: tuple[Dot, ...], device: Device | None) -> Table:
    """The same dots as text."""
    ridge = ridge_point(device)
    known = f"ridge of the device at {ridge:.3g} FLOP/B" if ridge else "the ridge of the device is unknown"
    return Table(
        caption=f"Arithmetic intensity of the {len(dots)} longest operators; {known}",
        header=("operator", "FLOP per byte", "against the ridge", "bound by", "time", "share"),
        rows=tuple(
            (
                dot.label,
                f"{dot.intensity:.3g}",
                _side(dot),
                dot.bound,
                readable_ps(dot.time_ps),
                f"{100 * dot.share:.1f} %",
            )
            for dot in dots
        ),
        keys=tuple(
            (place, dot.intensity, int(dot.is_above), dot.bound, dot.time_ps, dot.share)
            for place, dot in enumerate(dots)
        ),
        operators=tuple(dot.operator for dot in dots),
    )


def intensity_legend() -> tuple[Swatch, ...]:
    """What the colours of the dots mean."""
    return (Swatch(BELOW, "below the ridge: memory limits"), Swatch(ABOVE, "above: arithmetic limits"))
