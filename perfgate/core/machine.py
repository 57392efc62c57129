"""Which fields of a record's context must be equal for wall-clock times of two records to be comparable.

Fields outside this list (clock speed, load, host name) are notes: a reported clock that jitters by .1 % must
not break a comparison.
"""

from __future__ import annotations

MUST_MATCH = (
    "cpu_model",
    "cpu_count",
    "accelerator",
    "driver",
    "os_release",
    "runtime_version",
    "container_image",
)
SIMULATED = "simulated"  # the backend whose times do not depend on the machine
RESOLUTION = "timer_resolution"  # note of a record's context: the clock's step in one sample, in seconds
TRACED = "traced_latency"  # note of a record's context: seconds of one call while it is traced
TEST = "test"  # note of a record's context: the pytest node id of the test that measured it


def machine_differences(baseline: dict[str, str], now: dict[str, str]) -> tuple[str, ...]:
    """One text per must-match field that differs, with both values; absent counts as empty."""
    return tuple(
        f"{name} {baseline.get(name, '')!r} -> {now.get(name, '')!r}"
        for name in MUST_MATCH
        if baseline.get(name, "") != now.get(name, "")
    )
