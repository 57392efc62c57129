"""The views of the page, in the order of its tabs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.report.html.compare import compare_view
from perfgate.report.html.dataflow import dataflow_view
from perfgate.report.html.flame import flame_view
from perfgate.report.html.heat import heat_view
from perfgate.report.html.memory import memory_view
from perfgate.report.html.timeline import timeline_view
from perfgate.report.html.trend import trend_view

if TYPE_CHECKING:
    from perfgate.report.html.material import Material
    from perfgate.report.html.view import View


def page_views(material: Material) -> tuple[View, ...]:
    """Every view of a benchmark."""
    return (
        flame_view(material),
        timeline_view(material),
        heat_view(material),
        dataflow_view(material),
        memory_view(material),
        compare_view(material),
        trend_view(material),
    )
