"""What an import says of itself."""

from __future__ import annotations

import msgspec

from perfgate.report.import_table import import_lines
from tests.records import make_record


def test_each_metric_is_a_row_with_its_runs_and_samples() -> None:
    lines = import_lines([make_record("a", latencies=((1.0, 2.0), (1.0, 2.0, 3.0)))], [])
    rows = [line.split() for line in lines[0].splitlines()]
    assert rows[2] == ["a", "dev", "latency", "2", "2..3", "2.00", "s"]
    assert rows[3] == ["a", "dev", "peak_memory", "exact", "1.00", "kB"]
    assert lines[-1] == "1 benchmarks imported, 0 entries left out"


def test_what_was_left_out_and_noted_is_said_in_harmless_text() -> None:
    record = msgspec.structs.replace(make_record("a"), notes=("one\x1bvalue",))
    lines = import_lines([record], [("f.json", "b\x1b[2J", "failed", "no device")])
    assert r"left out, failed: b\x1b[2J: no device (f.json)" in lines
    assert r"note: a[dev]: one\x1bvalue" in lines
