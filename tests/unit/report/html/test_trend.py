"""The history view: moments, strips by hand, and tables that say the same."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec
import pytest

from perfgate.baseline.past import PastBaseline
from perfgate.core.record import Provenance, Record
from perfgate.report.html.trend import trend_view
from perfgate.report.html.trend_columns import moments_of, strip_points, trend_columns
from tests.html_material import HOSTILE, material, profile
from tests.records import make_record

if TYPE_CHECKING:
    from perfgate.report.html.material import Material


def record(latency: float, memory: float, reason: str = "") -> Record:
    made = make_record(
        "toy", latencies=[[latency - 0.001], [latency], [latency + 0.001]], exact={"peak_memory": memory}
    )
    return msgspec.structs.replace(
        made, provenance=Provenance(accepted_regression=reason, author="Ada <ada@example.org>")
    )


def past(number: int, made: Record) -> PastBaseline:
    return PastBaseline(
        commit=f"{number:040x}", date=f"2026-01-0{number + 1}T10:00:00Z", subject="x", record=made
    )


HISTORY = (
    past(0, record(0.010, 1000.0)),
    past(1, record(0.010, 2000.0)),
    past(2, record(0.020, 2000.0, "safety")),
)
TOY = replace(
    material(None, profile([])), history=HISTORY, records=(record(0.020, 2000.0), record(0.030, 2000.0))
)


def strips(made: Material) -> dict[str, dict[str, list[object]]]:
    columns = trend_columns(moments_of(made))
    return {
        strip.metric.name: {
            name: list(values) for name, values in strip_points(strip, columns.moments).items()
        }
        for strip in columns.strips
    }


def test_moments_are_the_accepted_baselines_and_both_measured_sides() -> None:
    moments = moments_of(TOY)
    assert [moment.label for moment in moments] == ["0000000", "0000000", "0000000", "before", "now"]
    assert [moment.date for moment in moments] == ["2026-01-01", "2026-01-02", "2026-01-03", "", ""]
    assert list(trend_view(TOY).walk["copy"]) == [*(f"{number:040x}" for number in range(3)), "", ""]


def test_each_metric_has_a_strip_in_its_own_unit_with_its_interval() -> None:
    found = strips(TOY)
    assert list(found) == ["latency", "peak_memory"]
    assert found["latency"]["y"] == pytest.approx([10, 10, 20, 20, 30])  # ms
    # runs at 9, 10, 11 ms: t(2, .975) = 4.3027 times 1 / sqrt(3)
    assert found["latency"]["low"][0] == pytest.approx(10 - 4.302653 / 3**0.5)
    assert found["latency"]["high"][0] == pytest.approx(10 + 4.302653 / 3**0.5)
    assert found["peak_memory"]["y"] == [1, 2, 2, 2, 2]  # kB


def test_changes_of_level_and_accepted_regressions_are_marked() -> None:
    found = strips(TOY)
    assert found["peak_memory"]["is_change"] == [0, 1, 0, 0, 0]
    assert found["latency"]["is_accepted"] == [0, 0, 1, 0, 0]
    assert "accepted regression: safety" in str(found["latency"]["tip"][2])
    assert trend_view(TOY).notes == ("0000000 accepts a regression (Ada): safety",)


def test_the_tables_say_what_is_drawn() -> None:
    table, changes = trend_view(TOY).tables
    found = strips(TOY)
    assert table.header == ("commit", "date", "latency", "peak_memory", "accepted regression")
    assert [float(row[2]) * 1000 for row in table.keys] == pytest.approx(found["latency"]["y"])
    assert [float(row[3]) / 1000 for row in table.keys] == found["peak_memory"]["y"]
    assert table.rows[4][2] == "30.0 ms (27.5 ms to 32.5 ms)"
    assert [row[4] for row in table.rows] == ["", "", "safety", "", ""]
    assert changes.rows == (("peak_memory", "0000000", "2026-01-02", "1000 -> 2000"),)


def test_a_metric_that_a_record_does_not_have_is_left_out_there() -> None:
    old = msgspec.structs.replace(record(0.01, 1.0), exact={})
    made = replace(TOY, history=(past(0, old), *HISTORY[1:]))
    assert strips(made)["peak_memory"]["row"] == [1, 2, 3, 4]
    assert trend_view(made).tables[0].rows[0][3] == ""


def test_without_records_the_view_says_so() -> None:
    view = trend_view(material(None, profile([])))
    assert view.notes == ("No record is known: there is nothing to show over time.",)
    assert view.tables[0].rows == ()


def test_hostile_reasons_are_cut_and_made_visible() -> None:
    history = tuple(past(number, record(0.01, 1.0, text)) for number, text in enumerate(HOSTILE))
    view = trend_view(replace(TOY, history=history))
    texts = [
        *view.notes,
        *map(str, view.walk["label"]),
        *(cell for row in view.tables[0].rows for cell in row),
    ]
    assert all(len(text) < 400 for text in texts)
    assert not any(sign in text for text in texts for sign in "\u202e\x00")
