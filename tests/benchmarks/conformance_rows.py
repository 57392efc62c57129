"""perfgate's own answer to one row of each reference table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from perfgate.compiler.program import Access, Kernel, KernelKind
from perfgate.core.device import Dataflow, MatrixStyle
from perfgate.npu.columns import read_columns
from perfgate.npu.device_file import load_device
from perfgate.npu.kernel_cost import LaunchMode, cost_kernels
from perfgate.npu.matrix_wave import systolic_cycles
from perfgate.npu.traffic import Reuse, measure_traffic

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfgate.core.device import Device

Row = dict[str, str]
_HALF = 2  # bytes of an fp16 element
_OPS = {"softmax": "Softmax", "gelu": "Gelu", "layernorm": "LayerNormalization"}
_PS_PER_US = 1e6


def systolic_device(height: int, width: int, dataflow: str) -> Device:
    """A machine with one systolic array."""
    base = load_device("ascend-310p-like")
    unit = msgspec.structs.replace(
        base.matrix,
        style=MatrixStyle.SYSTOLIC,
        m=height,
        n=width,
        k=1,
        macs_per_cycle=height * width,
        dataflow=Dataflow(dataflow),
    )
    return msgspec.structs.replace(base, matrix=unit, cores=msgspec.structs.replace(base.cores, matrix=1))


def scale_sim_cycles(row: Row) -> int:
    """Compute cycles of one layer."""
    device = systolic_device(int(row["array_h"]), int(row["array_w"]), row["dataflow"])
    sizes = [np.array([int(row[name])]) for name in ("sr", "sc", "t")]
    return int(systolic_cycles(sizes[0], sizes[1], sizes[2], device)[0])


def eager_latency_us(row: Row, device: Device) -> float:
    """One kernel launched by a framework, in microseconds."""
    columns = read_columns([_kernel(row)], device.dma.full_run_bytes)
    traffic = measure_traffic(columns, device, Reuse.OFF)
    costs = cost_kernels(columns, traffic, device, LaunchMode(is_eager=True))
    return int(costs.duration[0]) / _PS_PER_US


def _kernel(row: Row) -> Kernel:
    m, n = int(row["m"]), int(row["n"])
    if row["op"] == "gemm":
        k = int(row["k"])
        sizes = (m * k * _HALF, k * n * _HALF, m * n * _HALF)
        return _one("MatMul", KernelKind.MATRIX, sizes, {"m": m, "n": n, "k": k, "macs": m * n * k})
    size = m * n * _HALF
    is_row = row["op"] != "gelu"
    work = {"vector_work": 12 * m * n, "row": n if is_row else 0}
    return _one(_OPS[row["op"]], KernelKind.VECTOR, (size, size), work)


def _one(op: str, kind: KernelKind, sizes: tuple[int, ...], work: dict[str, int]) -> Kernel:
    reads = tuple(Access(number, size) for number, size in enumerate(sizes[:-1]))
    kernel = Kernel(
        index=0,
        name=op,
        op=op,
        kind=kind,
        variant=op,
        dtype="float16",
        owner=-1,
        dependencies=(),
        reads=reads,
        writes=(Access(len(reads), sizes[-1]),),
    )
    return msgspec.structs.replace(kernel, **work)


def node_macs(rows: Iterable[Row]) -> tuple[list[tuple[Row, int]], tuple[str, ...]]:
    """Counted multiply-accumulates of each row, and the models that are not installed."""
    import onnx  # noqa: PLC0415 - 120 ms, only for this table

    from perfgate.graph import load  # noqa: PLC0415 - needs onnx
    from perfgate.graph.ops.table import TABLE  # noqa: PLC0415 - needs onnx

    folder = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
    counted: dict[tuple[str, str], int] = {}
    absent = []
    wanted = list(rows)
    for model in dict.fromkeys(row["model"] for row in wanted):
        path = folder / f"{model}.onnx"
        if not path.is_file():
            absent.append(model)
            continue
        graph = load(path)
        for node in graph.nodes:
            if node.op not in TABLE:
                continue
            inputs = [graph.tensors[name] if name else None for name in node.inputs]
            outputs = [graph.tensors[name] for name in node.outputs if name]
            counted[model, node.outputs[0]] = TABLE[node.op].cost(node, inputs, outputs).macs
    found = [
        (row, counted.get((row["model"], row["output"]), -1)) for row in wanted if row["model"] not in absent
    ]
    return found, tuple(absent)
