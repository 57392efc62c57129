"""The compiler's entry: from a graph to a program, pass by pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.compiler import cse, dce, folding, fusion, identity, layout, precision
from perfgate.compiler.lowering import Lowering
from perfgate.compiler.memory import plan_buffers
from perfgate.compiler.passlog import PassLog
from perfgate.compiler.program import Program
from perfgate.compiler.workgraph import WorkGraph

if TYPE_CHECKING:
    from perfgate.compiler.config import CompileConfig
    from perfgate.compiler.runtime import RuntimeConfig
    from perfgate.core.device import Device
    from perfgate.graph.ir import Graph


def compile_graph(graph: Graph, config: CompileConfig, runtime: RuntimeConfig, device: Device) -> Program:
    """Compile a graph for a device."""
    work = WorkGraph(graph)
    log = PassLog(device)
    off = config.disabled_passes
    if folding.NAME not in off:
        folding.fold_constants(work, log)
    if identity.NAME not in off:
        identity.simplify(work, log)
    if cse.NAME not in off:
        cse.merge_duplicates(work, log)
    if dce.NAME not in off:
        dce.remove_dead_nodes(work, log)
    if fusion.NAME not in off:
        fusion.fuse(work, log, config, device)
    precision.choose_types(work, log, config, device)
    layout.assign_layouts(work, log, config, device)
    lowering = Lowering(work, config, device)
    lowering.run()
    held = frozenset(value.buffer for value in work.outputs if value.buffer >= 0)
    buffers = plan_buffers(lowering.storage, len(lowering.kernels), held)
    return Program(
        graph.name, device.name, tuple(lowering.kernels), buffers, lowering.origins.owners(), tuple(log.entries),
        (*config.unhandled, *runtime.unhandled), origins=tuple(lowering.origins.origins), residues=tuple(work.residues),
        files=lowering.origins.files,
    )  # fmt: skip
