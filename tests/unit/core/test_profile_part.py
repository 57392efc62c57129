"""A profile with some of its levels."""

from __future__ import annotations

import pytest

from perfgate.core.profile_part import LEVELS, profile_part
from perfgate.npu.device_file import load_device
from perfgate.npu.phase import Phase
from perfgate.npu.profiling import build_profile
from perfgate.npu.simulation import simulate
from tests.programs import make_program, matmul


@pytest.mark.parametrize("level", LEVELS)
def test_a_part_holds_the_level_that_was_asked_for_and_no_other(level: str) -> None:
    execution = simulate(make_program([matmul(0, 64, 64, 64)]), load_device("ascend-310p-like"))
    whole = build_profile([Phase(execution=execution)])
    part = profile_part(whole, (level,))
    assert getattr(part, level) == getattr(whole, level)
    assert [name for name in LEVELS if getattr(part, name) is not None] == [level]
    assert (part.copies is not None) == (level == "kernels")
    assert (part.device, part.digest) == (whole.device, whole.digest)
