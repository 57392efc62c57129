"""The verdict as text for a terminal: a table of what is not green, counts, and one closing line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabulate import tabulate

from perfgate.core.units import percent, readable
from perfgate.core.verdict import Verdict
from perfgate.report.failure_text import deciding
from perfgate.report.inert import inert

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from perfgate.core.verdict import BenchmarkVerdict

FULL_WIDTH = 80
HEADERS = ("verdict", "benchmark", "device", "metric", "baseline", "now", "change")
_DROP_ORDER = ("baseline", "now", "metric", "device")  # columns that go first when the terminal is narrow
_QUIET = frozenset({Verdict.UNCHANGED})


def verdict_table(verdicts: Iterable[BenchmarkVerdict], width: int, *, show_all: bool = False) -> str:
    """One row per benchmark that is not plainly unchanged, worst first; "" when there is none.

    Columns are dropped until the table fits the width; verdict, benchmark and change always stay. Without its
    column the device stands behind the name, since a row must say whose it is.
    """
    rows = [_row(item) for item in verdicts if show_all or item.verdict not in _QUIET]
    if not rows:
        return ""
    kept = list(HEADERS)
    for dropped in (None, *_DROP_ORDER):
        if dropped is not None:
            kept.remove(dropped)
        cells = [[_cell(row, name, has_device="device" in kept) for name in kept] for row in rows]
        alignment = ["right" if name in {"baseline", "now", "change"} else "left" for name in kept]
        table = tabulate(cells, kept, tablefmt="simple", disable_numparse=True, colalign=alignment)
        if max(map(len, table.splitlines())) <= width:
            break
    return table


def _cell(row: list[str], name: str, *, has_device: bool) -> str:
    text = row[HEADERS.index(name)]
    return f"{text}[{row[HEADERS.index('device')]}]" if name == "benchmark" and not has_device else text


def count_line(verdicts: Sequence[BenchmarkVerdict], not_selected: int = 0) -> str:
    """`1 regressed, 0 improved, 38 unchanged, ...`; zero counts only of the words everybody looks for."""
    shown = [
        f"{count} {verdict}"
        for verdict in (Verdict.REGRESSED, *(item for item in Verdict if item is not Verdict.REGRESSED))
        if (count := sum(1 for item in verdicts if item.verdict is verdict))
        or verdict in {Verdict.REGRESSED, Verdict.UNCHANGED, Verdict.INCONCLUSIVE}
    ]
    if not_selected:
        shown.append(f"{not_selected} not selected")
    return ", ".join(shown)


def _row(item: BenchmarkVerdict) -> list[str]:
    worst = deciding(item)
    label = str(item.verdict).upper() if item.is_failure else str(item.verdict)
    cells = [label, inert(item.benchmark), inert(item.device)]
    if worst is None or worst.now is None:
        return [*cells, "", "", "", ""]
    unit = worst.metric.unit
    before = "" if worst.baseline is None else readable(worst.baseline, unit)
    change = "" if worst.worse_by is None else percent(worst.worse_by)
    return [*cells, worst.metric.name, before, readable(worst.now, unit), change]
