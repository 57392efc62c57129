"""How the pass log names nodes (operator, then name), and which of them do needless work."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfgate.core.pass_entry import PassEntry

# Passes as the log names them.
FUSION, QUANTISE = "fusion", "quantise"
CLEANING = frozenset({"cse", "dce", "loop_invariant"})
_DONE_ANYWAY = frozenset({"switched-off", "graph-output", "side-effect"})  # refusals that leave the work in


def op_of(label: str) -> str:
    """The operator of `Conv net.conv1`."""
    return label.partition(" ")[0]


def name_of(label: str) -> str:
    """The name of `Conv net.conv1`; names may hold spaces, operators do not."""
    return label.partition(" ")[2]


def is_needless(entry: PassEntry) -> bool:
    """A clean-up pass would have taken the node away, and did not."""
    is_refused = entry.pass_name in CLEANING and not entry.applied
    return is_refused and bool(entry.before) and entry.code in _DONE_ANYWAY


def needless_names(log: Iterable[PassEntry]) -> frozenset[str]:
    """Nodes whose work is needless."""
    return frozenset(name_of(entry.before[-1]) for entry in log if is_needless(entry))
