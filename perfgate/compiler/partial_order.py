"""Which kernels are certain to run after which, when several streams run a program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.compiler.program import Pool

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.compiler.program import Kernel
    from perfgate.compiler.storage import Storage


def release_indices(kernels: Sequence[Kernel], storage: Storage) -> list[int]:
    """For each kernel the index from which on all kernels that write activations depend on it.

    Bytes it uses are free for those, and only for those. Ancestors are bit sets: 10,000 kernels take 12 MB and
    some 20 ms, paid only with more than one stream.
    """
    count = len(kernels)
    ancestors: list[int] = []
    for kernel in kernels:
        mask = 0
        for dependency in kernel.dependencies:
            mask |= ancestors[dependency] | 1 << dependency
        ancestors.append(mask)
    release = [index + 1 for index in range(count)]
    pools = storage.pools
    unsettled = (1 << count) - 1
    for index in range(count - 1, -1, -1):
        unsettled &= (1 << index) - 1
        if not any(pools[access.buffer] is not Pool.WEIGHTS for access in kernels[index].writes):
            continue
        independent = unsettled & ~ancestors[index]
        unsettled &= ~independent
        while independent:
            lowest = independent & -independent
            release[lowest.bit_length() - 1] = index + 1
            independent ^= lowest
    return release
