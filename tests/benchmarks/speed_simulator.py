"""Speed of import, compiler and simulator: CPU time of one thread after imports, beside the budgets.

    python -m tests.benchmarks.speed_simulator

Nodes per CPU second end to end at 1,000 and 10,000 nodes with their ratio, ResNet-50, DenseNet-121, the
denoising network with 28 iterations, the simulator alone, and a million samples of noise. Other tools' time
for the same network stands beside where they are installed. Exit 1 when a budget is broken.
"""

from __future__ import annotations

import gc
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import onnx

from perfgate import zoo
from perfgate.compiler.compilation import compile_graph
from perfgate.compiler.config import CompileConfig
from perfgate.compiler.runtime import RuntimeConfig
from perfgate.graph import load
from perfgate.npu.device_file import load_device
from perfgate.npu.noise import PRESETS, NoiseKey, draw_samples
from perfgate.npu.phase import simulate_iterations
from perfgate.npu.simulation import simulate
from tests.benchmarks.graphs import chain
from tests.benchmarks.other_tools import onnx_tool_ms, scale_sim_ms

if TYPE_CHECKING:
    from collections.abc import Callable

DEVICE = "ascend-310p-like"
LIGHT = Path(str(onnx.__file__)).parent / "backend" / "test" / "data" / "light"
REPEATS = 5
LEAST_LINEAR = 0.8  # nodes per second at 10,000 nodes over those at 1,000
LEAST_NODES, LEAST_KERNELS = 30_000, 150_000  # per CPU second


@dataclass(frozen=True, slots=True, kw_only=True)
class Speed:
    """CPU milliseconds (the least of some repeats) of `units` nodes or kernels; budget 0 is none."""

    name: str
    ms: float
    budget_ms: float
    units: int = 0

    @property
    def per_second(self) -> float:
        """Units per CPU second."""
        return self.units / self.ms * 1000

    @property
    def is_kept(self) -> bool:
        """Within the budget."""
        return not self.budget_ms or self.ms <= self.budget_ms

    def line(self) -> str:
        """One row for people."""
        rate = f"  {self.per_second:12,.0f} per second" if self.units else ""
        word = "ok  " if self.is_kept else "OVER"
        budget = f"budget {self.budget_ms:7.1f} ms" if self.budget_ms else " " * 17
        return f"{word} {self.name:38} {self.ms:9.1f} ms  {budget}{rate}"


def cpu_ms(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """Least CPU time of some repeats; garbage of the one before is collected outside."""
    times = []
    for _ in range(repeats):
        gc.collect()
        start = time.process_time()
        work()
        times.append((time.process_time() - start) * 1000)
    return min(times)


def end_to_end(name: str, model: bytes, budget_ms: float = 0.0) -> Speed:
    """Import, compile and simulate."""
    device = load_device(DEVICE)
    nodes = len(load(model, name=name).nodes)

    def work() -> None:
        graph = load(model, name=name)
        runtime = RuntimeConfig()
        program = compile_graph(graph, CompileConfig(), runtime, device)
        simulate_iterations(program, device, runtime)

    return Speed(name=name, ms=cpu_ms(work), budget_ms=budget_ms, units=nodes)


def simulate_only(nodes: int) -> Speed:
    """The simulator alone on a chain of nodes, per kernel."""
    device = load_device(DEVICE)
    program = compile_graph(load(chain(nodes), name="chain"), CompileConfig(), RuntimeConfig(), device)
    kernels = len(program.kernels)
    return Speed(
        name=f"simulate only, {kernels} kernels",
        ms=cpu_ms(lambda: simulate(program, device)),
        budget_ms=kernels / LEAST_KERNELS * 1000,
        units=kernels,
    )


def noise_million() -> Speed:
    """1,000 runs of 1,000 samples."""
    key = NoiseKey(seed=1, benchmark="speed", device=DEVICE)
    work = cpu_ms(lambda: draw_samples(10**10, PRESETS["quiet"], key, runs=range(1000), count=1000))
    return Speed(name="noise, 1,000 x 1,000 samples", ms=work, budget_ms=50.0)


def denoising() -> Speed:
    """Compile and 28 iterations of the denoising network, the import left out."""
    device = load_device(DEVICE)
    graph = load(zoo.build("sd_unet", "poster").SerializeToString(), name="sd_unet")
    runtime = RuntimeConfig()

    def work() -> None:
        program = compile_graph(graph, CompileConfig(layout="NCHW"), runtime, device)
        simulate_iterations(program, device, runtime, 28)

    return Speed(
        name="sd_unet, compile + 28 iterations", ms=cpu_ms(work), budget_ms=60.0, units=len(graph.nodes)
    )


def main() -> int:
    """Print every row; 1 when one is over its budget."""
    resnet = LIGHT / "light_resnet50.onnx"
    per_node = 1000 / LEAST_NODES
    small = end_to_end("chain of 1,000 nodes", chain(1_000), 1_000 * per_node)
    large = end_to_end("chain of 10,000 nodes", chain(10_000), 10_000 * per_node)
    rows = [
        small,
        large,
        end_to_end("resnet50", resnet.read_bytes(), 20.0),
        end_to_end("densenet121", (LIGHT / "light_densenet121.onnx").read_bytes()),
        denoising(),
        simulate_only(2_500),
        noise_million(),
    ]
    for row in rows:
        print(row.line())  # noqa: T201 - a report for people
    ratio = large.per_second / small.per_second
    word = "ok  " if ratio >= LEAST_LINEAR else "OVER"
    print(f"{word} nodes per second, 10,000 over 1,000 nodes: {ratio:.2f} (at least {LEAST_LINEAR})")  # noqa: T201 - the same
    print(f"     onnx-tool, shapes and MACs of resnet50: {onnx_tool_ms(resnet)}")  # noqa: T201 - the same
    print(f"     SCALE-Sim, one layer of resnet50 (196 x 256 x 256): {scale_sim_ms()}")  # noqa: T201 - the same
    return 0 if all(row.is_kept for row in rows) and ratio >= LEAST_LINEAR else 1


if __name__ == "__main__":
    sys.exit(main())
