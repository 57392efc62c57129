"""Iterations as they are laid out."""

from __future__ import annotations

import msgspec

from perfgate.report.export.drawn_steps import drawn_steps, layout_notes
from tests.trace_reading import sides
from tests.traced_profiles import two_programs, two_streams


def test_every_iteration_is_drawn_one_after_the_other() -> None:
    profile = two_streams()
    length = profile.application.steps[0].makespan_ps
    steps = drawn_steps(sides(profile)[0])
    assert [(step.number, step.of, step.times, step.start_ps) for step in steps] == [
        (1, 3, 1, 0), (2, 3, 1, length), (3, 3, 1, 2 * length),
    ]  # fmt: skip
    assert steps[-1].start_ps + length == profile.application.total_ps
    assert steps[1].label == "net 2 of 3"
    assert layout_notes(steps) == ()


def test_beyond_the_limit_each_program_is_drawn_once_and_says_how_often_it_runs() -> None:
    profile = two_programs()  # 5 kernels four times and 7 kernels twice
    assert len(drawn_steps(sides(profile)[0], limit=34)) == 6
    steps = drawn_steps(sides(profile)[0], limit=33)
    assert [(step.program, step.times) for step in steps] == [(0, 4), (1, 2)]
    assert steps[1].start_ps == profile.application.steps[0].makespan_ps
    assert steps[0].label == "usual, runs 4 times"
    once, _ = layout_notes(steps)
    assert once == "each program is drawn once; the execution runs usual 4 times, cached 2 times"


def test_programs_that_alternate_are_drawn_one_after_the_other_which_is_said() -> None:
    profile = two_programs()
    (note,) = layout_notes(drawn_steps(sides(profile)[0]))
    assert note.startswith("drawn program by program")


def test_a_step_that_runs_once_has_no_number() -> None:
    assert drawn_steps(sides(two_streams(1))[0])[0].label == "net"


def test_programs_of_one_name_are_told_apart() -> None:
    profile = two_programs()
    steps = tuple(msgspec.structs.replace(step, program="net") for step in profile.application.steps)
    application = msgspec.structs.replace(profile.application, steps=steps)
    changed = msgspec.structs.replace(profile, application=application)
    assert {step.name for step in drawn_steps(sides(changed)[0])} == {"net #1", "net #2"}
