"""Programs made by hand or drawn at random, for tests of the cost model and the scheduler."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import msgspec
from hypothesis import strategies as st

from perfgate.compiler.program import Access, Buffer, Kernel, KernelKind, Owner, Pool, Program

if TYPE_CHECKING:
    from collections.abc import Sequence

_HALF = 2
_EVEN = 0.5
_DEVICE_KINDS = (KernelKind.MATRIX, KernelKind.VECTOR, KernelKind.LAYOUT)
_LINK_KINDS = (KernelKind.H2D, KernelKind.D2H, KernelKind.HOST)


def make_kernel(index: int, kind: KernelKind, dependencies: Sequence[int] = (), **fields: object) -> Kernel:
    """A kernel that reads buffer `index` and writes buffer `index + 1`, unless `fields` says otherwise."""
    kernel = Kernel(
        index=index,
        name=f"k{index}",
        op="Relu",
        kind=kind,
        variant="",
        dtype="float16",
        owner=0,
        dependencies=tuple(dependencies),
        reads=(Access(index, 1024),),
        writes=(Access(index + 1, 1024),),
    )
    return msgspec.structs.replace(kernel, **fields)


def matmul(index: int, m: int, n: int, k: int, dependencies: Sequence[int] = ()) -> Kernel:
    """A matrix product in fp16 whose operands are buffers of their own."""
    return make_kernel(
        index,
        KernelKind.MATRIX,
        dependencies,
        op="MatMul",
        m=m,
        n=n,
        k=k,
        macs=m * n * k,
        reads=(Access(3 * index, m * k * _HALF), Access(3 * index + 1, k * n * _HALF)),
        writes=(Access(3 * index + 2, m * n * _HALF),),
    )


def make_program(kernels: Sequence[Kernel], device: str = "ascend-310p-like", **fields: object) -> Program:
    """A program with one buffer per number that a kernel touches, laid out one after the other."""
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    sizes: dict[int, int] = {}
    for kernel in kernels:
        for access in (*kernel.reads, *kernel.writes):
            first.setdefault(access.buffer, kernel.index)
            last[access.buffer] = kernel.index
            sizes[access.buffer] = max(sizes.get(access.buffer, 0), access.size)
    buffers, offset = [], 0
    for number in range(max(sizes, default=-1) + 1):
        size = sizes.get(number, 0)
        buffers.append(
            Buffer(
                id=number,
                tensor=f"t{number}",
                size=size,
                pool=Pool.ACTIVATIONS,
                offset=offset,
                first=first.get(number, -1),
                last=last.get(number, -1),
            )
        )
        offset += -(-size // 512) * 512
    owners = max((kernel.owner for kernel in kernels), default=-1) + 1
    program = Program(
        name="test",
        device=device,
        kernels=tuple(kernels),
        buffers=tuple(buffers),
        owners=tuple(
            Owner(
                number=number,
                name=f"net.block{number % 3}.op{number}",
                op="Relu",
                scope=f"net.block{number % 3}",
                place="",
            )
            for number in range(owners)
        ),
        pass_log=(),
        unhandled=(),
    )
    return msgspec.structs.replace(program, **fields)


def random_kernel(source: Random, index: int) -> Kernel:
    """One random kernel that depends on some of those before it."""
    kind = source.choice((*_DEVICE_KINDS, *_LINK_KINDS))
    before = sorted(set(source.choices(range(index), k=source.randint(0, 3)))) if index else []
    size = source.randint(1, 1 << source.randint(1, 22))
    fields: dict[str, object] = {
        "owner": source.randint(0, 5),
        "repeat": source.choice((1, 1, 1, 3)),
        "reads": (Access(source.randint(0, index), size, source.choice((0, 16, 32, 128))),),
        "writes": (Access(index + 1, source.randint(1, 1 << 22)),),
        "dtype": source.choice(("float16", "float32", "int8")),
    }
    if kind is KernelKind.MATRIX:
        m, n, k = (source.randint(1, source.choice((20, 700))) for _ in range(3))
        fields |= {"m": m, "n": n, "k": k, "macs": m * n * k, "op": "MatMul"}
        fields |= {"reads": (Access(index, m * k * _HALF), Access(0, k * n * _HALF))}
    elif kind is KernelKind.VECTOR:
        fields |= {"vector_work": source.randint(1, 1 << 22), "row": source.choice((0, 64, 1 << 17))}
    elif kind is KernelKind.HOST:
        fields |= {"elements": source.randint(1, 1 << 16), "implicit": source.random() < _EVEN}
    elif kind is not KernelKind.LAYOUT:
        fields |= {"link_bytes": size, "implicit": source.random() < _EVEN}
    return make_kernel(index, kind, before, **fields)


@st.composite
def programs(draw: st.DrawFn, *, largest: int = 200) -> Program:
    """A random program of up to `largest` kernels; one seed instead of a draw per field keeps it fast."""
    count = draw(st.integers(1, largest))
    source = Random(draw(st.integers(0, 1 << 32)))  # noqa: S311 - test data, not a secret
    return make_program([random_kernel(source, index) for index in range(count)])
