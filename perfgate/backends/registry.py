"""The backends by name, each loaded only when a benchmark asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.machine import SIMULATED

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from perfgate.backends.protocol import Backend

PYTHON, COMMAND, ONNXRUNTIME = "python", "command", "onnxruntime"
# Real clocks: their runs are interleaved, and want the machine for themselves.
TIMED = (PYTHON, COMMAND, ONNXRUNTIME)
BACKENDS = (SIMULATED, *TIMED)


def timed_device(backend: str) -> str:
    """What a timed benchmark has for a device when its suite names none: backend and environment.

    Python's version is part of the environment of Python code; other backends say theirs in the context.
    """
    from perfgate.backends import machine_facts  # noqa: PLC0415 - only where something is timed

    label = machine_facts.python_label() if backend == PYTHON else machine_facts.system_label()
    return f"{backend}-{label}"


def open_backend(
    name: str, *, devices: tuple[Path, ...], read: Callable[[str, str], str], cache: Path | None
) -> Backend:
    """The backend of that name; folders of device files, a reader and a cache are the simulator's.

    Raises:
        KeyError: no such backend; suites are checked before.
    """
    if name == SIMULATED:
        from perfgate.backends.simulated import SimulatedBackend  # noqa: PLC0415 - numpy and the compiler
        from perfgate.backends.simulated_pipeline import PipelineBackend  # noqa: PLC0415 - the same
        from perfgate.compiler.cache import CompileCache  # noqa: PLC0415 - the same

        kept = None if cache is None else CompileCache(cache)
        return PipelineBackend(SimulatedBackend(devices=devices, read=read, cache=kept))
    if name == PYTHON:
        from perfgate.backends.python import PythonBackend  # noqa: PLC0415 - only where something is timed

        return PythonBackend()
    if name == COMMAND:
        from perfgate.backends.command import CommandBackend  # noqa: PLC0415 - the same

        return CommandBackend()
    if name == ONNXRUNTIME:
        from perfgate.backends.onnxruntime import OnnxRuntimeBackend  # noqa: PLC0415 - the same

        return OnnxRuntimeBackend()
    raise KeyError(name)
