"""Where the latency went: each operator's time on the critical path, and waits; they add up exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfgate.core.execution_profile import KernelRow, OperatorRow, Profile

_ON_DEVICE = frozenset({"matrix", "vector", "layout"})


@dataclass(frozen=True, slots=True, kw_only=True)
class PathShare:
    """Picoseconds of one operator on the path: its own work, implicit copies, conversions on the device.

    Counts are those of the whole execution.
    """

    own: int = 0
    copies: int = 0
    conversions: int = 0
    copy_count: int = 0
    conversion_count: int = 0

    @property
    def total(self) -> int:
        """All three."""
        return self.own + self.copies + self.conversions

    def plus(self, other: PathShare) -> PathShare:
        """Both together."""
        return PathShare(
            own=self.own + other.own,
            copies=self.copies + other.copies,
            conversions=self.conversions + other.conversions,
            copy_count=self.copy_count + other.copy_count,
            conversion_count=self.conversion_count + other.conversion_count,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CriticalPath:
    """Shares by operator number; with `wait` they sum to `total`, the latency of the traced execution."""

    shares: dict[int, PathShare]
    wait: int
    total: int


def critical_path(profile: Profile) -> CriticalPath:
    """The path of a profile in picoseconds.

    On one stream every kernel is on it, so operators are summed, which also holds where a large profile kept
    only its longest kernels. A backend with several streams that does not mark the path is followed on its
    busiest stream.

    Raises:
        ArithmeticError: the parts are longer than the whole, so the profile contradicts itself.
    """
    total = profile.application.total_ps
    if profile.graph.streams > 1:
        shares = _by_kernels([row for row in profile.kernels if row.critical] or _busiest(profile))
    else:
        shares = {row.number: _of_operator(row) for row in profile.operators}
    wait = total - sum(share.total for share in shares.values())
    if wait < 0:
        what = f"{profile.device}: operators on the critical path sum to {total - wait} ps of {total} ps"
        raise ArithmeticError(what)
    return CriticalPath(shares=shares, wait=wait, total=total)


def _busiest(profile: Profile) -> list[KernelRow]:
    lengths: dict[int, int] = {}
    for row in profile.kernels:
        lengths[row.stream] = lengths.get(row.stream, 0) + row.duration_ps * row.times
    stream = max(lengths, key=lambda item: (lengths[item], -item), default=0)
    return [row for row in profile.kernels if row.stream == stream]


def _of_operator(row: OperatorRow) -> PathShare:
    return PathShare(
        own=row.total_ps - row.parts.wait_ps - row.copies_ps - row.conversions_ps,
        copies=row.copies_ps,
        conversions=row.conversions_ps,
        copy_count=row.copies,
        conversion_count=row.conversions,
    )


def _by_kernels(rows: list[KernelRow]) -> dict[int, PathShare]:
    shares: dict[int, PathShare] = {}
    for row in rows:
        shares[row.owner] = shares.get(row.owner, PathShare()).plus(_of_kernel(row))
    return shares


def _of_kernel(row: KernelRow) -> PathShare:
    length = row.duration_ps * row.times
    if not row.implicit:
        return PathShare(own=length)
    if row.kind in _ON_DEVICE:
        return PathShare(conversions=length, conversion_count=row.times)
    # The work on the host belongs to its round trip; only what crosses the link is counted as a copy.
    return PathShare(copies=length, copy_count=row.times if row.link_bytes else 0)
