"""Speedscope files after the facts of their published format."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfgate.report.export.lane import nanoseconds
from tests.trace_reading import own_times, speedscope_file
from tests.traced_profiles import (
    HOSTILE,
    hostile,
    listed_ten_thousand,
    ten_thousand,
    two_programs,
    two_streams,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfgate.core.execution_profile import Profile

    Build = Callable[[], Profile]

ALL = [two_streams, two_programs, ten_thousand, hostile, listed_ten_thousand]


def of_stream(profile: Profile, stream: int, *, waits: bool) -> int:
    rows = [row for row in profile.kernels if row.stream == stream]
    return sum((row.parts.wait_ps if waits else row.duration_ps) * row.times for row in rows)


@pytest.mark.parametrize("build", ALL)
def test_a_file_has_the_members_of_the_format(build: Build) -> None:
    # github.com/jlfwong/speedscope, src/lib/file-format-spec.ts: File, Frame, EventedProfile, IEvent.
    file = speedscope_file(build())
    assert file["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    assert isinstance(file["name"], str)
    assert 0 <= file["activeProfileIndex"] < len(file["profiles"])
    for frame in file["shared"]["frames"]:
        assert {"name"} <= frame.keys() <= {"name", "file", "line", "col"}
    for profile in file["profiles"]:
        assert (profile["type"], profile["unit"]) == ("evented", "nanoseconds")
        assert profile["startValue"] == 0
        assert {event["type"] for event in profile["events"]} == {"O", "C"}
        assert all(event.keys() == {"type", "at", "frame"} for event in profile["events"])
        own_times(profile, file["shared"]["frames"])  # time never falls, frames are balanced


@pytest.mark.parametrize("build", ALL[:2])
def test_kernels_and_waits_of_each_stream_sum_to_the_profile(build: Build) -> None:
    profile = build()
    file = speedscope_file(profile)
    for item in file["profiles"]:
        stream = int(item["name"].removeprefix("now: stream "))
        times = own_times(item, file["shared"]["frames"])
        waited = sum(value for stack, value in times.items() if stack[-1] == "(wait)")
        # Where a stream also idles at the end of a step, each wait is rounded by itself.
        count = sum(row.parts.wait_ps > 0 for row in profile.kernels if row.stream == stream)
        assert abs(waited - nanoseconds(of_stream(profile, stream, waits=True))) <= count
        assert sum(times.values()) - waited == nanoseconds(of_stream(profile, stream, waits=False))


def test_the_stream_that_decides_the_latency_is_shown_first_and_lasts_as_long() -> None:
    profile = two_streams()
    file = speedscope_file(two_programs(), profile)
    shown = file["profiles"][file["activeProfileIndex"]]
    critical = {row.stream for row in profile.kernels if row.kind == "d2h"}  # the last kernel
    assert shown["name"] == f"now: stream {critical.pop()}"
    assert sum(own_times(shown, file["shared"]["frames"]).values()) == shown["endValue"]
    assert shown["endValue"] == nanoseconds(profile.application.total_ps)
    assert [item["name"] for item in file["profiles"]] == [
        "before: stream 0", "now: stream 0", "now: stream 1",
    ]  # fmt: skip


def test_frames_are_shared_by_profiles_and_told_apart_by_their_place() -> None:
    frames = speedscope_file(two_streams(), two_streams())["shared"]["frames"]
    assert frames == speedscope_file(two_streams())["shared"]["frames"]
    keys = [(frame["name"], frame.get("file")) for frame in frames]
    assert len(set(keys)) == len(keys)
    assert {"name": "block0", "file": "net.block0"} in frames


def test_equal_kernels_in_a_row_are_boxes_of_their_own_under_one_operator() -> None:
    file = speedscope_file(listed_ten_thousand())
    opened = [event for event in file["profiles"][0]["events"] if event["type"] == "O"]
    assert len(opened) == 10_000 + 3  # net, block0, op0 once
    assert file["profiles"][0]["endValue"] == 10_003_330


def test_kernels_that_are_not_listed_are_a_profile_of_their_own() -> None:
    file = speedscope_file(ten_thousand())
    rest = file["profiles"][1]
    assert rest["name"] == "now: kernels not listed one by one"
    times = own_times(rest, file["shared"]["frames"])
    row = ten_thousand().kernels[-1]
    assert times == {("9800 kernels not listed",): nanoseconds(2 * row.duration_ps)}


def test_hostile_names_arrive_as_they_are_or_visibly_cut() -> None:
    names = {frame["name"] for frame in speedscope_file(hostile())["shared"]["frames"]}
    assert HOSTILE[0] in names
    assert any("\0" in name for name in names)
    assert max(map(len, names)) < 300
