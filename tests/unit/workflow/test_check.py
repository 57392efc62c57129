"""Which baselines a run does not owe."""

from __future__ import annotations

import msgspec
import pytest

from perfgate.backends.registry import timed_device
from perfgate.workflow.check import is_of_other_environment
from tests.records import make_record


@pytest.mark.parametrize(
    ("backend", "device", "is_other"),
    [
        ("python", timed_device("python"), False),
        (
            "python",
            "python-linux-x86_64-cp399",
            True,
        ),  # of another matrix leg
        ("command", "command-plan9-mips", True),
        ("command", "orin-7", False),  # a label of the suite's own is no environment
        ("simulated", "simulated-chip", False),
    ],
)
def test_row_4_another_python_is_another_environment(backend: str, device: str, is_other: bool) -> None:  # noqa: FBT001 - a parameter of the test
    record = msgspec.structs.replace(make_record("a", device=device), backend=backend)
    assert is_of_other_environment(record) is is_other
