"""The comparison: sums that are exact to the picosecond, a waterfall by hand, tables that say the same."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfgate.core.diagnosis import Attribution, AttributionRow, Diagnosis, Focus, MetricDelta, RowKind
from perfgate.core.metric import KNOWN_METRICS
from perfgate.report.html.compare import compare_view, operators_table
from perfgate.report.html.compare_columns import (
    BAR,
    BETTER,
    MOST_BARS,
    WHOLE,
    WORSE,
    metric_lanes,
    steps_of,
    waterfall,
)
from perfgate.report.html.compare_rows import OUTSIDE, UNEXPLAINED, metric_deltas, time_rows
from tests.html_material import HOSTILE, MS, material, operator, profile
from tests.records import make_record

if TYPE_CHECKING:
    from perfgate.core.execution_profile import Profile
    from perfgate.report.html.material import Material


def with_total(made: Profile, total_ps: int) -> Profile:
    return msgspec.structs.replace(
        made, application=msgspec.structs.replace(made.application, total_ps=total_ps)
    )


BEFORE = with_total(
    profile([operator(0, "a", 10 * MS), operator(1, "b", 20 * MS), operator(2, "c", MS)]), 33 * MS
)
AFTER = with_total(
    profile([operator(0, "a", 50 * MS), operator(1, "b", 15 * MS), operator(2, "c", MS)]), 70 * MS
)
GATE = (34 * MS, 72 * MS)  # what untraced runs took
ATTRIBUTION = Attribution(
    unit="ps",
    before=GATE[0],
    after=GATE[1],
    rows=(
        AttributionRow(kind=RowKind.OTHER, label="a", before=10 * MS, after=50 * MS),
        AttributionRow(kind=RowKind.OTHER, label="rest", before=23 * MS, after=20 * MS),
    ),
    residual=MS,  # (72 - 34) - (70 - 33)
)
DIAGNOSIS = Diagnosis(
    benchmark="toy",
    device="dev",
    focus=Focus.LATENCY,
    before="",
    after="",
    attribution=ATTRIBUTION,
    metrics=(
        MetricDelta(
            metric=KNOWN_METRICS["latency"], before=0.034, after=0.072, relative=1.118, low=1.0, high=1.2,
            runs_before=5, runs_after=5,
        ),
    ),
)  # fmt: skip
PLAIN = material(BEFORE, AFTER)
TOLD = replace(PLAIN, diagnosis=DIAGNOSIS)


def test_operators_and_what_lies_outside_them_sum_to_the_traced_latency() -> None:
    rows = time_rows(PLAIN)
    assert [(row.label, row.before // MS, row.after // MS) for row in rows.rows] == [
        ("#0 a", 10, 50),
        ("#1 b", 20, 15),
        ("#2 c", 1, 1),
        (OUTSIDE, 2, 4),
    ]
    assert (rows.before, rows.after, rows.is_gate) == (33 * MS, 70 * MS, False)


def test_the_unexplained_row_is_the_residual_of_the_diagnosis() -> None:
    rows = time_rows(TOLD)
    assert rows.rows[-1].label == UNEXPLAINED
    assert rows.rows[-1].delta == ATTRIBUTION.residual
    assert (rows.before, rows.after) == GATE
    assert "Unexplained by the trace: 1.00 ms of 38.0 ms." in compare_view(TOLD).notes


def test_a_diagnosis_of_bytes_says_nothing_of_time() -> None:
    of_bytes = msgspec.structs.replace(DIAGNOSIS, attribution=msgspec.structs.replace(ATTRIBUTION, unit="B"))
    assert not time_rows(replace(PLAIN, diagnosis=of_bytes)).is_gate


TIMES = st.lists(st.tuples(st.integers(0, 10**12), st.integers(0, 10**12)), max_size=40)


@given(
    times=TIMES,
    outside=st.tuples(st.integers(0, 10**9), st.integers(0, 10**9)),
    gate=st.integers(-(10**9), 10**9),
)
def test_sums_are_exact_for_any_profiles(
    times: list[tuple[int, int]], outside: tuple[int, int], gate: int
) -> None:
    sides = [
        profile([operator(number, f"op{number}", pair[side]) for number, pair in enumerate(times)])
        for side in (0, 1)
    ]
    totals = [made.application.total_ps + more for made, more in zip(sides, outside, strict=True)]
    made = material(*(with_total(side, total) for side, total in zip(sides, totals, strict=True)))
    found = Attribution(
        unit="ps", before=totals[0], after=totals[1] + gate, rows=(), residual=totals[1] + gate - totals[0]
    )
    rows = time_rows(replace(made, diagnosis=msgspec.structs.replace(DIAGNOSIS, attribution=found)))
    assert sum(row.before for row in rows.rows) == rows.before == found.before
    assert sum(row.after for row in rows.rows) == rows.after == found.after
    assert rows.before + sum(step.delta for step in steps_of(rows)) == rows.after
    printed = operators_table(rows).rows
    assert sum(int(row[5]) for row in printed[:-1]) == int(printed[-1][5])


def test_each_bar_of_the_waterfall_begins_where_the_last_ends() -> None:
    fall = waterfall(time_rows(TOLD))
    assert fall.unit == "ms"
    assert fall.names == ("before", "#0 a", "#1 b", OUTSIDE, UNEXPLAINED, "after")
    # 34, +40 -> 74, -5 -> 69, +2 -> 71, +1 -> 72, 72
    assert list(fall.bars["x0"]) == [0, 34, 69, 69, 71, 0]
    assert list(fall.bars["x1"]) == [34, 74, 74, 71, 72, 72]
    assert list(fall.bars["colour"]) == [WHOLE, WORSE, BETTER, WORSE, WORSE, WHOLE]
    assert list(fall.bars["y1"]) == [0, -1, -2, -3, -4, -5]
    assert list(fall.bars["y0"]) == pytest.approx([place - BAR for place in (0, -1, -2, -3, -4, -5)])
    assert list(fall.walk["op"]) == [-1, 0, 1, -1, -1, -1]


def test_many_operators_share_one_bar() -> None:
    count = MOST_BARS + 15
    before = profile([operator(number, f"op{number}", MS) for number in range(count)])
    after = profile([operator(number, f"op{number}", MS + number + 1) for number in range(count)])
    steps = steps_of(time_rows(material(before, after)))
    assert len(steps) == MOST_BARS + 2
    assert steps[0].delta == count
    assert (steps[-2].label, steps[-2].delta) == ("15 other operators", sum(range(1, 16)))


def test_the_tables_say_what_is_drawn() -> None:
    view = compare_view(TOLD)
    metrics, operators, attribution = view.tables
    fall = waterfall(time_rows(TOLD))
    by_label = {row[0]: row for row in operators.rows}
    for place, name in enumerate(fall.names[1:-1], 1):
        width = float(fall.bars["x1"][place]) - float(fall.bars["x0"][place])
        assert abs(int(by_label[name][5])) == pytest.approx(width * MS)
    assert by_label["total"][2:6] == ("34.0 ms", "72.0 ms", "38.0 ms", str(38 * MS))
    assert by_label["#0 a"][6:] == ("+400 %", "105.3 %")  # 40 of 38
    lanes = metric_lanes(metric_deltas(TOLD))
    assert [row[0] for row in metrics.rows] == list(lanes.names) == ["latency"]
    assert metrics.rows[0][3] == "+112 %  (+100..+120, 5 runs against 5)"
    ends = [float(lanes.points[name][0]) for name in ("low", "x", "high")]
    assert ends == pytest.approx([100, 111.8, 120])
    assert [row[0] for row in attribution.rows[-2:]] == ["unexplained", "total"]
    for table in view.tables:
        assert all(len(row) == len(table.header) for row in (*table.rows, *table.keys))


def test_metrics_without_a_diagnosis_come_from_the_records() -> None:
    records = (
        make_record("toy", latencies=[[1.0]] * 3, exact={"peak_memory": 100.0}),
        make_record("toy", latencies=[[2.0]] * 3, exact={"peak_memory": 50.0}),
    )
    deltas = metric_deltas(replace(PLAIN, records=records))
    assert [(item.metric.name, item.relative, item.runs_after) for item in deltas] == [
        ("latency", 1.0, 3),
        ("peak_memory", -0.5, 0),
    ]


def test_metrics_without_records_come_from_the_profiles() -> None:
    before = msgspec.structs.replace(BEFORE, exact={"cycles": 0.0, "energy_j": 2.0})
    after = msgspec.structs.replace(AFTER, exact={"cycles": 5.0, "energy_j": 3.0})
    deltas = metric_deltas(material(before, after))
    # from zero there is no relative change
    assert [(item.metric.name, item.relative) for item in deltas] == [("cycles", None), ("energy_j", 0.5)]
    assert metric_lanes(deltas).names == ("energy_j",)


def test_a_single_profile_has_no_before() -> None:
    made: Material = material(None, AFTER)
    view = compare_view(made)
    assert view.notes == ("There is no before: every operator counts as new.",)
    assert [row[6] for row in view.tables[1].rows[:3]] == ["new"] * 3


def test_hostile_names_are_cut_and_made_visible() -> None:
    rows = [operator(number, name, MS, op=name) for number, name in enumerate(HOSTILE)]
    view = compare_view(material(None, profile(rows)))
    texts = [*map(str, view.walk["label"]), *map(str, view.walk["name"])]
    texts += [cell for table in view.tables for row in table.rows for cell in row]
    assert all(len(text) < 400 for text in texts)
    assert not any(sign in text for text in texts for sign in "\u202e\x00")
