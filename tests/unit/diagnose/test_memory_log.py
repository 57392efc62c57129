"""The log of a simulated step: its owners, and a replay that meets the memory plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from perfgate.compiler.memory import ALIGNMENT
from perfgate.diagnose.lifetimes import early_frees
from perfgate.diagnose.memory import ALLOC, replay
from perfgate.diagnose.memory_log import GRID, OUTSIDE, allocation_log, last_uses, read_counts
from perfgate.npu.device_file import load_device
from perfgate.npu.phase import Phase
from perfgate.npu.profiling import build_profile
from perfgate.npu.simulation import simulate
from tests.graphs import Drawing, compiled

if TYPE_CHECKING:
    from perfgate.core.execution_profile import Profile


@pytest.fixture(scope="module")
def profile() -> Profile:
    """A chain of four convolutions; the device turns the layout of the input and of the result."""
    drawing = Drawing()
    source = drawing.input("image", 1, 16, 32, 32)
    for name, channels in (("one", 32), ("two", 64), ("three", 32), ("four", 16)):
        source = drawing.conv(source, name, channels)
    execution = simulate(compiled(drawing.graph(source)), load_device("ascend-310p-like"))
    return build_profile([Phase(execution=execution)])


def test_sizes_lie_on_the_allocators_grid() -> None:
    assert GRID == ALIGNMENT


def test_the_replayed_peak_is_the_plans_lower_bound(profile: Profile) -> None:
    memory = profile.hardware.memory
    played = replay(allocation_log(profile))
    assert played.peak is not None
    assert played.peak.size + memory.weights == memory.lower_bound
    assert max(size for _, size in memory.curve) == memory.lower_bound
    assert played.never_freed == ()
    assert (played.unknown_frees, played.lost_frees) == (0, 0)


def test_each_buffer_names_the_operator_that_wrote_it(profile: Profile) -> None:
    numbers = {row.name: row.number for row in profile.operators}
    owners = {event.tensor: event for event in allocation_log(profile) if event.kind == ALLOC}
    assert owners["image"].owner == OUTSIDE  # the caller's
    for name in ("one", "two", "three", "four"):
        assert owners[name].owner == numbers[name]
    assert owners["image@NC1HWC0"].owner == numbers["one"]  # the layout that this one needs
    assert (owners["two"].op, owners["two"].scope) == ("Conv", "model.two")


def test_no_last_use_is_earlier_than_the_plans_own(profile: Profile) -> None:
    played, uses = replay(allocation_log(profile)), last_uses(profile)
    assert uses
    for block in played.blocks:
        if block.taken.block in uses:
            assert block.end is not None
            assert uses[block.taken.block] >= block.end
    assert early_frees(played, uses).each == ()  # the plan keeps nothing too long


def test_a_buffer_kept_too_long_is_found_from_the_data_flow(profile: Profile) -> None:
    """All frees moved to the end of the step, where everything is live together."""
    memory = profile.hardware.memory
    end = memory.events[-1].time_ps
    held = sorted(
        (msgspec.structs.replace(row, time_ps=end) if row.kind == "free" else row for row in memory.events),
        key=lambda row: row.time_ps,
    )
    hardware = msgspec.structs.replace(
        profile.hardware, memory=msgspec.structs.replace(memory, events=tuple(held))
    )
    late = msgspec.structs.replace(profile, hardware=hardware)
    found = early_frees(replay(allocation_log(late)), last_uses(late))
    # KiB: image 32, its other layout 32, one 64, two 128, three 64, four 32 and its other layout 32: 384.
    # Without `one` after `two`, or `two` after `three`, 64 less; `two` alone meets the 320 before it ends.
    assert found.peak == 384 << 10
    assert [(item.block.taken.tensor, item.peak >> 10) for item in found.each] == [
        ("one", 320),
        ("two", 320),
        ("image@NC1HWC0", 352),
    ]
    # All three: the moment at which `two` is taken is the highest, 32 + 32 + 64 + 128
    assert found.together == 256 << 10


def test_readers_are_counted_by_buffer(profile: Profile) -> None:
    reads = read_counts(profile)
    blocks = {event.tensor: event.block for event in allocation_log(profile) if event.kind == ALLOC}
    assert reads[blocks["two"]] == 1  # `three` alone
    assert blocks["image"] not in reads  # the caller's
    assert blocks["four"] not in reads  # the result: no operator reads it
