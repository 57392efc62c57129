"""Pass 6, fusion: what follows a matrix operator or a norm joins its kernel; the rest forms vector chains.

A fused kernel reads each outside operand once and writes once; its gain is nothing but that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from perfgate.compiler.attention import absorb_transposes, fuse_attention
from perfgate.compiler.chains import fuse_chains
from perfgate.compiler.opclass import ACTIVATIONS, CONVOLUTIONS, ELEMENTWISE, MATRIX, NORMS
from perfgate.compiler.passnames import FUSION
from perfgate.compiler.recognise import recognise
from perfgate.compiler.switches import Fusion
from perfgate.compiler.workgraph import share_kernel

if TYPE_CHECKING:
    from perfgate.compiler.config import CompileConfig
    from perfgate.compiler.passlog import PassLog
    from perfgate.compiler.workgraph import WorkGraph, WorkNode, WorkValue
    from perfgate.core.device import Device

_EPILOGUE_MATRIX = frozenset({"Conv", "ConvTranspose", "MatMul", "Gemm"})
_ANCHORS = _EPILOGUE_MATRIX | NORMS


class Rules(NamedTuple):
    """What one anchor may take in: the switch that governs each part."""

    batch_norm: Fusion | None
    bias: Fusion | None
    add: Fusion | None
    activation: Fusion
    scale: Fusion | None = None


_CONV = Rules(Fusion.CONV_BATCH_NORM, None, Fusion.CONV_ADD, Fusion.CONV_ACTIVATION, Fusion.CONV_BATCH_NORM)
_PRODUCT = Rules(None, Fusion.MATMUL_BIAS, Fusion.MATMUL_ADD, Fusion.MATMUL_ACTIVATION)
_NORM = Rules(None, None, None, Fusion.NORM_ACTIVATION)
_BATCH_NORM = Rules(None, None, None, Fusion.NORM_ACTIVATION, Fusion.CONV_BATCH_NORM)


class Fuser:
    """One run of the pass: graph, log and switches at hand for all patterns."""

    __slots__ = ("log", "off", "pins", "work")

    def __init__(self, work: WorkGraph, log: PassLog, config: CompileConfig) -> None:
        self.work = work
        self.log = log
        self.off = config.fusion_off
        self.pins = config.type_layouts

    def refuse(self, anchor: WorkNode, user: WorkNode, code: str, sentence: str) -> None:
        """Log a candidate that stays alone."""
        self.log.refused(
            FUSION, anchor, code, f"{sentence}; {anchor.op} stays alone", (anchor.label, user.label)
        )

    def take(self, anchor: WorkNode, member: WorkNode, inner: WorkValue, what: str) -> None:
        """Fuse a member and log it: the inner value is neither written nor read any more."""
        before = (anchor.label, member.label)
        self.work.absorb(anchor, member, inner, step=(FUSION, "fused"))
        self.log.applied(
            FUSION, anchor, what, before=before, after=(anchor.label,), saved=(2 * inner.size, 1)
        )


def fuse(work: WorkGraph, log: PassLog, config: CompileConfig, device: Device) -> None:
    """Recognise functions written as primitives, then fuse: attention, matrix epilogues, norms, chains."""
    fuser = Fuser(work, log, config)
    recognise(fuser)
    absorb_transposes(fuser)
    fuse_attention(fuser, device)
    for node in work.nodes():
        if node.slot < 0:
            continue
        op = node.op
        if op in _ANCHORS:
            _fuse_epilogue(fuser, node, _rules_of(op))
    fuse_chains(fuser, device)


def _rules_of(op: str) -> Rules:
    if op in CONVOLUTIONS:
        return _CONV
    if op in MATRIX:
        return _PRODUCT
    return _BATCH_NORM if op == "BatchNormalization" else _NORM


_START, _SHIFTED, _SUMMED, _DONE = range(4)  # how far a kernel has grown


def _fuse_epilogue(fuser: Fuser, anchor: WorkNode, rules: Rules) -> None:
    """Take in [batch norm] [bias] [residual] [activation], in this order, as far as the graph allows."""
    stage = _START
    while stage < _DONE:
        inner = anchor.outputs[0]
        user = _only_user(fuser, anchor, inner, rules)
        if user is None:
            return
        stage = _grow(fuser, (anchor, user, inner), rules, stage)


def _grow(fuser: Fuser, parts: tuple[WorkNode, WorkNode, WorkValue], rules: Rules, stage: int) -> int:
    """Take in the one user of the kernel's result, if it may follow; the answer is the next stage."""
    anchor, user, inner = parts
    if user.op == "BatchNormalization" and rules.batch_norm and stage == _START:
        return _SHIFTED if _take_batch_norm(fuser, anchor, user, inner, rules.batch_norm) else _DONE
    if rules.scale and stage < _SUMMED and is_scale(user, inner):
        return _SHIFTED if _take_scale(fuser, anchor, user, inner, rules.scale) else _DONE
    if is_sum(user) and rules.add and stage < _SUMMED:
        return _take_add(fuser, anchor, user, inner, rules)
    if user.op in ACTIVATIONS:
        _take_activation(fuser, anchor, user, inner, rules.activation)
    elif user.op in ELEMENTWISE and stage == _START:
        fuser.refuse(anchor, user, "unknown-op", f"{user.op} is not an activation this fusion knows")
    return _DONE


def _only_user(fuser: Fuser, anchor: WorkNode, inner: WorkValue, rules: Rules) -> WorkNode | None:
    """The one user of the inner value; several users, or a model output, block the fusion with an entry."""
    users = inner.consumers
    if not users:
        return None
    if len(users) == 1 and not inner.is_output:
        return users[0] if share_kernel(users[0], anchor) else None
    fusable = next((user for user in users if _could_follow(user, rules)), None)
    if inner.is_output:
        if fusable is not None:
            fuser.refuse(anchor, fusable, "graph-output", f"{inner.name} is an output of the model")
        return None
    if fusable is not None:
        fuser.refuse(
            anchor, fusable, "multi-consumer", f"{inner.name} has {len(users)} users, so it must be written"
        )
        return None
    unknown = [user for user in users if user.op in ELEMENTWISE]
    if unknown:
        last = unknown[-1]
        fuser.refuse(anchor, last, "unknown-op", f"{last.op} is not an activation this fusion knows")
    return None


def _could_follow(user: WorkNode, rules: Rules) -> bool:
    op = user.op
    return (
        op in ACTIVATIONS
        or (rules.add is not None and is_sum(user))
        or (op == "BatchNormalization" and rules.batch_norm is not None)
    )


def is_scale(node: WorkNode, inner: WorkValue) -> bool:
    """A product or sum with one constant per channel (axis 1) or with a single one."""
    if node.op not in {"Mul", "Add"} or len(node.inputs) != 2:  # noqa: PLR2004 - two operands
        return False
    other = node.inputs[1] if node.inputs[0] is inner else node.inputs[0]
    if other is None or not other.is_constant or node.outputs[0].shape != inner.shape:
        return False
    if other.elements == 1:
        return True
    after = len(inner.shape) - 2  # axes behind the channels
    shape = other.shape
    return len(shape) > after and shape[-after - 1] == inner.shape[1] == other.elements


def is_sum(node: WorkNode) -> bool:
    """An addition of two operands, under either of its names."""
    return node.op == "Add" or (node.op == "Sum" and len(node.inputs) == 2)  # noqa: PLR2004 - two operands


def _is_on(fuser: Fuser, fusion: Fusion, anchor: WorkNode, user: WorkNode) -> bool:
    if fusion not in fuser.off:
        return True
    fuser.refuse(anchor, user, "switched-off", f"{fusion} is off in the fusion switch file")
    return False


def _take_batch_norm(
    fuser: Fuser, anchor: WorkNode, norm: WorkNode, inner: WorkValue, fusion: Fusion
) -> bool:
    """Fold a batch norm into weights and bias: at run time nothing of it is left."""
    if not _is_on(fuser, fusion, anchor, norm):
        return False
    if any(operand is None or not operand.is_constant for operand in norm.inputs[1:]):
        fuser.refuse(anchor, norm, "no-value", "its scale or shift is computed at run time")
        return False
    pins = fuser.pins
    if pins and pins.get(norm.op, "") != pins.get(anchor.op, ""):
        fuser.refuse(
            anchor, norm, "layout-differs", f"{norm.op} is pinned to another layout than {anchor.op}"
        )
        return False
    if any(value.consumers for value in norm.outputs[1:]):
        fuser.refuse(anchor, norm, "multi-consumer", "its statistics are used")
        return False
    operands = len(anchor.inputs)
    fuser.take(anchor, norm, inner, "batch norm folded into the weights")
    del anchor.inputs[operands:]
    anchor.outputs = anchor.outputs[:1]
    anchor.epilogue.pop()
    _ensure_bias(fuser, anchor)
    return True


def _take_scale(fuser: Fuser, anchor: WorkNode, user: WorkNode, inner: WorkValue, fusion: Fusion) -> bool:
    """Fold constants per channel into the weights or the norm's own scale and shift."""
    if not _is_on(fuser, fusion, anchor, user):
        return False
    operands = len(anchor.inputs)
    fuser.take(anchor, user, inner, f"{user.op} per channel folded into the weights")
    del anchor.inputs[operands:]
    anchor.epilogue.pop()
    if user.op == "Add" and anchor.op in CONVOLUTIONS:
        _ensure_bias(fuser, anchor)
    return True


def _ensure_bias(fuser: Fuser, anchor: WorkNode) -> None:
    """A convolution that folds a shift needs a bias, with one element per channel."""
    if len(anchor.inputs) > 2 and anchor.inputs[2] is not None:  # noqa: PLR2004 - data and weight come first
        return
    result = anchor.outputs[0]
    bias = fuser.work.new_value(f"{result.name}.bias", (result.shape[1],), result.dtype, constant=True)
    anchor.inputs[2:3] = [bias]


def _take_add(fuser: Fuser, anchor: WorkNode, add: WorkNode, inner: WorkValue, rules: Rules) -> int:
    """Fuse a bias (a constant) or a residual; the answer is the next stage."""
    other = add.inputs[1] if add.inputs[0] is inner else add.inputs[0]
    if other is None or other is inner:
        fuser.refuse(anchor, add, "multi-consumer", f"{inner.name} is added to itself")
        return _DONE
    is_bias = other.is_constant
    fusion = rules.bias if is_bias and rules.bias else rules.add
    if fusion is None or not _is_on(fuser, fusion, anchor, add):
        return _DONE
    if add.outputs[0].shape != inner.shape:
        fuser.refuse(anchor, add, "shape-change", f"{list(inner.shape)} becomes {list(add.outputs[0].shape)}")
        return _DONE
    if is_bias:
        fuser.take(anchor, add, inner, "bias added while the result is stored")
        return _SHIFTED
    fuser.take(anchor, add, inner, "residual added while the result is stored")
    anchor.residual = other
    return _SUMMED


def _take_activation(
    fuser: Fuser, anchor: WorkNode, user: WorkNode, inner: WorkValue, fusion: Fusion
) -> None:
    if not _is_on(fuser, fusion, anchor, user):
        return
    if user.outputs[0].shape != inner.shape:
        fuser.refuse(
            anchor, user, "shape-change", f"{list(inner.shape)} becomes {list(user.outputs[0].shape)}"
        )
        return
    if user.inputs[0] is not inner:
        fuser.refuse(anchor, user, "unknown-op", f"the value is a parameter of {user.op}, not its data")
        return
    fuser.take(anchor, user, inner, f"{user.op} applied while the result is stored")
