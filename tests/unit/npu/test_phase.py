"""Iterations: a step is simulated once, and a step cache mixes two programs."""

from __future__ import annotations

import msgspec

from perfgate.compiler.runtime import RuntimeConfig, TeaCache
from perfgate.npu.device_file import load_device
from perfgate.npu.phase import simulate_iterations, step_cache_note
from tests.programs import make_program, matmul

DEVICE = load_device("ascend-310p-like")
SHORT = make_program([matmul(0, 64, 64, 64)])
LONG = msgspec.structs.replace(make_program([matmul(0, 64, 64, 64), matmul(1, 64, 64, 64)]), step_reuse=SHORT)


def test_iterations_multiply_one_step() -> None:
    (phase,) = simulate_iterations(SHORT, DEVICE, RuntimeConfig(), 28)
    assert phase.times == 28
    assert phase.total_ps == 28 * phase.execution.makespan_ps


def test_a_step_cache_runs_the_reusing_program_in_three_of_28_iterations() -> None:
    # Every 6th from ceil(0.2 * 28) = 6 to floor(0.8 * 28) = 22: 6, 12, 18 (SIMULATOR section 3).
    usual, reusing = simulate_iterations(LONG, DEVICE, RuntimeConfig(tea_cache=TeaCache()), 28)
    assert (usual.times, reusing.times) == (25, 3)
    assert reusing.execution.makespan_ps < usual.execution.makespan_ps


def test_without_a_region_or_iterations_the_step_cache_says_why_it_changes_nothing() -> None:
    cached = RuntimeConfig(tea_cache=TeaCache())
    assert len(simulate_iterations(SHORT, DEVICE, cached, 28)) == 1
    assert "no cacheable region" in step_cache_note(SHORT, cached, 28)
    assert "none of 1 iterations" in step_cache_note(LONG, cached, 1)
    assert step_cache_note(LONG, cached, 28) == ""
    assert step_cache_note(LONG, RuntimeConfig(), 28) == ""
