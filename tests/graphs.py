"""Graphs drawn by hand, for tests of the compiler."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from perfgate.compiler.compilation import compile_graph
from perfgate.compiler.config import CompileConfig
from perfgate.compiler.passlog import PassLog
from perfgate.compiler.runtime import RuntimeConfig
from perfgate.compiler.workgraph import WorkGraph
from perfgate.graph.ir import Graph, Node, Place, Tensor, TensorKind
from perfgate.npu.device_file import load_device

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from perfgate.compiler.program import Program
    from perfgate.core.device import Device
    from perfgate.core.pass_entry import PassEntry

PLAIN, HALF = "float32", "float16"
BLOCKED_DEVICE, GPU = "ascend-310p-like", "a100-like"


class Drawing:
    """Collects nodes in order; each method answers with the name of a tensor."""

    def __init__(self, dtype: str = HALF) -> None:
        self._dtype = dtype
        self._nodes: list[Node] = []
        self._tensors: dict[str, Tensor] = {}
        self._inputs: list[str] = []

    def input(self, name: str, *shape: int, dtype: str = "") -> str:
        """A model input."""
        self._tensors[name] = Tensor(name, shape, dtype or self._dtype, TensorKind.INPUT)
        self._inputs.append(name)
        return name

    def weight(self, name: str, *shape: int, dtype: str = "") -> str:
        """A weight without bytes."""
        self._tensors[name] = Tensor(name, shape, dtype or self._dtype, TensorKind.WEIGHT)
        return name

    def constant(self, name: str, value: Any) -> str:  # noqa: ANN401 - numbers, nested or not
        """A weight with its value."""
        array = np.asarray(value)
        self._tensors[name] = Tensor(name, array.shape, array.dtype.name, TensorKind.WEIGHT, array)
        return name

    def add(
        self,
        op: str,
        inputs: Sequence[str],
        name: str,
        shape: Sequence[int] | None = None,
        **facts: Any,  # noqa: ANN401 - attributes
    ) -> str:
        """A node with one output, of the first input's shape unless `shape` says otherwise."""
        return self.split(
            op, inputs, (name,), (tuple(self._tensors[inputs[0]].shape if shape is None else shape),), **facts
        )[0]

    def split(
        self,
        op: str,
        inputs: Sequence[str],
        names: Sequence[str],
        shapes: Sequence[tuple[int, ...]],
        **facts: Any,  # noqa: ANN401 - attributes
    ) -> tuple[str, ...]:
        """A node with several outputs. `repeat`, `estimated` and `dtype` of the facts are no attributes."""
        index = len(self._nodes)
        dtype = facts.pop("dtype", self._tensors[inputs[0]].dtype if inputs else self._dtype)
        repeat, is_estimated = facts.pop("repeat", 1), facts.pop("estimated", False)
        for name, shape in zip(names, shapes, strict=True):
            self._tensors[name] = Tensor(name, shape, dtype)
        self._nodes.append(
            Node(
                index, names[0], op, "", tuple(inputs), tuple(names), facts, f"model.{names[0]}",
                Place("model.py", index + 10, 5), repeat, is_estimated,
            )
        )  # fmt: skip
        return tuple(names)

    def conv(self, source: str, name: str, channels: int, kernel: int = 3, **facts: Any) -> str:  # noqa: ANN401 - attributes
        """A convolution with "same" padding and without bias."""
        shape = self._tensors[source].shape
        group = facts.get("group", 1)
        weight = self.weight(f"{name}.weight", channels, shape[1] // group, kernel, kernel)
        return self.add(
            "Conv", [source, weight], name, (shape[0], channels, *shape[2:]),
            kernel_shape=(kernel, kernel), pads=(kernel // 2,) * 4, **facts,
        )  # fmt: skip

    def batch_norm(self, source: str, name: str) -> str:
        """A batch norm with constant parameters."""
        channels = self._tensors[source].shape[1]
        parts = [self.weight(f"{name}.{part}", channels) for part in ("scale", "shift", "mean", "variance")]
        return self.add("BatchNormalization", [source, *parts], name)

    def matmul(self, source: str, name: str, width: int) -> str:
        """Rows times a weight."""
        shape = self._tensors[source].shape
        return self.add(
            "MatMul", [source, self.weight(f"{name}.weight", shape[-1], width)], name, (*shape[:-1], width)
        )

    def shape(self, name: str) -> tuple[int, ...]:
        """Sizes of a tensor."""
        return self._tensors[name].shape

    def graph(self, *outputs: str, **metadata: str) -> Graph:
        """The finished graph."""
        return Graph(
            "drawn",
            tuple(self._nodes),
            dict(self._tensors),
            tuple(self._inputs),
            outputs,
            metadata,
            (),
            21,
            "0" * 64,
        )


def device(name: str = BLOCKED_DEVICE) -> Device:
    """A device of the package."""
    return load_device(name)


def compiled(
    graph: Graph,
    *,
    on: str = BLOCKED_DEVICE,
    runtime: RuntimeConfig | None = None,
    **config: Any,  # noqa: ANN401 - fields
) -> Program:
    """Compile with the given fields of the configuration."""
    return compile_graph(graph, CompileConfig(**config), runtime or RuntimeConfig(), device(on))


def passed(graph: Graph, run: Callable[[WorkGraph, PassLog], None]) -> tuple[WorkGraph, list[PassEntry]]:
    """Run one pass alone; the graph after it and the entries it wrote."""
    work, log = WorkGraph(graph), PassLog(device())
    run(work, log)
    return work, log.entries


def entries(program: Program, pass_name: str, *, applied: bool | None = None) -> list[PassEntry]:
    """Entries of one pass."""
    return [e for e in program.pass_log if e.pass_name == pass_name and applied in {None, e.applied}]


def codes(program: Program, pass_name: str) -> list[str]:
    """Refusal codes of one pass, in order."""
    return [entry.reason.split(":")[0] for entry in entries(program, pass_name, applied=False)]


def ops(program: Program) -> list[str]:
    """Operators of the kernels without the copies of inputs and outputs."""
    return [kernel.op for kernel in program.kernels if kernel.op != "Copy" or kernel.implicit]


def light_models() -> list[Path]:
    """Real networks that ship inside the onnx package."""
    import onnx  # noqa: PLC0415 - 120 ms, only for tests that need them

    return sorted(Path(onnx.__file__).parent.joinpath("backend/test/data/light").glob("light_*.onnx"))
