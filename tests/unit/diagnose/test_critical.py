"""Schedules of 5 to 8 spans drawn by hand; time goes to the right, a digit is a millisecond of one."""

from __future__ import annotations

import pytest

from perfgate.diagnose.critical import PathShare, critical_path
from tests.hand_profiles import MS, kernel, operator, profile


def shares(path_profile: object) -> dict[int, int]:
    path = critical_path(path_profile)  # type: ignore[arg-type]  # - a profile; keeps the calls short
    assert sum(share.total for share in path.shares.values()) + path.wait == path.total
    return {number: share.total // MS for number, share in path.shares.items() if share.total}


def test_on_one_stream_every_operator_is_on_the_path() -> None:
    # 0 0 1 1 1 2 . 3 4 4: nine milliseconds of work and one of waiting
    rows = [operator(number, length * MS) for number, length in enumerate((2, 3, 1, 1, 2))]
    drawn = profile(10 * MS, operators=tuple(rows))
    assert shares(drawn) == {0: 2, 1: 3, 2: 1, 3: 1, 4: 2}
    assert critical_path(drawn).wait == 1 * MS


def test_of_two_streams_the_marked_kernels_are_the_path() -> None:
    # stream 0: 0 0 0 . 3 3 4      3 needs 0 and 2; latency 7, serial sum 11
    # stream 1: 1 2 2 2 . . 5      0 has a millisecond of slack beside 1 and 2, 5 ends with 4
    drawn = profile(
        7 * MS,
        streams=2,
        operators=tuple(operator(n, t * MS) for n, t in enumerate((3, 1, 3, 2, 1, 1))),
        kernels=(
            kernel(0, 3 * MS, critical=False, stream=0),
            kernel(1, 1 * MS, critical=True, stream=1),
            kernel(2, 3 * MS, critical=True, stream=1),
            kernel(3, 2 * MS, critical=True, stream=0),
            kernel(4, 1 * MS, critical=True, stream=0),
            kernel(5, 1 * MS, critical=False, stream=1),
        ),
    )
    assert shares(drawn) == {1: 1, 2: 3, 3: 2, 4: 1}
    assert critical_path(drawn).wait == 0


def test_time_between_kernels_of_the_path_is_wait() -> None:
    # stream 0: 0 0 e 2 2        an event of one millisecond between the streams, twice
    # stream 1: . . e 1 e . 3    latency 7: 0, event, 1, event, 3 with a millisecond of lead
    drawn = profile(
        7 * MS,
        streams=2,
        kernels=(
            kernel(0, 2 * MS),
            kernel(1, 1 * MS, stream=1),
            kernel(2, 2 * MS, critical=False),
            kernel(3, 1 * MS, stream=1),
            kernel(4, 1 * MS, stream=1, critical=False),
        ),
    )
    assert shares(drawn) == {0: 2, 1: 1, 3: 1}
    assert critical_path(drawn).wait == 3 * MS


def test_where_nobody_marks_the_path_the_busiest_stream_is_followed() -> None:
    # stream 0: 0 0 2 .      stream 1: 1 1 3 3, the busiest; stream 2: 4
    lengths = ((0, 2, 0), (1, 2, 1), (2, 1, 0), (3, 2, 1), (4, 1, 2))
    rows = tuple(kernel(n, t * MS, stream=stream, critical=False) for n, t, stream in lengths)
    assert shares(profile(4 * MS, streams=3, kernels=rows)) == {1: 2, 3: 2}


def test_of_equally_busy_streams_the_first_is_followed() -> None:
    rows = tuple(kernel(n, 2 * MS, stream=n % 2, critical=False) for n in range(6))
    assert shares(profile(6 * MS, streams=2, kernels=rows)) == {0: 2, 2: 2, 4: 2}


def test_several_kernels_of_one_operator_are_one_share_with_copies_and_conversions_apart() -> None:
    rows = (
        kernel(0, 4 * MS),
        kernel(0, 2 * MS, kind="d2h", implicit=True, link_bytes=64, times=3),
        kernel(0, 1 * MS, kind="host", implicit=True, times=3),
        kernel(0, 1 * MS, kind="layout", implicit=True, times=2),
        kernel(1, 1 * MS, kind="h2d", link_bytes=64),  # the call's own input is no implicit copy
    )
    path = critical_path(profile(16 * MS, streams=2, kernels=rows))
    # 3 x (2 + 1) of the round trips, of which what crosses the link is counted; 2 x 1 of conversions.
    assert path.shares[0] == PathShare(
        own=4 * MS, copies=9 * MS, conversions=2 * MS, copy_count=3, conversion_count=2
    )
    assert path.shares[1] == PathShare(own=1 * MS)


def test_on_one_stream_copies_and_conversions_of_an_operator_are_taken_out_of_its_own_time() -> None:
    row = operator(0, 10 * MS, copies_ps=6 * MS, conversions_ps=1 * MS, copies=4, conversions=2)
    path = critical_path(profile(10 * MS, operators=(row,)))
    assert path.shares[0] == PathShare(
        own=3 * MS, copies=6 * MS, conversions=1 * MS, copy_count=4, conversion_count=2
    )


@pytest.mark.parametrize("streams", [1, 2])
def test_parts_that_are_longer_than_the_whole_are_a_contradiction(streams: int) -> None:
    drawn = profile(5 * MS, streams=streams, operators=(operator(0, 6 * MS),), kernels=(kernel(0, 6 * MS),))
    with pytest.raises(ArithmeticError, match="sum to 6000000000 ps of 5000000000 ps"):
        critical_path(drawn)


def test_an_execution_without_a_kernel_only_waits() -> None:
    for streams in (1, 2):
        path = critical_path(profile(5 * MS, streams=streams))
        assert (path.shares, path.wait) == ({}, 5 * MS)
