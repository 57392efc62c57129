"""The states of the data-flow drawing: the start, and one for each scope that can be opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.report.html.flow_graph import MOST_VISIBLE, opened_graph, start_scopes
from perfgate.report.html.scope_tree import ancestors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.report.html.flow_graph import Flow, Opened
    from perfgate.report.html.material import Material
    from perfgate.report.html.part_facts import PartFacts
    from perfgate.report.html.scope_tree import Part

MOST_ROWS = 2000  # nodes over all states: what keeps the page small; scopes that moved least stay closed
MOST_FOCUSED = 5  # operators whose neighbourhood is open at the start
LEAST_SHARE = 0.01  # of the whole time, as in the rules of a diagnosis


def flow_states(
    parts: Sequence[Part], facts: Sequence[PartFacts], flow: Flow, focus: Sequence[int]
) -> tuple[Opened, ...]:
    """The start, whose part is 0, and a state for each scope with the path to it open and all else closed.

    Scopes whose time changed most come first, until all states together hold 2,000 nodes; then the rest can
    not be opened. The whole model, all closed, is among them only where the start opens something.
    """
    start = start_scopes(parts, flow, focus)
    states = [opened_graph(parts, flow, 0, start)]
    left = MOST_ROWS - len(states[0].nodes)
    scopes = [index for index, part in enumerate(parts) if part.is_scope and (index or len(start) > 1)]
    for scope in sorted(scopes, key=lambda index: (index != 0, -abs(moved(facts[index])), index)):
        opened = {*ancestors(parts, scope), scope}
        count = 1 + sum(len(parts[item].children) - 1 for item in opened)
        if count <= min(left, MOST_VISIBLE):
            states.append(opened_graph(parts, flow, scope, opened))
            left -= count
    return tuple(states)


def focused_operators(material: Material) -> tuple[int, ...]:
    """The operators of the diagnosis's causes, then those that grew by 1 % of the whole time; five at most.

    Without a before those that take most.
    """
    numbers = material.operator_indices(after=True)
    named = []
    if material.diagnosis is not None:
        owners = [cause.operator for cause in material.diagnosis.causes if cause.operator is not None]
        named = [numbers[owner.number] for owner in owners if owner.number in numbers]
    least = LEAST_SHARE * material.after.application.total_ps
    grown = {
        index: operator.after_ps - operator.before_ps
        for index, operator in enumerate(material.operators)
        if operator.after is not None and operator.after_ps - operator.before_ps >= least
    }
    worst = sorted(grown, key=lambda index: (-grown[index], index))
    return tuple(dict.fromkeys([*named, *worst]))[:MOST_FOCUSED]


def moved(facts: PartFacts) -> int:
    """By how much a part's time changed; without a before it is all of its time."""
    return facts.after_ps - facts.before_ps
