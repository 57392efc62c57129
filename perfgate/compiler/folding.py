"""Pass 1, constant folding: what depends on constants alone is computed when compiling."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from perfgate.compiler.opclass import BORDERS
from perfgate.compiler.origin import ResidueKind
from perfgate.compiler.passnames import CONSTANT_FOLDING
from perfgate.graph.ir import Tensor, TensorKind
from perfgate.graph.ops.rows import Site
from perfgate.graph.ops.table import row_of
from perfgate.graph.problems import Refusal

if TYPE_CHECKING:
    from perfgate.compiler.passlog import PassLog
    from perfgate.compiler.workgraph import WorkGraph, WorkNode

MOST_BYTES = 1 << 20  # larger results are kept as shape only, SIMULATOR section 4
RANDOM = frozenset({
    "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Bernoulli", "Multinomial",
})  # fmt: skip
_MOST_TEXT = 60


def fold_constants(work: WorkGraph, log: PassLog) -> None:
    """Turn results of all-constant nodes into constants; topological order makes one walk enough."""
    for node in work.slots:
        if node is None:
            continue
        outputs = node.outputs
        if not outputs:
            continue
        if outputs[0].value is None and (not _has_constant_inputs(node) or node.op in BORDERS):
            continue
        if outputs[0].is_output:
            log.refused(
                CONSTANT_FOLDING, node, "graph-output", f"{outputs[0].name} is an output of the model"
            )
            continue
        _fold(work, log, node)


def _has_constant_inputs(node: WorkNode) -> bool:
    inputs = node.inputs
    if not inputs:
        return True
    for operand in inputs:  # noqa: SIM110 - all() costs a generator per node; most nodes fail on the first
        if operand is not None and not operand.is_constant:
            return False
    return True


def _fold(work: WorkGraph, log: PassLog, node: WorkNode) -> None:
    if node.op in RANDOM:
        log.refused(CONSTANT_FOLDING, node, "random-op", f"{node.op} draws new values at each execution")
        return
    if node.sources[0].is_estimated:
        log.refused(CONSTANT_FOLDING, node, "no-value", f"{node.op} is not an operator whose effect is known")
        return
    reason = _evaluate(node, work.graph.opset)
    expression = _expression(node)
    saved = sum(value.size for value in node.outputs)
    for value in node.outputs:
        value.is_constant = True
        value.producer = None
        value.consumers = []
    work.remove(node)
    work.bury(node, ResidueKind.CONSTANT, expression)
    log.applied(
        CONSTANT_FOLDING, node, f"{reason}: {expression}", after=(node.outputs[0].name,), saved=(saved, 1)
    )


def _evaluate(node: WorkNode, opset: int) -> str:
    """Give the outputs their values where possible; the answer says how it went."""
    outputs = node.outputs
    if all(value.value is not None for value in outputs):
        return "evaluated"
    if any(value.size > MOST_BYTES for value in outputs):
        return "too-large for a value, folded as shape only"
    operands = [operand for operand in node.inputs if operand is not None]
    if any(operand.value is None for operand in operands):
        return "no-value of an operand, folded as shape only"
    results = _computed(node, opset)
    if results is None:
        return "no-value rule for this operator, folded as shape only"
    for value, result in zip(outputs, results, strict=False):
        if result is not None and tuple(result.shape) == value.shape:
            value.value = result
    return "evaluated"


def _computed(node: WorkNode, opset: int) -> list[Any] | None:
    row = row_of(node.op, node.sources[0].domain)
    if row is None or row.value is None:
        return None
    tensors = [
        None
        if operand is None
        else Tensor(operand.name, operand.shape, operand.dtype, TensorKind.WEIGHT, operand.value)
        for operand in node.inputs
    ]
    site = Site(node.op, tensors, node.attributes, len(node.outputs), opset)
    results = [(value.shape, value.dtype) for value in node.outputs]
    try:
        with np.errstate(all="ignore"):  # a model may divide by zero; that is its value, not our fault
            return row.value(site, results)
    except (Refusal, TypeError, ValueError, OverflowError):
        return None  # operand types the rule was not made for (bfloat16, strings): cost is the same without


def _expression(node: WorkNode) -> str:
    parts = []
    for operand in node.inputs:
        if operand is None:
            continue
        value = operand.value
        if value is not None and value.size == 1:
            parts.append(str(value.ravel()[0].item()))
        else:
            parts.append(operand.name)
    text = f"{node.op}({', '.join(parts)})"
    return text if len(text) <= _MOST_TEXT else text[: _MOST_TEXT - 3] + "..."
