"""Phases of an execution: which program runs how often in a benchmark of several iterations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.npu.list_schedule import Sharing
from perfgate.npu.simulation import Execution, simulate

if TYPE_CHECKING:
    from perfgate.compiler.program import Program
    from perfgate.compiler.runtime import RuntimeConfig
    from perfgate.core.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """`times` executions of the same step; 28 denoising steps are one phase, with a step cache two."""

    execution: Execution
    times: int = 1

    @property
    def total_ps(self) -> int:
        """Time of all executions of this step."""
        return self.execution.makespan_ps * self.times


def simulate_iterations(
    program: Program,
    device: Device,
    runtime: RuntimeConfig,
    iterations: int = 1,
    sharing: Sharing = Sharing.FAST,
) -> tuple[Phase, ...]:
    """Simulate every distinct step once; with `tea_cache` some iterations run the program that reuses."""
    reused = 0
    if program.step_reuse is not None and runtime.tea_cache is not None:
        reused = len(runtime.tea_cache.reused(iterations))
    usual = Phase(execution=simulate(program, device, runtime, sharing), times=iterations - reused)
    if not reused or program.step_reuse is None:
        return (usual,)
    return (usual, Phase(execution=simulate(program.step_reuse, device, runtime, sharing), times=reused))


def step_cache_note(program: Program, runtime: RuntimeConfig, iterations: int) -> str:
    """Why `tea_cache` changes nothing, or "" when it does or is not asked for."""
    if runtime.tea_cache is None:
        return ""
    if program.step_reuse is None:
        return "tea_cache changes nothing: the model declares no cacheable region (metadata `step_cache`)"
    if not runtime.tea_cache.reused(iterations):
        return f"tea_cache changes nothing: none of {iterations} iterations reuses the stored tensor"
    return ""
