"""Pass 7, precision: the element type each operator computes in, and a Cast wherever types meet.

Before layout, because strides are in bytes. The store path of any kernel and the load path of a vector kernel
convert for nothing; a matrix kernel cannot convert what it loads, so only there a Cast becomes a kernel.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from perfgate.compiler.opclass import MATRIX, NORMS, SOFTMAXES, VIEWS
from perfgate.compiler.passnames import PRECISION
from perfgate.compiler.workgraph import inserted

if TYPE_CHECKING:
    from perfgate.compiler.config import CompileConfig
    from perfgate.compiler.passlog import PassLog
    from perfgate.compiler.workgraph import WorkGraph, WorkNode, WorkValue
    from perfgate.core.device import Device

_FLOATS = frozenset({"float64", "float32", "float16", "bfloat16"})

# Vector operators that mixed precision keeps in fp32: sums over many elements and steep functions.
KEPT_WIDE = NORMS | SOFTMAXES | frozenset({
    "Exp", "Log", "Pow", "Erf", "Softplus", "ReduceSum", "ReduceMean", "ReduceL1", "ReduceL2", "ReduceLogSum",
    "ReduceLogSumExp", "ReduceSumSquare", "ReduceProd", "CumSum", "Reciprocal", "Sqrt",
})  # fmt: skip


# These copy bytes or only rename them, so they have no type of their own.
PASSES_TYPE_ON = VIEWS | frozenset({
    "Transpose", "Concat", "Split", "Slice", "Pad", "Gather", "GatherElements", "GatherND", "Expand", "Tile",
    "LoopEnter", "LoopExit", "DepthToSpace", "SpaceToDepth", "Identity", "Dropout",
})  # fmt: skip


class PrecisionMode(StrEnum):
    """Values of the two precision flags, by what they do."""

    FP16 = "force_fp16"
    FP32 = "force_fp32"
    ORIGIN = "must_keep_origin_dtype"
    ALLOW_FP16 = "allow_fp32_to_fp16"
    ALLOW_BF16 = "allow_fp32_to_bf16"
    MATRIX_FP16_OUT_FP32 = "cube_fp16in_fp32out"
    MIXED_FP16 = "allow_mix_precision"
    MIXED_BF16 = "mixed_bfloat16"


class Types(NamedTuple):
    """Element types of a mode; "" keeps the model's own type."""

    matrix: str
    vector: str
    wide_vector: str  # of the operators in KEPT_WIDE
    stored: str = ""  # what matrix kernels store, when it is not what they compute in


_TYPES: dict[PrecisionMode, Types] = {
    PrecisionMode.FP16: Types("float16", "float16", "float16"),
    PrecisionMode.FP32: Types("float32", "float32", "float32"),
    PrecisionMode.ORIGIN: Types("", "", ""),
    PrecisionMode.ALLOW_FP16: Types("float16", "", ""),
    PrecisionMode.ALLOW_BF16: Types("bfloat16", "", ""),
    PrecisionMode.MATRIX_FP16_OUT_FP32: Types("float16", "float32", "float32", "float32"),
    PrecisionMode.MIXED_FP16: Types("float16", "float16", "float32"),
    PrecisionMode.MIXED_BF16: Types("bfloat16", "bfloat16", "float32"),
}


def choose_types(work: WorkGraph, log: PassLog, config: CompileConfig, device: Device) -> None:
    """Give every float value the type it is stored in and every node the type it computes in."""
    types = _supported(_TYPES[config.precision], log, device)
    chooser = _Chooser(work, types)
    for node in work.slots:
        if node is not None:
            chooser.visit(node)
    chooser.finish_outputs(config.output_type)
    work.reorder(chooser.order)
    for node, value in chooser.casts:
        log.applied(
            PRECISION, node, f"{value.name}: neither the store path before nor the load path behind converts",
            after=(f"Cast {value.name}",), saved=(-2 * value.size, -1),
        )  # fmt: skip


def _supported(types: Types, log: PassLog, device: Device) -> Types:
    if types.matrix and device.matrix_rate(types.matrix) == 0.0:
        log.note(
            PRECISION,
            device.name,
            f"unsupported-type: {device.name} has no {types.matrix}, the model's types stay",
        )
        return _TYPES[PrecisionMode.ORIGIN]
    return types


class _Chooser:
    """One walk in topological order; operands have their stored type when a node is visited."""

    __slots__ = ("_is_uniform", "_shared", "_types", "_work", "casts", "order")

    def __init__(self, work: WorkGraph, types: Types) -> None:
        self._work = work
        self._types = types
        self._is_uniform = types.matrix == types.vector == types.wide_vector
        self._shared: dict[tuple[str, str], WorkValue] = {}
        self.casts: list[tuple[WorkNode, WorkValue]] = []
        self.order: list[WorkNode] = []

    def _wanted(self, node: WorkNode) -> str:
        """Element type the node computes in; "" is the model's own."""
        types = self._types
        if node.op in MATRIX:
            return types.matrix
        return types.wide_vector if node.op in KEPT_WIDE else types.vector

    def visit(self, node: WorkNode) -> None:
        """Type the operands, then the results."""
        if node.op in PASSES_TYPE_ON:
            self._pass_on(node)
            return
        is_matrix = node.op in MATRIX
        wanted = self._wanted(node)
        if wanted:
            for position, operand in enumerate(node.inputs):
                if operand is None or operand.dtype == wanted or operand.dtype not in _FLOATS:
                    continue
                if operand.is_constant:
                    operand.dtype = wanted
                elif is_matrix:
                    self._cast(node, position, operand, wanted)
        own = ""
        for value in node.outputs:
            if value.dtype in _FLOATS:
                own = wanted or value.dtype
                if not value.is_output:
                    value.dtype = own if self._is_uniform else self._stored(value, own, is_matrix)
        node.dtype = own or (node.outputs[0].dtype if node.outputs else "")
        self.order.append(node)

    def _pass_on(self, node: WorkNode) -> None:
        """A view or move keeps the type of its operand: of the same position at the border of a loop."""
        inputs, outputs = node.inputs, node.outputs
        is_border = len(outputs) > 1 and len(inputs) > 1 and node.op != "Split"
        for position, value in enumerate(outputs):
            operand = (
                inputs[position] if is_border and position < len(inputs) else inputs[0] if inputs else None
            )
            if operand is not None and operand.is_constant and len(inputs) > 1 and not is_border:
                operand = next(
                    (o for o in inputs if o is not None and not o.is_constant and o.dtype in _FLOATS), operand
                )
            if operand is not None and operand.dtype in _FLOATS and value.dtype in _FLOATS:
                value.dtype = operand.dtype
        node.dtype = outputs[0].dtype if outputs else ""
        self.order.append(node)

    def finish_outputs(self, output_type: str) -> None:
        """Outputs of the model in the asked type, else their declared one: by a store path or a Cast."""
        work = self._work
        for position, value in enumerate(work.outputs):
            wanted = output_type or value.tensor.dtype
            producer = value.producer
            if producer is None or value.dtype == wanted:
                continue
            if producer.op not in PASSES_TYPE_ON and not value.consumers:
                value.dtype = wanted
                continue
            result = work.new_value(f"{value.name}.{wanted}", value.shape, wanted)
            cast = inserted("Cast", producer, value, result, (PRECISION, "inserted"))
            cast.dtype = wanted
            value.consumers.append(cast)
            self.order.append(cast)
            self.casts.append((producer, result))
            work.outputs[position] = result
            result.is_output, value.is_output = True, False

    def _stored(self, value: WorkValue, own: str, is_matrix: bool) -> str:  # noqa: FBT001 - private
        """The one type that all users compute in, else the producer's: a store path converts for nothing."""
        wishes = {
            self._wanted(user) or value.tensor.dtype
            for user in value.consumers
            if user.op not in PASSES_TYPE_ON
        }
        if len(wishes) == 1:
            return wishes.pop()
        return self._types.stored if is_matrix and self._types.stored else own

    def _cast(self, node: WorkNode, position: int, operand: WorkValue, wanted: str) -> None:
        shared = self._shared.get((operand.name, wanted))
        if shared is None:
            shared = self._work.new_value(f"{operand.name}.{wanted}", operand.shape, wanted)
            cast = inserted("Cast", node, operand, shared, (PRECISION, "inserted"))
            cast.dtype = wanted
            operand.consumers.append(cast)
            self._shared[operand.name, wanted] = shared
            self.order.append(cast)
            self.casts.append((node, shared))
        operand.consumers.remove(node)
        shared.consumers.append(node)
        node.inputs[position] = shared
        if node.residual is operand:
            node.residual = shared
