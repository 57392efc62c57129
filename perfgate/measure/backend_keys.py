"""Which keys of a suite belong to which backend; a key on the wrong one would be without effect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.backends.registry import COMMAND, ONNXRUNTIME, PYTHON, TIMED
from perfgate.core.errors import UsageError
from perfgate.core.machine import SIMULATED

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfgate.measure.suite_schema import BenchmarkEntry

WORK = {SIMULATED: "model", ONNXRUNTIME: "model", PYTHON: "call", COMMAND: "command"}  # what a backend runs
PIPELINE = "pipeline"  # in place of the simulator's model
_MODEL_ONLY = ("inputs", "bind", "branches", "trip_counts", "bounds")  # a stage has them, its pipeline not
_MODELS = (SIMULATED, ONNXRUNTIME)
_KEYS = {
    **dict.fromkeys(("folder", "environment", "exit_code"), (COMMAND,)),
    "reference": (ONNXRUNTIME,),
    "memory_limit": TIMED,
    **dict.fromkeys(("preset", "parameters", "inputs", "bind", "compile"), _MODELS),
    **dict.fromkeys(("branches", "trip_counts", "bounds", "iterations", "noise", "runtime"), (SIMULATED,)),
}
# Under `defaults` these hold for the benchmarks of the defaults' own backend: devices, flags and samples of
# the simulator mean nothing to a real clock.
OF_ONE_BACKEND = frozenset({"devices", "samples", "warmup", "noise", "metrics", "compile", "runtime"})


def check_keys(entry: BenchmarkEntry, backend: str, where: Callable[[str], str]) -> None:
    """Refuse an entry that lacks the work of its backend, or has a key that means nothing there.

    Raises:
        UsageError: with the key's place.
    """
    wanted = WORK[backend]
    if entry.pipeline is not None:
        _check_pipeline(entry, backend, where)
        wanted = PIPELINE
    for key in dict.fromkeys(WORK.values()):
        if (getattr(entry, key) is not None) != (key == wanted):
            what = f"a benchmark on backend {backend} {'needs' if key == wanted else 'has no'} `{key}`"
            raise UsageError(what, where(key), f"give `{wanted}`, or another `backend`")
    for key, owners in _KEYS.items():
        if backend not in owners and getattr(entry, key) not in (None, {}):
            what = f"a benchmark on backend {backend} has no `{key}`"
            raise UsageError(what, where(key), f"remove it; it belongs to {' and '.join(owners)}")


def _check_pipeline(entry: BenchmarkEntry, backend: str, where: Callable[[str], str]) -> None:
    if backend != SIMULATED:
        what = f"a benchmark on backend {backend} has no `{PIPELINE}`"
        raise UsageError(what, where(PIPELINE), "pipelines are simulated: remove `backend`")
    for key in _MODEL_ONLY:
        if getattr(entry, key):
            what = f"a pipeline has no `{key}`"
            raise UsageError(what, where(key), "give it to the stage whose model it is for")
