"""Which operator set versions are understood, and what is said about newer ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.graph.ir import Remark
from perfgate.graph.problems import GraphError, Problem, ProblemCode

if TYPE_CHECKING:
    from perfgate.graph.protobuf import Message

OLDEST, NEWEST = 7, 24


def check_versions(proto: Message, versions: dict[str, int], source: str) -> list[Remark]:
    """Remarks on a version newer than the table's.

    Raises:
        GraphError: the version is outside 7-24 and an operator's own version in it is unknown.
    """
    version = versions.get("", 0)
    if OLDEST <= version <= NEWEST or not _uses_default_domain(proto):
        return []
    if version < OLDEST:
        raise _unsupported(
            f"opset {version} of ai.onnx is outside {OLDEST}-{NEWEST}",
            source,
            f"convert it: onnx.version_converter.convert_version(model, {OLDEST + 6})",
        )
    import onnx.defs  # noqa: PLC0415 - only for models newer than the table

    known = onnx.defs.onnx_opset_version()
    if version > known:
        raise _unsupported(
            f"opset {version} of ai.onnx is outside {OLDEST}-{NEWEST} and onnx here ends at {known}",
            source,
            f"convert it: onnx.version_converter.convert_version(model, {NEWEST})",
        )
    newer = sorted({op for op in _operators(proto) if _since(op, version) > NEWEST and op not in REVIEWED})
    if newer:
        raise _unsupported(
            f"opset {version} of ai.onnx is outside {OLDEST}-{NEWEST} and changes {', '.join(newer)}",
            source,
            f"convert it: onnx.version_converter.convert_version(model, {NEWEST})",
        )
    text = f"opset {version} is newer than {NEWEST}; every operator used has a known version"
    return [Remark("newer-opset", source, text)]


# Operators whose versions 25-28 only widened the element types (onnx changelog), so the rows still hold.
REVIEWED = frozenset({
    "Attention", "BitCast", "BitShift", "Cast", "CastLike", "Celu", "Compress", "Constant", "ConstantOfShape",
    "CumProd", "DepthToSpace", "DequantizeLinear", "Einsum", "Flatten", "Identity", "If", "Loop", "Mod",
    "OneHot", "Pad", "QuantizeLinear", "Range", "ReduceLogSum", "ReduceLogSumExp", "Reshape",
    "ReverseSequence", "Scan", "Shape", "Size", "SpaceToDepth", "Squeeze", "Transpose", "Unique", "Unsqueeze",
})  # fmt: skip


def _uses_default_domain(proto: Message) -> bool:
    return any(node.domain in {"", "ai.onnx"} for node in proto.graph.node)


def _operators(proto: Message) -> set[str]:
    found: set[str] = set()
    pending = [proto.graph.node, *(function.node for function in proto.functions)]
    while pending:
        for node in pending.pop():
            op = node.op_type
            if node.domain in {"", "ai.onnx"} and isinstance(op, str):  # text that is no UTF-8 comes as bytes
                found.add(op)
            pending.extend(item.g.node for item in node.attribute if item.HasField("g"))
    return found


def _since(op: str, version: int) -> int:
    import onnx.defs  # noqa: PLC0415 - only for models newer than the table

    try:
        return int(onnx.defs.get_schema(op, version, "").since_version)
    except onnx.defs.SchemaError:
        return 0  # no standard operator: the importer says so, with the node


def _unsupported(what: str, source: str, remedy: str) -> GraphError:
    return GraphError((Problem(ProblemCode.UNSUPPORTED_OPSET, what, source, remedy),), source=source)
