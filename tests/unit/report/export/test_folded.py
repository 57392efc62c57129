"""Folded stacks: counts sum to the latency, names break no line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from perfgate.report.export.lane import nanoseconds
from tests.trace_reading import folded_counts
from tests.traced_profiles import (
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


@pytest.mark.parametrize("build", ALL)
def test_counts_sum_to_the_latency(build: Build) -> None:
    profile = build()
    assert sum(count for (count,) in folded_counts(profile).values()) == nanoseconds(
        profile.application.total_ps
    )


def test_the_critical_stream_is_that_of_the_profiles_own_parts() -> None:
    profile = two_streams()
    counts = folded_counts(profile)
    # The parts come from the simulator's arrays, not from the rows that are drawn.
    waits = sum(count for stack, (count,) in counts.items() if stack.endswith("(wait)"))
    assert abs(waits - nanoseconds(profile.parts.wait_ps)) <= 1
    kernels = sum(count for (count,) in counts.values()) - waits
    assert abs(kernels - nanoseconds(profile.parts.duration_ps)) <= 1
    assert waits > 0


def test_a_stack_is_scopes_operator_and_kernel() -> None:
    assert list(folded_counts(two_streams())) == [
        "net;block0;op0;Relu",
        "net;block0;op0;MatMul",
        "net;block1;op1;(wait)",
        "net;block1;op1;Concat",
        "net;block1;op1;Copy_d2h_(implicit)",
    ]


def test_kernels_that_are_not_listed_are_one_stack() -> None:
    profile = ten_thousand()
    rest = profile.kernels[-1]
    (count,) = folded_counts(profile)["9800_kernels_not_listed"]
    assert count == pytest.approx(nanoseconds(2 * (rest.duration_ps + rest.parts.wait_ps)), abs=1)


def test_time_after_the_last_kernel_is_idle() -> None:
    profile = two_streams(1)
    step = msgspec.structs.replace(
        profile.application.steps[0], makespan_ps=profile.application.total_ps + 7_000
    )
    longer = msgspec.structs.replace(
        profile, application=msgspec.structs.replace(profile.application, steps=(step,))
    )
    assert folded_counts(longer)["(idle)"] == (7,)


def test_a_difference_has_two_counts_that_sum_to_both_latencies() -> None:
    before, now = two_programs(), two_streams()
    counts = folded_counts(now, before)
    old, new = (sum(column) for column in zip(*counts.values(), strict=True))
    assert old == nanoseconds(before.application.total_ps)
    assert new == nanoseconds(now.application.total_ps)
    assert all(pair[1] == 0 for stack, pair in counts.items() if stack.startswith("usual;"))
    assert folded_counts(now, now) == {key: value * 2 for key, value in folded_counts(now).items()}


def test_what_separates_is_folded_and_invisible_signs_are_written_out() -> None:
    stacks = folded_counts(hostile())
    words = {word for stack in stacks for word in stack.split(";")}
    assert any(word.startswith("semi_colon_and_space_new_line_tab_separator") for word in words)
    assert any(r"nul\x00_rtl_\u202e_end" in word for word in words)
    assert any(r"half_\ud800_pair" in word for word in words)
    assert not any(sign.isspace() for stack in stacks for sign in stack)
