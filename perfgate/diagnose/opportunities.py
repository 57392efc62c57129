"""Settings worth trying whatever the cause is: each is kept only if its re-simulation gains."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.difference import DifferenceKind, NewSetting
from perfgate.diagnose.suspect import Remedy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.core.setting import Setting

# Title, risk, setting. The gain is never assumed: what brings nothing is not shown.
_KNOBS = (
    (
        "cache intermediate results",
        "check the output difference",
        DifferenceKind.RUNTIME,
        "tea_cache",
        "true",
    ),
    (
        "pin host memory",
        "host memory that cannot be swapped",
        DifferenceKind.RUNTIME,
        "pinned_memory",
        "true",
    ),
    (
        "run branches on two streams",
        "check the order of side effects",
        DifferenceKind.RUNTIME,
        "streams",
        "2",
    ),
    ("keep tiles in L1", "none, same numerics", DifferenceKind.FLAG, "--buffer_optimize", "l1_optimize"),
    (
        "read few-channel inputs directly",
        "none, same numerics",
        DifferenceKind.FLAG,
        "--enable_small_channel",
        "1",
    ),
)


def opportunities(flags: Sequence[Setting], keys: Sequence[Setting]) -> tuple[Remedy, ...]:
    """Remedies for settings that the after side lacks; flags only where there is a compile command."""
    known = {
        DifferenceKind.FLAG: {item.name: item.value for item in flags},
        DifferenceKind.RUNTIME: {item.name: item.value for item in keys},
    }
    return tuple(
        Remedy(title=title, risk=risk, settings=(NewSetting(kind=kind, name=name, value=value),))
        for title, risk, kind, name, value in _KNOBS
        if known[kind].get(name) != value and (kind is DifferenceKind.RUNTIME or flags)
    )
