"""Frames of the flame graph: every picosecond is in its operator, its scopes and the whole."""

from __future__ import annotations

from perfgate.report.html.frames import (
    CONVERSIONS,
    COPIES,
    KERNELS,
    WAITS,
    Frame,
    flame_frames,
    operator_pieces,
    path_of,
    vanished,
)
from perfgate.report.html.material import pair_operators
from tests.page_profiles import US, in_a_row, incident, operator


def by_name(frames: list[Frame]) -> dict[str, Frame]:
    return {frame.name: frame for frame in frames}


def test_scopes_hold_their_operators_side_by_side_in_the_order_of_the_model() -> None:
    profile = in_a_row({"net.a.one": 3, "net.a.two": 5, "net.b": 2})
    frames = by_name(flame_frames(pair_operators(profile.operators, profile.operators), "run"))
    assert frames["run"].after_ps == frames["net"].after_ps == 10 * US
    assert (frames["a"].left_ps, frames["a"].after_ps) == (0, 8 * US)
    assert (frames["two"].left_ps, frames["two"].depth) == (3 * US, 3)
    assert (frames["b"].left_ps, frames["b"].depth) == (8 * US, 2)


def test_what_is_only_before_has_no_place_among_the_others_but_one_in_the_strip() -> None:
    before = in_a_row({"net.gone.x": 4, "net.gone.y": 6, "net.stays": 5, "old": 1})
    after = in_a_row({"net.stays": 7})
    frames = flame_frames(pair_operators(before.operators, after.operators), "run")
    highest = {frames[index].name for index in vanished(frames)}
    assert highest == {"gone", "old"}
    named = by_name(frames)
    assert (named["stays"].left_ps, named["run"].after_ps, named["run"].before_ps) == (0, 7 * US, 16 * US)
    strip = sorted(vanished(frames), key=lambda index: frames[index].left_ps)
    assert [frames[index].left_ps for index in strip] == [0, frames[strip[0]].before_ps]
    assert named["y"].left_ps - named["gone"].left_ps in {0, 4 * US}


def test_an_operator_is_split_by_what_its_time_went_to() -> None:
    plain = operator(0, "conv", 10)
    row = operator(0, "conv", 10, copies_ps=4, conversions_ps=3)
    assert operator_pieces([plain]) == {KERNELS: 10}
    assert operator_pieces([row]) == {KERNELS: 3, CONVERSIONS: 3, COPIES: 4}
    assert operator_pieces([]) == {}
    frames = by_name(flame_frames(pair_operators([plain], [row]), "run"))
    assert (frames[KERNELS].before_ps, frames[KERNELS].after_ps) == (10, 3)
    assert (frames[COPIES].before_ps, frames[COPIES].after_ps) == (0, 4)
    assert WAITS not in frames


def test_children_fill_their_parent_exactly_on_both_sides_of_the_incident() -> None:
    frames = flame_frames(incident().operators, "run")
    sides = incident().sides
    assert [profile.application.total_ps for _, profile in sides] == [
        frames[0].before_ps,
        frames[0].after_ps,
    ]
    for frame in frames:
        if frame.children:
            assert sum(frames[child].after_ps for child in frame.children) == frame.after_ps
            assert sum(frames[child].before_ps for child in frame.children) == frame.before_ps


def test_two_operators_of_one_name_are_two_frames() -> None:
    rows = [operator(0, "twin", 5), operator(1, "twin", 7)]
    frames = flame_frames(pair_operators(rows, rows), "run")
    assert [(frame.name, frame.after_ps) for frame in frames[1:]] == [("twin", 5), ("twin", 7)]


def test_a_path_begins_at_the_whole() -> None:
    profile = in_a_row({"net.a": 3})
    frames = flame_frames(pair_operators(None, profile.operators), "run")
    assert [frames[index].name for index in path_of(frames, 2)] == ["run", "net", "a"]
