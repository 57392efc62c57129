"""Matrix products: Gemm, MatMul and their integer forms, Einsum."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.graph.ops.costs import total_bytes
from perfgate.graph.ops.rows import OpFacts, OpKind, Result, Row, Shape, Site, broadcast, product
from perfgate.graph.problems import mismatch

if TYPE_CHECKING:
    from perfgate.graph.ir import Node, Tensor

MATRIX_RANK = 2


def matmul_shape(left: Shape, right: Shape) -> Shape:
    """Numpy's matmul rule: vectors gain an axis and lose it again, leading axes broadcast."""
    if not left or not right:
        raise mismatch("a matrix product needs operands of rank 1 or more")
    rows = left if len(left) > 1 else (1, *left)
    columns = right if len(right) > 1 else (*right, 1)
    if rows[-1] != columns[-2]:
        raise mismatch(
            f"{list(left)} x {list(right)}: axis -1 is {rows[-1]} but axis {-2 if len(right) > 1 else -1} is"
            f" {columns[-2]}"
        )
    batch = broadcast(rows[:-2], columns[:-2])
    result = batch
    if len(left) > 1:
        result += (rows[-2],)
    if len(right) > 1:
        result += (columns[-1],)
    return result


def matrix_facts(
    inputs: list[Tensor | None], outputs: list[Tensor], size: Shape, *, extra: int = 0
) -> OpFacts:
    """Facts of `count` products (m, n, k, count); `extra` counts operations besides the products."""
    m, n, k, count = size
    macs = m * n * k * count
    return OpFacts(
        kind=OpKind.MATRIX,
        macs=macs,
        flops=2 * macs + extra,
        m=m,
        n=n,
        k=k,
        count=count,
        read_bytes=total_bytes(inputs),
        write_bytes=total_bytes(outputs),
    )


def product_size(left: Shape, right: Shape, out: Shape) -> Shape:
    """(m, n, k, count) of a matmul; a right operand without batch folds the left batch into m."""
    k = left[-1]
    n = right[-1] if len(right) > 1 else 1
    if len(right) <= MATRIX_RANK:
        return (product(left[:-1]), n, k, 1)
    m = left[-2] if len(left) > 1 else 1
    batch = out[: len(out) - 2] if len(left) > 1 else out[:-1]
    return (m, n, k, product(batch))


def _matmul(site: Site) -> list[Result]:
    left, right = site.tensor(0), site.tensor(1)
    return [(matmul_shape(left.shape, right.shape), left.dtype)]


def _matmul_cost(_node: Node, inputs: list[Tensor | None], outputs: list[Tensor]) -> OpFacts:
    left, right = inputs[0], inputs[1]
    if left is None or right is None:
        return matrix_facts(inputs, outputs, (0, 0, 0, 0))
    return matrix_facts(inputs, outputs, product_size(left.shape, right.shape, outputs[0].shape))


def _gemm(site: Site) -> list[Result]:
    left, right = site.tensor(0), site.tensor(1)
    if len(left.shape) != MATRIX_RANK or len(right.shape) != MATRIX_RANK:
        raise mismatch(f"Gemm takes matrices, not {list(left.shape)} and {list(right.shape)}")
    m, k = left.shape[::-1] if site.attributes.get("transA") else left.shape
    inner, n = right.shape[::-1] if site.attributes.get("transB") else right.shape
    if k != inner:
        raise mismatch(f"{list(left.shape)} x {list(right.shape)}: inner sizes are {k} and {inner}")
    bias = site.optional(2)
    if bias is not None and broadcast((m, n), bias.shape) != (m, n):
        raise mismatch(f"bias {list(bias.shape)} does not broadcast to {[m, n]}")
    return [((m, n), left.dtype)]


def _gemm_cost(node: Node, inputs: list[Tensor | None], outputs: list[Tensor]) -> OpFacts:
    left = inputs[0]
    m, n = outputs[0].shape
    k = left.shape[0 if node.attributes.get("transA") else 1] if left is not None else 0
    return matrix_facts(inputs, outputs, (m, n, k, 1), extra=m * n if len(inputs) > MATRIX_RANK else 0)


def _matmul_integer(site: Site) -> list[Result]:
    return [(matmul_shape(site.tensor(0).shape, site.tensor(1).shape), "int32")]


def _qlinear_matmul(site: Site) -> list[Result]:
    zero = site.optional(7)
    dtype = zero.dtype if zero is not None else site.tensor(0).dtype
    return [(matmul_shape(site.tensor(0).shape, site.tensor(3).shape), dtype)]


def _qlinear_matmul_cost(_node: Node, inputs: list[Tensor | None], outputs: list[Tensor]) -> OpFacts:
    left, right = inputs[0], inputs[3]
    if left is None or right is None:
        return matrix_facts(inputs, outputs, (0, 0, 0, 0))
    return matrix_facts(inputs, outputs, product_size(left.shape, right.shape, outputs[0].shape))


ROWS: dict[str, Row] = {
    "MatMul": Row(shape=_matmul, cost=_matmul_cost),
    "Gemm": Row(shape=_gemm, cost=_gemm_cost),
    "MatMulInteger": Row(shape=_matmul_integer, cost=_matmul_cost),
    "QLinearMatMul": Row(shape=_qlinear_matmul, cost=_qlinear_matmul_cost),
}
