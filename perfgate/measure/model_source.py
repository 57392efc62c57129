"""Where a benchmark's model comes from: a file of the repository, the zoo, or the onnx package."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from perfgate.config.typed_yaml import did_you_mean
from perfgate.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfgate.measure.benchmark import Benchmark

ZOO = "zoo:"
ONNX_PACKAGE = "onnx:"


def is_shipped(model: str) -> bool:
    """Whether the name means a model of the zoo or of the onnx package, not a file of the repository."""
    return model.startswith((ZOO, ONNX_PACKAGE))


def read_model(benchmark: Benchmark, read: Callable[..., bytes]) -> bytes:
    """The model as ONNX bytes.

    Raises:
        UsageError: no such model, preset or parameter, or the file cannot be read.
    """
    model = benchmark.model
    if not model.startswith(ZOO) and (benchmark.preset or benchmark.parameters):
        what = f"`preset` and `parameters` belong to zoo models, not to {model!r}"
        raise UsageError(what, benchmark.place, "remove them")
    if model.startswith(ZOO):
        return _from_zoo(benchmark)
    if model.startswith(ONNX_PACKAGE):
        return _from_onnx_package(model.removeprefix(ONNX_PACKAGE), benchmark.place)
    return read(model, what="model", named_at=benchmark.place)


def _from_zoo(benchmark: Benchmark) -> bytes:
    from perfgate.zoo.catalogue import build  # noqa: PLC0415 - 150 ms for onnx, only for zoo models

    name = benchmark.model.removeprefix(ZOO)
    parameters = {
        key: int(value) if value.removeprefix("-").isdecimal() else value
        for key, value in benchmark.parameters.items()
    }
    try:
        return bytes(build(name, benchmark.preset, **parameters).SerializeToString())
    except UsageError as problem:
        raise UsageError(problem.what, benchmark.place, problem.remedy) from None


def _from_onnx_package(name: str, place: str) -> bytes:
    """Real graphs that ship inside the onnx package, for tests and demonstrations."""
    import onnx  # noqa: PLC0415 - 120 ms, only for model files

    folder = Path(str(onnx.__file__)).parent / "backend" / "test" / "data" / "light"
    known = sorted(path.stem for path in folder.glob("*.onnx"))
    if name not in known:
        raise UsageError(f"the onnx package ships no model {name!r}", place, did_you_mean(name, known))
    return (folder / f"{name}.onnx").read_bytes()
