"""`make bench`: every speed table of the project, as CPU times and ratios within one run."""

from __future__ import annotations

from tests.benchmarks import (
    speed_alignment,
    speed_guardrails,
    speed_simulator,
    speed_startup,
    speed_statistics,
    speed_timed,
)

if __name__ == "__main__":
    for table in (
        speed_simulator,
        speed_statistics,
        speed_alignment,
        speed_guardrails,
        speed_startup,
        speed_timed,
    ):
        table.main()
