"""Stacks of kernels: scopes, operator, kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from perfgate.report.export.frames import MAX_SCOPES, Frame, Frames, kernel_label
from perfgate.report.export.short_name import SHOWN, short_name
from perfgate.report.export.side import Side
from tests.traced_profiles import two_programs, two_streams

if TYPE_CHECKING:
    from perfgate.core.execution_profile import Profile


def renamed(name: str, scope: str) -> Profile:
    profile = two_streams(1)
    rows = [
        msgspec.structs.replace(row, name=name, scope=scope, place="net.py:7:1") for row in profile.operators
    ]
    return msgspec.structs.replace(profile, operators=tuple(rows))


@pytest.mark.parametrize(
    ("name", "scope", "expected"),
    [
        (
            "UNet.mid.conv",
            "UNet.mid.conv",
            [("UNet", "UNet"), ("mid", "UNet.mid"), ("conv", "UNet.mid.conv")],
        ),
        ("UNet.mid.conv", "UNet", [("UNet", "UNet"), ("mid.conv", "UNet.mid.conv")]),
        ("conv", "", [("conv", "conv")]),
        ("", "", [("(unnamed)", "")]),
    ],
)
def test_a_stack_is_the_scopes_the_operator_and_what_runs(
    name: str, scope: str, expected: list[tuple[str, str]]
) -> None:
    profile = renamed(name, scope)
    row = profile.kernels[0]
    stack = Frames(Side(label="now", profile=profile)).of_kernel(row)
    if not (name or scope):
        expected = []  # an operator without name and scope is its kernel
    assert stack == (*(Frame(*item) for item in expected), Frame(kernel_label(row), "net.py:7:1"))


def test_a_kernel_says_its_type_its_variant_and_whether_nobody_asked_for_it() -> None:
    row = two_streams(1).kernels[0]
    changed = msgspec.structs.replace(row, op="MatMul", variant="MatMul+Add", implicit=False)
    assert kernel_label(changed) == "MatMul MatMul+Add"
    assert kernel_label(msgspec.structs.replace(changed, variant="MatMul")) == "MatMul"
    copy = msgspec.structs.replace(changed, op="Copy", variant="d2h", implicit=True)
    assert kernel_label(copy) == "Copy d2h (implicit)"


def test_kernels_of_no_operator_stand_under_the_program() -> None:
    profile = two_streams(1)
    row = msgspec.structs.replace(profile.kernels[0], owner=-1)
    assert Frames(Side(label="now", profile=profile)).of_operator(row) == (Frame("(program)"),)


def test_with_two_programs_each_stack_begins_with_its_program() -> None:
    profile = two_programs()
    frames = Frames(Side(label="now", profile=profile))
    assert {frames.of_kernel(row)[0].name for row in profile.kernels} == {"usual", "cached"}


def test_a_scope_of_thousands_of_dots_is_a_stack_of_bounded_depth() -> None:
    profile = renamed("x", "." * 5_000)
    stack = Frames(Side(label="now", profile=profile)).of_kernel(profile.kernels[0])
    assert len(stack) == MAX_SCOPES + 2


def test_a_long_name_is_cut_and_says_so() -> None:
    assert short_name("x" * SHOWN) == "x" * SHOWN
    assert short_name("x" * 10_000) == "x" * SHOWN + "… (9760 more characters)"
