"""What-ifs of one benchmark as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabulate import tabulate

from perfgate.core.units import PS_PER_SECOND, readable
from perfgate.report.inert import inert

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.npu.what_if import WhatIfRow


def what_if_table(rows: Sequence[WhatIfRow]) -> str:
    """One row per knob and value: time per inference, gain and binding limit, or why there is none."""
    cells = []
    for row in rows:
        if row.refused:
            cells.append([row.knob, row.value, "", "", f"no answer: {inert(row.refused)}"])
        else:
            time = readable(row.inference_ps / PS_PER_SECOND, "s")
            cells.append([row.knob, row.value, time, f"x{row.gain:.2f}", row.limit])
    head = ["knob", "value", "per inference", "gain", "limit"]
    return tabulate(cells, head, tablefmt="simple", disable_numparse=True)
