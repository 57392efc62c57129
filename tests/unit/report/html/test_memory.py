"""The memory view: columns by hand, and tables that say the same."""

from __future__ import annotations

import msgspec
import pytest

from perfgate.core.execution_profile import KernelRow, Memory, MemoryEventRow, Parts
from perfgate.npu.device_file import load_device
from perfgate.npu.phase import Phase
from perfgate.npu.profiling import build_profile
from perfgate.npu.simulation import simulate
from perfgate.report.html.memory import memory_view
from perfgate.report.html.memory_columns import AT_PEAK, ELSEWHERE, STRIP, memory_columns
from perfgate.report.html.memory_facts import memory_facts
from tests.graphs import Drawing, compiled
from tests.html_material import HOSTILE, MS, material, operator, profile

K = 512  # bytes of the allocator's grid, so that sizes are what they say


def kernel(index: int, start_ms: int, length_ms: int) -> KernelRow:
    """A kernel of the operator of its number."""
    return KernelRow(
        program=0, index=index, name=f"k{index}", op="Conv", kind="matrix", variant="", owner=index,
        engine="matrix", stream=0, start_ps=start_ms * MS, duration_ps=length_ms * MS, slack_ps=0,
        parts=Parts(), bound="", utilisation=0.0, dram_bytes=0, l2_bytes=0, link_bytes=0,
    )  # fmt: skip


def event(time_ms: int, kind: str, buffer: int, size: int, offset: int) -> MemoryEventRow:
    return MemoryEventRow(time_ms * MS, kind, buffer, f"t{buffer}", size, offset)


# Operators 0, 1, 2 run from 0, 10, 20 ms for 10 ms each; t0 is read by 1 and kept until 30.
EVENTS = (
    event(0, "alloc", 0, 2000 * K, 0),
    event(10, "alloc", 1, 1000 * K, 2000 * K),
    event(20, "free", 1, 1000 * K, 2000 * K),
    event(20, "alloc", 2, 4000 * K, 3000 * K),
    event(30, "free", 0, 2000 * K, 0),
    event(30, "free", 2, 4000 * K, 3000 * K),
)
WEIGHTS = 500 * K
MEMORY = Memory(
    peak=7500 * K,
    lower_bound=6500 * K,
    weights=WEIGHTS,
    activations=7000 * K,
    workspace=0,
    host=0,
    capacity=10_000 * K,
    curve=((0, 2500 * K), (10 * MS, 3500 * K), (20 * MS, 6500 * K), (30 * MS, 500 * K)),
    at_peak=(),
    free_blocks=(2, 1, 0, 0),
    largest_free=1000 * K,
    fragmentation_index=0.0,
    events=EVENTS,
    live_at_end=(),
)
AFTER = msgspec.structs.replace(
    profile(
        [operator(number, f"op{number}", 10 * MS) for number in range(3)],
        flows=[(0, 1, 2000 * K), (1, 2, 1000 * K)],
        memory=MEMORY,
    ),
    kernels=(kernel(0, 0, 10), kernel(1, 10, 10), kernel(2, 20, 10)),
)
TOY = material(None, AFTER)


def test_the_peak_is_that_of_the_replayed_log_with_the_weights() -> None:
    facts = memory_facts(AFTER)
    assert (facts.peak_ps, facts.peak_bytes) == (20 * MS, 6500 * K)
    # (2000 x 10 + 3000 x 10 + 6000 x 10) / 30 + 500
    assert facts.mean_bytes == pytest.approx((110_000 / 30 + 500) * K)


def test_freeing_a_tensor_at_its_last_reader_lowers_the_peak() -> None:
    early = memory_facts(AFTER).early
    # t0 is read last by operator 1, which ends at 20: 4000 K then, before it 3000 K
    assert [(item.block.taken.tensor, item.at, item.peak) for item in early.each] == [
        ("t0", 20 * MS, 4000 * K)
    ]
    note = memory_view(TOY).notes[1]
    assert "Freeing t0 right after its last reader, at 20.0 ms" in note
    assert "2.30 MB" in note  # 4500 K
    assert "-33.3 %" in note


def test_lives_are_boxes_over_time_and_address() -> None:
    columns = memory_columns({"after": memory_facts(AFTER)}, {0: 0, 1: 1, 2: 2})
    assert (columns.time, columns.size) == ("ms", "MB")
    unit = K / 1e6
    assert list(columns.lives["x0"]) == [0, 10, 20]
    assert list(columns.lives["x1"]) == [30, 20, 30]
    assert list(columns.lives["y0"]) == pytest.approx([0, 2000 * unit, 3000 * unit])
    assert list(columns.lives["y1"]) == pytest.approx([2000 * unit, 3000 * unit, 7000 * unit])
    assert list(columns.lives["colour"]) == [AT_PEAK, ELSEWHERE, AT_PEAK]
    # t0 from its last reader to its end
    late = columns.late
    assert [list(late[name]) for name in ("row", "x0", "x1")] == [[1], [20], [30]]


def luminance(colour: str) -> float:
    """Relative luminance of an sRGB colour (WCAG 2.2)."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_tensors_at_the_peak_stand_out_without_hue() -> None:
    darker, lighter = sorted((luminance(AT_PEAK), luminance(ELSEWHERE)))
    assert (lighter + 0.05) / (darker + 0.05) >= 3


def test_the_curve_has_safe_and_danger_lines_at_shares_of_the_device() -> None:
    columns = memory_columns({"after": memory_facts(AFTER)}, {})
    places = {limit.text.split(":")[0]: limit.place for limit in columns.limits}
    assert places["danger"] == pytest.approx(0.9 * 10_000 * K / 1e6)
    assert places["safe"] == pytest.approx(0.75 * 10_000 * K / 1e6)
    assert places["highest address of the plan, 3.84 MB"] == pytest.approx(7500 * K / 1e6)
    assert list(columns.curves["after"]["x"]) == [0, 10, 20, 30]
    assert columns.limits_are_near  # 9000 against 6500


def test_limits_far_above_the_peak_do_not_flatten_it() -> None:
    memory = msgspec.structs.replace(MEMORY, capacity=1_000_000 * K)
    hardware = msgspec.structs.replace(AFTER.hardware, memory=memory)
    columns = memory_columns({"after": memory_facts(msgspec.structs.replace(AFTER, hardware=hardware))}, {})
    assert not columns.limits_are_near
    assert columns.near == pytest.approx(1.1 * 6500 * K / 1e6)


def test_pools_are_strips_of_taken_addresses() -> None:
    facts = memory_facts(AFTER)
    weights, arena = facts.pools
    assert (weights.size, weights.occupancy) == (WEIGHTS, 1.0)
    # at 20 ms t0 and t2 are live: 6000 K of an arena of 6000 + 1000 free
    assert (arena.size, arena.used) == (7000 * K, 6000 * K)
    strips = memory_columns({"after": facts}, {}).strips
    assert list(strips["x0"]) == pytest.approx([0, 0, 100 * 3 / 7])
    assert list(strips["x1"]) == pytest.approx([100, 100 * 2 / 7, 100])
    assert list(strips["y1"]) == [0, -1, -1]
    assert list(strips["y0"]) == pytest.approx([-STRIP, -1 - STRIP, -1 - STRIP])
    assert list(strips["row"]) == [-1, 1, 3]


def test_the_tables_say_what_is_drawn() -> None:
    view = memory_view(TOY)
    columns = memory_columns({"after": memory_facts(AFTER)}, {0: 0, 1: 1, 2: 2})
    tables = {table.caption: table for table in view.tables}
    tensors = tables["Tensors of one step, after"]
    assert [row[0] for row in tensors.rows] == list(columns.walk["name"])[1:]
    starts, ends, addresses = ([float(key[column]) for key in tensors.keys] for column in (3, 4, 8))
    assert [start / MS for start in starts] == list(columns.lives["x0"])
    assert [end / MS for end in ends] == list(columns.lives["x1"])
    assert [address / 1e6 for address in addresses] == pytest.approx(list(columns.lives["y0"]))
    assert [row[6] for row in tensors.rows] == ["1", "1", ""]  # readers
    free = tables["Free blocks at the peak"]
    assert [int(row[1]) for row in free.rows] == list(columns.free["count"]) == [2, 1, 0, 0]
    pools = tables["Pools at the peak"]
    assert [f"{row[1]}: {row[0]}, {row[4]} of {row[2]}" for row in pools.rows] == list(columns.lanes)
    figures = {row[0]: row[1] for row in tables["Device memory of one step"].rows}
    assert figures["most live bytes"] == "3.33 MB"
    assert figures["reached by"] == "t2"
    for table in view.tables:
        assert all(len(row) == len(table.header) for row in (*table.rows, *table.keys))


def test_the_walk_leads_from_the_peak_to_the_largest_tensors() -> None:
    walk = memory_view(TOY).walk
    assert list(walk["name"]) == ["peak", "t0", "t1", "t2"]
    assert walk["down"][0] == 3  # t2, then t0, then t1
    assert (walk["down"][3], walk["down"][1], walk["up"][2]) == (1, 2, 1)
    assert list(walk["op"]) == [-1, 0, 1, 2]
    assert walk["act"][0] == 0
    assert len({len(column) for column in walk.values()}) == 1


def test_a_known_cache_tells_what_to_do_with_a_tensor() -> None:
    device = load_device("ascend-310p-like")
    tensors = memory_view(material(None, msgspec.structs.replace(AFTER, machine=device))).tables[2]
    assert [row[7] for row in tensors.rows] == ["temporary", "temporary", ""]


def test_both_sides_are_told_apart() -> None:
    view = memory_view(material(AFTER, AFTER))
    assert view.tables[0].header == ("figure", "before", "after")
    assert [note.split(":")[0] for note in view.notes[:2]] == ["before", "after"]


def test_a_leak_over_iterations_says_when_the_device_is_full() -> None:
    ends = tuple(1000 * K + 78 * K * number for number in range(20))
    hardware = msgspec.structs.replace(
        AFTER.hardware, memory=msgspec.structs.replace(MEMORY, live_at_end=ends)
    )
    view = memory_view(material(None, msgspec.structs.replace(AFTER, hardware=hardware)))
    # from 1000 + 78 x 19 = 2482 K another 7518 K at 78 K each: 96.4 iterations
    assert view.notes[-1] == (
        "after: live bytes grow by 39.9 kB per iteration "
        "and reach the device's 5.12 MB in 96.4 more (96.4 to 96.4)."
    )
    assert view.tables[-1].caption == "Live bytes at the end of each iteration"


def test_a_profile_without_a_log_says_so() -> None:
    hardware = msgspec.structs.replace(AFTER.hardware, memory=msgspec.structs.replace(MEMORY, events=()))
    view = memory_view(material(None, msgspec.structs.replace(AFTER, hardware=hardware)))
    assert "keeps no log" in view.notes[1]
    assert "peak 3.33 MB at 20.0 ms" in view.notes[0]  # from the curve
    assert len(view.walk["op"]) == 1


def test_a_profile_without_any_memory_draws_nothing() -> None:
    view = memory_view(material(None, profile([])))
    assert len(view.walk["op"]) == 1


def test_hostile_names_are_cut_and_made_visible() -> None:
    events = tuple(
        msgspec.structs.replace(EVENTS[0], buffer=number, tensor=name) for number, name in enumerate(HOSTILE)
    )
    hardware = msgspec.structs.replace(AFTER.hardware, memory=msgspec.structs.replace(MEMORY, events=events))
    view = memory_view(material(None, msgspec.structs.replace(AFTER, hardware=hardware)))
    texts = [
        *map(str, view.walk["label"]),
        *(cell for table in view.tables for row in table.rows for cell in row),
    ]
    assert all(len(text) < 400 for text in texts)
    assert not any(sign in text for text in texts for sign in "\u202e\x00")


def test_the_recomputed_fragmentation_is_that_of_the_plan() -> None:
    drawing = Drawing()
    source = drawing.input("image", 1, 16, 32, 32)
    for name, channels in (("one", 32), ("two", 64), ("three", 32), ("four", 16)):
        source = drawing.conv(source, name, channels)
    execution = simulate(compiled(drawing.graph(source)), load_device("ascend-310p-like"))
    facts = memory_facts(build_profile([Phase(execution=execution)]))
    memory, gaps = facts.memory, facts.gaps
    assert gaps is not None
    assert facts.peak_bytes == memory.lower_bound
    assert (gaps.index, gaps.rate) == pytest.approx((memory.fragmentation_index, memory.fragmentation_rate))
    assert (gaps.largest_free, gaps.free_blocks) == (memory.largest_free, memory.free_blocks)
