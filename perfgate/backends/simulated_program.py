"""From a request to a compiled program: settings, shapes, import, compile cache."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.compiler.cache import CompileCache, compile_cached
from perfgate.compiler.compilation import compile_graph
from perfgate.compiler.config import CompileConfig
from perfgate.compiler.runtime import RuntimeConfig
from perfgate.compiler.shape_flags import input_shape_bindings, smallest_fit
from perfgate.core.errors import UsageError
from perfgate.graph.loading import load
from perfgate.npu.device_file import load_device, soc_device

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from perfgate.backends.protocol import Request
    from perfgate.compiler.flag_values import FileReader
    from perfgate.compiler.program import Program
    from perfgate.core.device import Device
    from perfgate.graph.ir import Graph


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledBenchmark:
    """A program with what it was compiled from; `shapes` counts the programs of a dynamic compile command."""

    graph: Graph
    program: Program
    device: Device
    config: CompileConfig
    runtime: RuntimeConfig
    iterations: int
    inputs: dict[str, str]
    notes: tuple[str, ...]
    shapes: int = 1
    is_cached: bool = False


def compile_benchmark(
    request: Request, devices: Sequence[Path], read: FileReader | None, cache: CompileCache | None
) -> CompiledBenchmark:
    """Import and compile the model of a request; a cache hit does not compile.

    Raises:
        PerfgateError: model, settings or device cannot be used as asked.
    """
    config = CompileConfig.from_settings(request.compile, read=read)
    runtime = RuntimeConfig.from_settings(request.runtime)
    device, soc_note = _choose_device(request, config, devices)
    shapes = input_shape_bindings(config)
    chosen = smallest_fit(shapes, request.shapes, request.place) if len(shapes) > 1 else 0
    graph = load(
        request.model,
        # A size in the compile command wins over the suite's, which only fills what the command leaves open.
        bindings={**request.shapes, **shapes[chosen].bindings},
        branches=request.branches,
        trip_counts=request.trip_counts,
        bounds=request.bounds,
        name=request.model_name,
    )
    is_cached = False
    if cache is None:
        program = compile_graph(graph, config, runtime, device)
    else:
        program, is_cached = compile_cached(graph, config, runtime, device, cache=cache)
    return CompiledBenchmark(
        graph=graph,
        program=program,
        device=device,
        config=config,
        runtime=runtime,
        iterations=_iterations(request, graph),
        inputs=_inputs(graph),
        notes=(*soc_note, *_notes(program, graph)),
        shapes=len(shapes),
        is_cached=is_cached,
    )


def _choose_device(
    request: Request, config: CompileConfig, devices: Sequence[Path]
) -> tuple[Device, tuple[str, ...]]:
    if not request.device:
        if not config.soc_version:
            remedy = "name a device in the suite, or --soc_version in the compile command"
            raise UsageError("no device", request.place or request.benchmark, remedy)
        return load_device(soc_device(config.soc_version, search=devices), search=devices), ()
    device = load_device(request.device, search=devices)
    if not config.soc_version or config.soc_version in device.soc_versions:
        return device, ()
    known = ", ".join(device.soc_versions) or "none"
    note = (
        f"soc-mismatch: the compile command says --soc_version={config.soc_version}, "
        f"{device.name} stands for {known}; the benchmark's device counts"
    )
    return device, (note,)


def _iterations(request: Request, graph: Graph) -> int:
    if request.iterations:
        return request.iterations
    text = graph.metadata.get("iterations", "1")
    if not text.isdecimal() or int(text) < 1:
        what = f"the model's metadata say {text!r} iterations"
        raise UsageError(what, request.model_name, "give a number from 1, or `iterations` in the suite")
    return int(text)


def _inputs(graph: Graph) -> dict[str, str]:
    """Shape and type of every input that the model is given at run time."""
    found = {}
    for name in graph.inputs:
        tensor = graph.tensors[name]
        found[name] = f"{tensor.dtype}[{','.join(map(str, tensor.shape))}]"
    return found


def _notes(program: Program, graph: Graph) -> tuple[str, ...]:
    """What a person should know about the compilation; nothing is dropped in silence."""
    return (
        *program.notes,
        *(
            f"{item.what} ({item.place}): {item.reason}" if item.place else f"{item.what}: {item.reason}"
            for item in program.unhandled
        ),
        *(f"{remark.code}: {remark.where}: {remark.text}" for remark in graph.remarks),
    )
