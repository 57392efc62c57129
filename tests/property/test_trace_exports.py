"""Exports of random programs: sums, pairs and order hold whatever was simulated."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from perfgate.report.export.lane import nanoseconds
from tests.property.test_profile import profiles
from tests.trace_reading import chrome, durations, events, folded_counts, own_times, speedscope_file

if TYPE_CHECKING:
    from perfgate.core.execution_profile import Profile
    from perfgate.npu.phase import Phase

DRAWN = profiles(st.integers(1, 3))


@settings(max_examples=30, deadline=None)
@given(drawn=DRAWN)
def test_spans_sum_to_the_profile_and_arrows_follow_the_dependencies(
    drawn: tuple[list[Phase], Profile],
) -> None:
    _, profile = drawn
    trace = chrome(profile)
    expected: dict[str, int] = defaultdict(int)
    for row in profile.kernels:
        expected[f"stream {row.stream}"] += row.duration_ps * row.times
    found = {name: value for (_, name), value in durations(trace, "kernel").items()}
    assert found == {name: nanoseconds(value) for name, value in expected.items()}
    arrows = sum(len(set(row.after) - {row.index}) * row.times for row in profile.kernels)
    assert len(events(trace, "s")) == len(events(trace, "f")) == arrows
    by_id = {event["id"]: event for event in events(trace, "s")}
    assert all(by_id[event["id"]]["ts"] <= event["ts"] for event in events(trace, "f"))
    link = [event["args"] for event in events(trace, "C") if event["name"].startswith("host link")]
    moved = profile.application.copied_bytes + profile.application.io_bytes
    assert sum(link[-1].values()) == moved if link else moved == 0


@settings(max_examples=30, deadline=None)
@given(drawn=DRAWN)
def test_folded_counts_sum_to_the_latency_and_speedscope_agrees_with_them(
    drawn: tuple[list[Phase], Profile],
) -> None:
    _, profile = drawn
    counts = folded_counts(profile)
    total = nanoseconds(profile.application.total_ps)
    assert sum(count for (count,) in counts.values()) == total
    file = speedscope_file(profile)
    for item in file["profiles"]:
        assert sum(own_times(item, file["shared"]["frames"]).values()) <= item["endValue"]
        assert total <= item["endValue"] <= total + 1  # busy and idle time are rounded apart
