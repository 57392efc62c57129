"""A phase of an execution: one simulated step and how often it runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfgate.npu.simulation import Execution


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """`times` executions of the same step; 28 denoising steps are one phase, with a step cache two."""

    execution: Execution
    times: int = 1

    @property
    def total_ps(self) -> int:
        """Time of all executions of this step."""
        return self.execution.makespan_ps * self.times
