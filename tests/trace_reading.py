"""Reads the exported formats back, strictly, in whole nanoseconds."""

from __future__ import annotations

import json
from collections import defaultdict
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from perfgate.report.export.chrome_trace import ChromeTrace
from perfgate.report.export.folded import folded
from perfgate.report.export.side import Side
from perfgate.report.export.speedscope import speedscope

if TYPE_CHECKING:
    from perfgate.core.execution_profile import Profile

Event = dict[str, Any]


def sides(*profiles: Profile) -> list[Side]:
    """One profile is `now`, of two the first is `before`."""
    return [
        Side(label=label, profile=profile)
        for label, profile in zip(("before", "now")[-len(profiles) :], profiles, strict=True)
    ]


def chrome(*profiles: Profile, limit: int = 200_000_000) -> Event:
    """The file of a Chrome trace; numbers with a fraction are exact."""
    data = b"".join(ChromeTrace(sides(*profiles), "title", limit).pieces())
    result: Event = json.loads(data.decode("utf-8"), parse_float=Decimal, parse_constant=_refuse)
    return result


def events(trace: Event, phase: str, category: str = "") -> list[Event]:
    """Events of a phase, in the order of the file."""
    return [
        event for event in trace["traceEvents"] if event["ph"] == phase and category in ("", event.get("cat"))
    ]


def ns(microseconds: Decimal | int) -> int:
    """As Perfetto reads it: what lies below a nanosecond is dropped."""
    return int(Decimal(microseconds) * 1000)


def thread_names(trace: Event) -> dict[tuple[int, int], str]:
    """Names by process and thread."""
    return {
        (event["pid"], event["tid"]): event["args"]["name"]
        for event in events(trace, "M")
        if event["name"] == "thread_name"
    }


def durations(trace: Event, category: str) -> dict[tuple[int, str], int]:
    """Nanoseconds by process and thread name."""
    names = thread_names(trace)
    found: dict[tuple[int, str], int] = defaultdict(int)
    for event in events(trace, "X", category):
        found[event["pid"], names[event["pid"], event["tid"]]] += ns(event["dur"])
    return dict(found)


def speedscope_file(*profiles: Profile) -> Event:
    """The speedscope file."""
    data = b"".join(speedscope(sides(*profiles), "title"))
    result: Event = json.loads(data.decode("utf-8"), parse_constant=_refuse)
    return result


def own_times(profile: Event, frames: list[Event]) -> dict[tuple[str, ...], int]:
    """Nanoseconds by stack of an evented profile; refuses what its format forbids."""
    stack: list[int] = []
    found: dict[tuple[str, ...], int] = defaultdict(int)
    now = profile["startValue"]
    for event in profile["events"]:
        assert isinstance(event["at"], int)
        assert now <= event["at"] <= profile["endValue"]
        if stack:
            found[tuple(frames[index]["name"] for index in stack)] += event["at"] - now
        now = event["at"]
        if event["type"] == "O":
            assert 0 <= event["frame"] < len(frames)
            stack.append(event["frame"])
        else:
            assert event["type"] == "C"
            assert stack.pop() == event["frame"]
    assert stack == []
    return {key: value for key, value in found.items() if value}


def folded_counts(now: Profile, before: Profile | None = None) -> dict[str, tuple[int, ...]]:
    """Counts by stack."""
    old = None if before is None else Side(label="before", profile=before)
    text = b"".join(folded(Side(label="now", profile=now), old)).decode()
    columns = 1 if before is None else 2
    assert text.endswith("\n") or not text
    lines = [line.rsplit(" ", columns) for line in text.split("\n")[:-1]]
    assert len({line[0] for line in lines}) == len(lines)
    return {stack: tuple(map(int, counts)) for stack, *counts in lines}


def _refuse(name: str) -> float:
    raise AssertionError(f"{name} is no JSON")
