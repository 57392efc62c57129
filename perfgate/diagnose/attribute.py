"""Where the time went: the delta of the latency split over operators, copies, conversions and waits.

Parts sum to the total exactly: times are integers, and the check runs on every diagnosis.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.core.diagnosis import OWN_COPIES, Attribution, AttributionRow, OperatorRef, RowKind
from perfgate.diagnose.critical import CriticalPath, PathShare, critical_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from perfgate.core.execution_profile import OperatorRow, Profile
    from perfgate.diagnose.signals import Matched

PICOSECONDS = "ps"
LISTED_SHARE = 0.1  # of the delta: from here on an operator's own work has a row of its own
MOST_LISTED = 5
LEAST_SHARE = 0.01  # of the delta: below it the worst operator is one of the others
_PARTS = ("dispatch_ps", "transfer_ps", "compute_ps", "sync_ps", "wait_ps")


@dataclass(frozen=True, slots=True)
class _Moved:
    """One operator, or a group, with its share of both paths."""

    ref: OperatorRef
    before: PathShare
    after: PathShare
    pairs: int

    @property
    def delta(self) -> int:
        return self.after.total - self.before.total

    @property
    def own_delta(self) -> int:
        return self.after.own - self.before.own


def attribute_latency(
    before: Profile, after: Profile, matched: Sequence[Matched], gate: tuple[int, int]
) -> Attribution:
    """Split the gate's delta; `gate` are the untraced latencies before and after in picoseconds.

    Raises:
        ArithmeticError: parts and total differ, or a profile contradicts itself.
    """
    paths = critical_path(before), critical_path(after)
    moved = [_moved(item, paths) for item in matched]
    listed = _listed(moved, gate[1] - gate[0])
    others = [item for item in moved if item not in listed]
    rows = (
        *(_operator_row(item) for item in listed),
        *_rows_of_others(others),
        *_row(RowKind.WAIT, "waits", paths[0].wait, paths[1].wait),
    )
    explained = sum(row.delta for row in rows)
    found = Attribution(
        unit=PICOSECONDS,
        before=gate[0],
        after=gate[1],
        rows=rows,
        residual=(gate[1] - gate[0]) - (paths[1].total - paths[0].total),
        hidden=_hidden(matched, paths),
        four_parts=_four_parts(before, after),
        steps=max(1, after.application.iterations),
        paired=sum(item.pairs for item in moved),
    )
    if explained + found.residual != found.total:
        what = f"{after.device}: {explained} + {found.residual} ps explained of {found.total} ps"
        raise ArithmeticError(what)
    return found


def _moved(item: Matched, paths: tuple[CriticalPath, CriticalPath]) -> _Moved:
    sides = tuple(
        _sum(path.shares.get(row.number, PathShare()) for row in rows)
        for path, rows in zip(paths, (item.before, item.after), strict=True)
    )
    return _Moved(item.ref, sides[0], sides[1], pairs=int(bool(item.before and item.after)))


def _sum(shares: Iterable[PathShare]) -> PathShare:
    total = PathShare()
    for share in shares:
        total = total.plus(share)
    return total


def _listed(moved: list[_Moved], delta: int) -> list[_Moved]:
    """The operator that moved most with the delta, then those whose own work did, copies aside."""
    sign = -1 if delta < 0 else 1
    by_delta = sorted(moved, key=lambda item: (-sign * item.delta, item.ref.number))
    worst = [item for item in by_delta[:1] if sign * item.delta >= LEAST_SHARE * abs(delta) > 0]
    by_own = sorted(moved, key=lambda item: (-sign * item.own_delta, item.ref.number))
    own = [item for item in by_own if sign * item.own_delta >= LISTED_SHARE * abs(delta) > 0]
    return list(dict.fromkeys((*worst, *own)))[:MOST_LISTED]


def _operator_row(item: _Moved) -> AttributionRow:
    parts = (
        *_row(
            RowKind.COPIES,
            OWN_COPIES,
            item.before.copies,
            item.after.copies,
            item.after.copy_count,
        ),
        *_row(
            RowKind.CONVERSIONS,
            "layout conversions on the device",
            item.before.conversions,
            item.after.conversions,
            item.after.conversion_count,
        ),
    )
    return AttributionRow(
        kind=RowKind.OPERATOR,
        label=item.ref.name,
        operator=item.ref,
        before=item.before.total,
        after=item.after.total,
        parts=parts,
    )


def _rows_of_others(others: list[_Moved]) -> tuple[AttributionRow, ...]:
    before, after = _sum(item.before for item in others), _sum(item.after for item in others)
    paired = sum(item.pairs for item in others)
    return (
        *_row(
            RowKind.COPIES, "implicit host copies elsewhere", before.copies, after.copies, after.copy_count
        ),
        *_row(
            RowKind.CONVERSIONS,
            "layout conversions on the device",
            before.conversions,
            after.conversions,
            after.conversion_count,
        ),
        AttributionRow(
            kind=RowKind.OTHER,
            label=f"other operators ({paired} paired)",
            before=before.own,
            after=after.own,
            count=paired,
        ),
    )


def _row(kind: RowKind, label: str, before: int, after: int, count: int = 0) -> tuple[AttributionRow, ...]:
    """A row where there is something on either side."""
    if not before and not after:
        return ()
    return (AttributionRow(kind=kind, label=label, before=before, after=after, count=count),)


def _hidden(
    matched: Sequence[Matched], paths: tuple[CriticalPath, CriticalPath]
) -> tuple[AttributionRow, ...]:
    """Operators that take longer, but off the critical path: parallel work hides it."""
    rows = []
    for item in matched:
        old = sum(_off_path(row, paths[0]) for row in item.before)
        new = sum(_off_path(row, paths[1]) for row in item.after)
        if new - old > LEAST_SHARE * paths[1].total:
            ref = item.ref
            rows.append(
                AttributionRow(kind=RowKind.OPERATOR, label=ref.name, operator=ref, before=old, after=new)
            )
    return tuple(sorted(rows, key=lambda row: (-row.delta, row.label))[:MOST_LISTED])


def _off_path(row: OperatorRow, path: CriticalPath) -> int:
    return max(0, row.total_ps - row.parts.wait_ps - path.shares.get(row.number, PathShare()).total)


def _four_parts(before: Profile, after: Profile) -> dict[str, int]:
    """Delta of dispatch, transfer, compute, sync and wait on the critical stream."""
    return {
        name.removesuffix("_ps"): getattr(after.parts, name) - getattr(before.parts, name) for name in _PARTS
    }
