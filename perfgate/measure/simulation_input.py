"""Everything a simulation of one benchmark follows from, so that it can be changed and simulated again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from perfgate.backends.protocol import Request
    from perfgate.compiler.flag_values import FileReader
    from perfgate.core.execution_profile import Profile


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulationInput:
    """A request, the files that its flags name, and the folders where its device is described."""

    request: Request
    read: FileReader
    devices: tuple[Path, ...]

    def profile(self) -> Profile:
        """The traced execution.

        Raises:
            PerfgateError: model, settings or device cannot be used as they are.
        """
        from perfgate.backends.simulated import SimulatedBackend  # noqa: PLC0415 - 200 ms, not for timed runs
        from perfgate.backends.simulated_pipeline import PipelineBackend  # noqa: PLC0415 - the same

        models = SimulatedBackend(devices=self.devices, read=self.read)
        return PipelineBackend(models).open(self.request).profile()
