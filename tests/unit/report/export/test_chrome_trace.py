"""Chrome traces after the facts of the Trace Event Format."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from perfgate.report.export.chrome_trace import ChromeTrace
from perfgate.report.export.lane import nanoseconds
from tests.trace_reading import chrome, durations, events, ns, sides, thread_names
from tests.traced_profiles import (
    COPIED,
    DEVICE,
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
    from tests.trace_reading import Event

    Build = Callable[[], Profile]

ALL = [two_streams, two_programs, ten_thousand, hostile, listed_ten_thousand]


@cache
def pair(build: Build) -> Event:
    """A profile beside itself; drawn once for all tests."""
    return chrome(build(), build())


def sums(profile: Profile, key: str) -> dict[Any, int]:
    """Picoseconds of all iterations by stream or engine."""
    found: dict[Any, int] = defaultdict(int)
    for row in profile.kernels:
        found[getattr(row, key)] += row.duration_ps * row.times
    return found


def names_of(values: dict[Any, int]) -> dict[str, int]:
    return {
        "kernels not listed one by one" if stream < 0 else f"stream {stream}": nanoseconds(value)
        for stream, value in values.items()
    }


@pytest.mark.parametrize("build", ALL)
def test_spans_of_each_stream_sum_to_the_profile(build: Build) -> None:
    profile = build()
    found = {name: value for (_, name), value in durations(chrome(profile), "kernel").items()}
    assert found == names_of(sums(profile, "stream"))


@pytest.mark.parametrize("build", ALL[:2])
def test_spans_of_each_engine_sum_to_the_profile(build: Build) -> None:
    profile = build()
    found = {name: value for (_, name), value in durations(chrome(profile), "engine").items()}
    assert found == {
        f"engine {engine}": nanoseconds(value) for engine, value in sums(profile, "engine").items()
    }


@pytest.mark.parametrize("build", ALL)
def test_spans_of_a_thread_follow_each_other_also_as_doubles(build: Build) -> None:
    ends: dict[tuple[int, int], float] = defaultdict(float)
    for event in events(pair(build), "X"):
        thread = event["pid"], event["tid"]
        assert float(event["ts"]) >= ends[thread]
        ends[thread] = float(event["ts"]) + float(event["dur"])


@pytest.mark.parametrize("build", ALL)
def test_arrows_come_in_pairs_from_a_span_to_a_later_one(build: Build) -> None:
    trace = pair(build)
    spans: dict[tuple[int, int], list[tuple[float, float]]] = defaultdict(list)
    for event in events(trace, "X", "kernel"):
        spans[event["pid"], event["tid"]].append(
            (float(event["ts"]), float(event["ts"]) + float(event["dur"]))
        )
    starts = set[tuple[int, int, float]]()
    inside = {(*key, begin) for key, rows in spans.items() for begin, _ in rows}
    flows = [event for event in trace["traceEvents"] if event["ph"] in "sf"]
    for start, end in zip(flows[::2], flows[1::2], strict=True):
        assert (start["ph"], end["ph"], end["bp"]) == ("s", "f", "e")
        for key in ("id", "name", "cat", "pid"):  # Perfetto joins by name, category and id
            assert start[key] == end[key]
        assert start["ts"] <= end["ts"]
        assert (end["pid"], end["tid"], float(end["ts"])) in inside  # begins with the span it binds to
        starts.add((start["pid"], start["tid"], float(start["ts"])))
    assert len({event["id"] for event in flows}) == len(flows) // 2
    for pid, tid, when in sorted(starts)[:200]:
        assert any(begin <= when < max(last, begin + 1e-9) for begin, last in spans[pid, tid])


def test_arrows_between_streams_are_syncs_and_carry_the_bytes() -> None:
    profile = two_streams(1)
    flows = events(chrome(profile), "s")
    edges = [(before, row) for row in profile.kernels for before in row.after]
    streams = [row.stream for row in profile.kernels]
    crossing = sum(streams[before] != row.stream for before, row in edges)
    assert len(flows) == len(edges)
    assert sum(event["cat"] == "sync" for event in flows) == crossing > 0
    sizes = {(row.source, row.target): row.size for row in profile.flows}
    # The kernel of owner 1 reads nothing that owner 0 wrote in these programs, unless the flow rows say so.
    assert {event["args"]["bytes_in_execution"] for event in flows if "args" in event} <= set(sizes.values())


@pytest.mark.parametrize("build", ALL)
def test_counters_never_go_back_in_time(build: Build) -> None:
    latest: dict[tuple[int, str], int] = defaultdict(int)
    for event in events(pair(build), "C"):
        key = event["pid"], event["name"]
        assert ns(event["ts"]) >= latest[key]
        latest[key] = ns(event["ts"])
        assert all(isinstance(value, int) for value in event["args"].values())


def test_link_bytes_end_at_what_the_execution_moved() -> None:
    profile = two_programs()
    link = [event["args"] for event in events(chrome(profile), "C") if event["name"].startswith("host link")]
    assert link[0] == {"h2d": 0, "d2h": 0}
    assert link[-1] == {"h2d": 6 * COPIED, "d2h": 6 * COPIED // 2}  # six iterations by hand
    assert sum(link[-1].values()) == profile.application.copied_bytes + profile.application.io_bytes


def test_memory_is_drawn_in_the_steps_it_was_measured_in() -> None:
    profile = two_programs()
    memory = profile.hardware.memory
    assert memory.program == 1  # the larger one
    first = 4 * profile.application.steps[0].makespan_ps
    drawn = [event for event in events(chrome(profile), "C") if event["name"] == "device memory"]
    assert len(drawn) == 2 * len(memory.curve)
    assert max(event["args"]["bytes"] for event in drawn) == max(used for _, used in memory.curve)
    assert ns(drawn[0]["ts"]) == nanoseconds(first + memory.curve[0][0])


def test_a_span_says_what_the_profile_knows() -> None:
    profile = two_streams(1)
    rows = {row.name: row for row in profile.kernels}
    for event in events(chrome(profile), "X", "kernel"):
        row, args = rows[event["name"]], event["args"]
        assert args["operator"] == row.owner
        assert args["scope"] == f"net.block{row.owner}"
        assert args.get("bytes", 0) == row.dram_bytes
        assert args.get("link_bytes", 0) == row.link_bytes
        assert args["implicit"] is row.implicit
        assert (args["dtype"], args["step"], args["times"]) == (row.dtype, 1, 1)
    copy = next(event for event in events(chrome(profile), "X", "kernel") if event["args"]["implicit"])
    assert copy["args"]["engine"] == "d2h"


def test_shape_and_layout_are_those_of_operator_and_kernel() -> None:
    profile = two_streams(1)
    operators = [msgspec.structs.replace(row, shape=(8, 816, 640)) for row in profile.operators]
    kernels = [msgspec.structs.replace(row, layout="NHWC") for row in profile.kernels]
    changed = msgspec.structs.replace(profile, operators=tuple(operators), kernels=tuple(kernels))
    args = events(chrome(changed), "X", "kernel")[0]["args"]
    assert (args["shape"], args["layout"]) == ("8x816x640", "NHWC")


def test_before_and_now_are_two_processes_with_threads_of_their_own() -> None:
    trace = chrome(two_streams(1), two_streams(3))
    processes = {
        event["pid"]: event["args"]["name"] for event in events(trace, "M") if event["name"] == "process_name"
    }
    assert processes == {1: f"before, {DEVICE.name}", 2: f"now, {DEVICE.name}"}
    names = thread_names(trace)
    assert len({thread for _, thread in names}) == len(names)  # Perfetto names threads by number alone
    assert not {thread for _, thread in names} & processes.keys()
    assert [name for (pid, _), name in names.items() if pid == 1][:3] == ["steps", "stream 0", "stream 1"]


def test_steps_beyond_the_limit_are_drawn_once_and_say_how_often_they_run() -> None:
    profile = two_streams(5_000)  # 6 kernels x 5,000 iterations
    trace = chrome(profile)
    (step,) = events(trace, "X", "step")
    assert step["args"]["times"] == 5_000
    once = sums(two_streams(1), "stream")
    assert {name: value for (_, name), value in durations(trace, "kernel").items()} == names_of(once)
    assert {event["args"]["times"] for event in events(trace, "X", "kernel")} == {5_000}
    about = trace["otherData"]["profiles"][0]
    assert about["layout"] == ["each program is drawn once; the execution runs net 5000 times"]
    assert about["steps"][0]["times"] == 5_000
    assert about["latency_ns"] == nanoseconds(profile.application.total_ps)
    link = [event["args"] for event in events(trace, "C") if event["name"].startswith("host link")]
    assert sum(link[-1].values()) == profile.application.copied_bytes + profile.application.io_bytes


def test_kernels_that_are_not_listed_have_a_thread_of_their_own() -> None:
    trace = chrome(ten_thousand())
    rest = [event for event in events(trace, "X", "kernel") if event["args"]["kind"] == "rest"]
    assert [event["args"]["variant"] for event in rest] == ["9800 kernels"] * 2
    assert {thread_names(trace)[event["pid"], event["tid"]] for event in rest} == {
        "kernels not listed one by one"
    }


def test_one_engine_shows_nothing_new() -> None:
    assert events(pair(listed_ten_thousand), "X", "engine") == []


def test_hostile_names_arrive_as_they_are_or_visibly_cut() -> None:
    names = {event["name"] for event in events(chrome(hostile()), "X", "kernel")}
    assert names >= set(HOSTILE[:5])
    assert "x" * 240 + "… (9760 more characters)" in names


def test_a_file_ends_at_its_limit_and_says_what_is_missing() -> None:
    profile = two_streams()
    whole = b"".join(ChromeTrace(sides(profile), "title").pieces())
    for limit in (2_000, len(whole) // 2, len(whole) - 1):
        cut = ChromeTrace(sides(profile), "title", limit)
        data = b"".join(cut.pieces())
        assert len(data) <= limit
        trace = msgspec.json.decode(data)
        missing = len(msgspec.json.decode(whole)["traceEvents"]) - len(trace["traceEvents"])
        assert missing > 0
        assert trace["otherData"]["note"] == cut.cut_note
        assert cut.cut_note == f"cut at {limit} bytes: {missing} events are left out, arrows first"
        assert len(events(trace, "s")) == len(events(trace, "f"))
    assert ChromeTrace(sides(profile), "title").cut_note == ""


def test_the_same_profile_gives_the_same_bytes() -> None:
    first, second = (b"".join(ChromeTrace(sides(two_programs()), "title").pieces()) for _ in range(2))
    assert first == second


def test_the_unit_that_old_readers_misread_stands_at_the_end() -> None:
    assert list(chrome(two_streams(1))) == ["traceEvents", "displayTimeUnit", "otherData"]
