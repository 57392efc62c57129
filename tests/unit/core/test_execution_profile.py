"""Summaries of a profile: sums by scope and what a baseline keeps."""

from __future__ import annotations

from perfgate.core.execution_profile import OperatorRow, Parts, scope_totals


def row(number: int, scope: str, total_ps: int) -> OperatorRow:
    return OperatorRow(
        number=number, name=f"op{number}", op="Conv", scope=scope, place="", kernels=1, total_ps=total_ps,
        parts=Parts(compute_ps=total_ps), bound="matrix", flops=0, dram_bytes=0, l2_bytes=0, intensity=0.0,
        intensity_class="memory", is_above_ridge=False,
    )  # fmt: skip


def test_a_scope_holds_everything_below_it() -> None:
    totals = scope_totals((row(0, "net.a", 3), row(1, "net.a.b", 4), row(2, "net", 5), row(3, "", 6)))
    assert totals == {"": 18, "net": 12, "net.a": 7, "net.a.b": 4}


def test_waiting_is_outside_the_duration() -> None:
    parts = Parts(dispatch_ps=1, transfer_ps=2, compute_ps=3, sync_ps=4, wait_ps=100)
    assert parts.duration_ps == 10
