"""The data-flow view: who hands how many bytes to whom, and what takes the way over the host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.units import readable
from perfgate.report.html.colour import CHANGE_WORDS, CHANGES, DANGER, HEAT, HEAT_WORDS, NEW
from perfgate.report.html.flow_drawing import SOURCES, draw_flow
from perfgate.report.html.flow_graph import page_flow
from perfgate.report.html.flow_states import flow_states, focused_operators
from perfgate.report.html.flow_walk import flow_rows, state_columns, steady_columns
from perfgate.report.html.part_facts import copies_text, part_facts, readable_flops
from perfgate.report.html.scope_tree import scope_tree
from perfgate.report.html.time_axis import readable_ps
from perfgate.report.html.view import WALK, Option, Setting, Swatch, Table, View

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perfgate.report.html.flow_graph import Flow
    from perfgate.report.html.flow_walk import FlowRows
    from perfgate.report.html.material import Material
    from perfgate.report.html.part_facts import PartFacts
    from perfgate.report.html.view import Columns

_HINT = (
    "Data flows from left to right; a box is a scope or an operator, its height FLOPs, a line's width bytes. "
    "Click or Enter opens a scope, Esc goes up, left and right follow the largest flow."
)


def dataflow_view(material: Material) -> View:
    """The view of the after side, coloured by what changed."""
    parts = scope_tree(material.operators, f"{material.benchmark} on {material.device}")
    flow = page_flow(material)
    facts = part_facts(parts, material.operators, flow)
    focus = focused_operators(material)
    states = flow_states(parts, facts, flow, focus)
    rows = flow_rows(parts, facts, states, has_before=material.before is not None)
    puts = [state_columns(rows, number) for number in range(len(states))]
    names = ", ".join(material.operators[index].label for index in focus) or "nothing grew"
    return View(
        name="flow",
        title="Data flow",
        hint=_HINT,
        tables=(parts_table(rows), flows_table(rows), copies_table(rows)),
        draw=lambda: draw_flow(puts[0][1]),
        walk=steady_columns(rows, f"start: the scopes around {names}") | puts[0][0],
        actions=tuple(
            Option(label=facts[state.part].name, settings=_settings(*put))
            for state, put in zip(states, puts, strict=True)
        ),
        legend=_legend(has_before=rows.has_before),
        notes=_notes(material, flow, rows),
    )  # fmt: skip


def _settings(walk: Columns, sources: Mapping[str, Columns]) -> tuple[Setting, ...]:
    """A state put into the drawing and into the walk."""
    return (
        *(Setting(model=SOURCES[name], path="data", value=columns) for name, columns in sources.items()),
        *(Setting(model=WALK, path=name, value=column) for name, column in walk.items()),
    )


def parts_table(rows: FlowRows) -> Table:
    """Every scope and operator that some state shows."""
    facts = [rows.facts[part] for part in rows.listed]
    return Table(
        caption="Scopes and operators, whole execution",
        header=("part", "before", "after", "change", "FLOPs", "read from outside", "implicit host copies"),
        rows=tuple(
            (
                fact.name,
                readable_ps(fact.before_ps),
                readable_ps(fact.after_ps),
                fact.change,
                readable_flops(fact.flops),
                readable(fact.outside, "B"),
                f"{copies_text(fact.copies_before)} -> {copies_text(fact.copies)}",
            )
            for fact in facts
        ),
        keys=tuple(_part_key(place, fact) for place, fact in enumerate(facts)),
        operators=tuple(rows.parts[part].operator for part in rows.listed),
    )


def _part_key(place: int, fact: PartFacts) -> tuple[float | str, ...]:
    change = fact.after_ps / fact.before_ps - 1 if fact.before_ps else float(fact.after_ps)
    return (place, fact.before_ps, fact.after_ps, change, fact.flops, fact.outside, fact.copies.size)


def flows_table(rows: FlowRows) -> Table:
    """Every line that some state shows, the most bytes first."""
    sizes = {
        (state.nodes[source], state.nodes[target]): size
        for state in rows.states
        for source, target, size in state.edges
    }
    ends = sorted(sizes, key=lambda pair: (-sizes[pair], pair))
    return Table(
        caption="Bytes that one part reads of what another wrote, whole execution",
        header=("to", "from", "bytes"),
        rows=tuple(
            (rows.facts[target].name, rows.facts[source].name, readable(sizes[source, target], "B"))
            for source, target in ends
        ),
        keys=tuple(
            (rows.facts[target].name, rows.facts[source].name, sizes[source, target])
            for source, target in ends
        ),
        operators=tuple(rows.parts[target].operator for _, target in ends),
    )


def copies_table(rows: FlowRows) -> Table:
    """Every dashed way over the host that some state shows, the most bytes first."""
    seen = {node for state in rows.states for node in state.nodes}
    copying = sorted(
        (part for part in seen if rows.facts[part].copies.count),
        key=lambda part: (-rows.facts[part].copies.size, part),
    )
    facts = [rows.facts[part] for part in copying]
    return Table(
        caption="Implicit copies between host and device, whole execution",
        header=("part", "copies before", "bytes before", "copies", "bytes"),
        rows=tuple(
            (
                fact.name,
                str(fact.copies_before.count),
                readable(fact.copies_before.size, "B"),
                str(fact.copies.count),
                readable(fact.copies.size, "B"),
            )
            for fact in facts
        ),
        keys=tuple(
            (
                fact.name,
                fact.copies_before.count,
                fact.copies_before.size,
                fact.copies.count,
                fact.copies.size,
            )
            for fact in facts
        ),
        operators=tuple(rows.parts[part].operator for part in copying),
    )


def _legend(*, has_before: bool) -> tuple[Swatch, ...]:
    host = Swatch(DANGER, "dashed: implicit copies over the host, with their bytes")
    if not has_before:
        return (*(Swatch(colour, text) for colour, text in zip(HEAT, HEAT_WORDS, strict=True)), host)
    changes = (
        Swatch(colour, text, is_hatched=text.startswith("faster"))
        for colour, text in zip(CHANGES, CHANGE_WORDS, strict=True)
    )
    return (*changes, Swatch(NEW, "new"), host)


def _notes(material: Material, flow: Flow, rows: FlowRows) -> tuple[str, ...]:
    notes = []
    gone = sum(operator.after is None for operator in material.operators)
    if gone:
        notes.append(f"{gone} operators that are only before are not drawn; the comparison lists them.")
    if flow.nobodys.count:
        notes.append(f"Implicit host copies of no operator: {copies_text(flow.nobodys)}.")
    closed = _closed_scopes(rows)
    if closed:
        notes.append(f"{len(closed)} scopes that changed least can not be opened here.")
    if not flow.sizes:
        notes.append("The profile knows no data flow between operators.")
    return tuple(notes)


def _closed_scopes(rows: FlowRows) -> Sequence[int]:
    opened = {state.part for state in rows.states[1:]}
    return [part for part in rows.listed if rows.parts[part].is_scope and part and part not in opened]
