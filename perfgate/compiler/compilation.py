"""The compiler's entry: from a graph to a program, pass by pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from perfgate.compiler import (
    cse,
    dce,
    folding,
    fusion,
    identity,
    invariants,
    layout,
    precision,
    preprocess,
    quantise,
    step_cache,
)
from perfgate.compiler import passnames as names
from perfgate.compiler.capacity import check_capacity, log_pool
from perfgate.compiler.lowering import Lowering
from perfgate.compiler.memory import Timing, plan_buffers
from perfgate.compiler.partial_order import PartialOrder
from perfgate.compiler.passlog import PassLog
from perfgate.compiler.program import Pool, Program, Unhandled
from perfgate.compiler.waste import log_waste
from perfgate.compiler.workgraph import WorkGraph
from perfgate.core.collector import paused_collector

if TYPE_CHECKING:
    from perfgate.compiler.config import CompileConfig
    from perfgate.compiler.runtime import RuntimeConfig
    from perfgate.compiler.workgraph import WorkValue
    from perfgate.core.device import Device
    from perfgate.graph.ir import Graph

_NEEDED = {
    names.TILING: "every matrix kernel needs a tile, chosen where it is costed",
    names.LOWER: "without it there is no program",
}
_ON_DEVICE = (Pool.WEIGHTS, Pool.ACTIVATIONS, Pool.WORKSPACE)


def compile_graph(graph: Graph, config: CompileConfig, runtime: RuntimeConfig, device: Device) -> Program:
    """Compile a graph for a device; the same arguments give the same program, entry by entry.

    Dynamic shapes are one graph and one call each (`input_shape_bindings`). With `tea_cache` the result
    carries the program of a reusing iteration as `step_reuse`.

    Raises:
        OutOfMemoryError: weights and activations exceed the device's memory.
        UsageError: the model names more places than a source code of 48 bits can hold.
    """
    with paused_collector():
        log = PassLog(device)
        tensor = step_cache.stored_tensor(graph, log) if runtime.tea_cache is not None else ""
        program = _Compilation(graph, config, runtime, device).run(log, tensor)
        if not tensor:
            return program
        reuse = _Compilation(graph, config, runtime, device).run(PassLog(device), tensor, reuses=True)
        return msgspec.structs.replace(program, step_reuse=reuse)


class _Compilation:
    """One program on its way through the passes."""

    __slots__ = ("_config", "_device", "_graph", "_kept", "_runtime", "_unhandled", "_work")

    def __init__(self, graph: Graph, config: CompileConfig, runtime: RuntimeConfig, device: Device) -> None:
        self._graph = graph
        self._config = config
        self._runtime = runtime
        self._device = device
        self._work = WorkGraph(graph)
        self._kept: WorkValue | None = None
        self._unhandled: list[Unhandled] = [*config.unhandled, *runtime.unhandled]

    def run(self, log: PassLog, tensor: str, *, reuses: bool = False) -> Program:
        """All passes; `tensor` is kept for later iterations, or comes from an earlier one (`reuses`)."""
        if tensor and reuses:
            self._kept = step_cache.cut(self._work, tensor, self._config, self._device)
        elif tensor:
            step_cache.keep(self._work, tensor)
            self._kept = self._work.values[tensor]
        self._simplify(log)
        self._prepare(log)
        return self._lower(log)

    def _is_on(self, name: str, log: PassLog) -> bool:
        if name not in self._config.disabled_passes:
            return True
        log.note(name, self._graph.name, f"switched-off: pass {name} is disabled")
        log_waste(name, self._work, log)
        return False

    def _simplify(self, log: PassLog) -> None:
        """Passes 1 to 5: only they may change the amount of arithmetic."""
        work = self._work
        if self._is_on(names.CONSTANT_FOLDING, log):
            folding.fold_constants(work, log)
        if self._is_on(names.IDENTITY, log):
            identity.simplify(work, log)
        if self._is_on(names.CSE, log):
            cse.merge_duplicates(work, log)
        if self._is_on(names.DCE, log):
            dce.remove_dead_nodes(work, log)
        if self._is_on(names.LOOP_INVARIANT, log):
            invariants.move_invariants(work, log)

    def _prepare(self, log: PassLog) -> None:
        """Passes 6 to 9: the same arithmetic in fewer kernels, other types, other places."""
        work, config, device = self._work, self._config, self._device
        if self._is_on(names.FUSION, log):
            fusion.fuse(work, log, config, device)
        if config.preprocessing:
            self._unhandled += preprocess.add_preprocessing(work, log, config, device)
        if self._is_on(names.PRECISION, log):
            precision.choose_types(work, log, config, device)
        if self._is_on(names.QUANTISE, log):
            quantise.quantise(work, log, config, device)
        if self._is_on(names.LAYOUT, log):
            layout.assign_layouts(work, log, config, device)

    def _lower(self, log: PassLog) -> Program:
        """Passes 11 and 12; tiles are chosen when a kernel is costed."""
        config, runtime = self._config, self._runtime
        kept = self._kept
        resident = frozenset({kept.name}) if kept is not None and kept.is_input else frozenset()
        lowering = Lowering(self._work, config, self._device, resident)
        lowering.run()
        emission = lowering.emission
        held = self._held()
        is_parallel = runtime.streams > 1 and not config.single_stream
        order = PartialOrder(emission.kernels, held | emission.storage.looped) if is_parallel else None
        timing = Timing(len(emission.kernels), held, order, self._is_on(names.MEMORY, log))
        buffers, extents = plan_buffers(emission.storage, timing)
        extent = sum(extents.get(pool, 0) for pool in _ON_DEVICE)
        log_pool(log, buffers, runtime.memory_pool)
        self._note_needed(log)
        program = Program(
            self._graph.name,
            self._device.name,
            tuple(emission.kernels),
            buffers,
            emission.origins.owners(),
            tuple(log.entries),
            tuple(self._unhandled),
            config.single_stream,
            config.dynamic is not None,
            origins=tuple(emission.origins.origins),
            residues=tuple(self._work.residues),
            files=emission.origins.files,
            buffer_mode=str(config.buffer_mode),
            disabled_passes=tuple(sorted(config.disabled_passes)),
            notes=(*config.notes, *runtime.notes),
            peak_memory=extent,
        )
        check_capacity(program, self._device)
        self._work.dissolve()
        return program

    def _note_needed(self, log: PassLog) -> None:
        """Say which passes stay on although they are disabled: nothing can run without them."""
        for name, why in _NEEDED.items():
            if name in self._config.disabled_passes:
                log.note(name, self._graph.name, f"needed: {why}, so it stays on")
                self._unhandled.append(Unhandled(f"pass {name}", "disabled passes", f"{why}, so it stays on"))

    def _held(self) -> frozenset[int]:
        """Buffers that outlive the program: results, and the tensor that later iterations reuse."""
        values = list(self._work.outputs)
        if self._kept is not None:
            values += [self._kept, *(self._kept.forms or {}).values()]
        return frozenset(value.buffer for value in values if value.buffer >= 0)
