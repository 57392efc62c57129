"""The data flow between parts of a model: what they hand to each other, and copies nobody asked for."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.report.html.scope_tree import ancestors, visible_parts

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from perfgate.core.execution_profile import Profile
    from perfgate.report.html.material import Material
    from perfgate.report.html.scope_tree import Part

MOST_VISIBLE = 300  # nodes of one state of the drawing
OUTSIDE = -1


@dataclass(frozen=True, slots=True)
class Copies:
    """Implicit copies between host and device in the whole execution."""

    count: int = 0
    size: int = 0

    def __add__(self, other: Copies) -> Copies:
        return Copies(self.count + other.count, self.size + other.size)


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """Everything between operators, by the page's indices: `sizes` by (writer, reader), `outside` by reader.

    `nobodys` are implicit copies without an operator on the page.
    """

    sizes: Mapping[tuple[int, int], int]
    outside: Mapping[int, int]
    copies: Mapping[int, Copies]
    copies_before: Mapping[int, Copies]
    nobodys: Copies


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """One state of the drawing: which scopes are open, and the graph of what is then seen.

    `part` is the scope that it was opened for. `edges` are (source, target) by place in `nodes`, with bytes.
    """

    part: int
    nodes: tuple[int, ...]
    edges: tuple[tuple[int, int, int], ...]


def page_flow(material: Material) -> Flow:
    """The flow of the after side; copies of both."""
    indices = material.operator_indices(after=True)
    sizes: Counter[tuple[int, int]] = Counter()
    outside: Counter[int] = Counter()
    for row in material.after.flows:
        target = indices.get(row.target, OUTSIDE)
        source = indices.get(row.source, OUTSIDE)
        if target == OUTSIDE:
            continue
        if source == OUTSIDE:
            outside[target] += row.size
        else:
            sizes[source, target] += row.size
    copies, nobodys = _copies(material.after, indices)
    before: dict[int, Copies] = {}
    if material.before is not None:
        before, _ = _copies(material.before, material.operator_indices(after=False))
    return Flow(sizes=sizes, outside=outside, copies=copies, copies_before=before, nobodys=nobodys)


def _copies(profile: Profile, indices: Mapping[int, int]) -> tuple[dict[int, Copies], Copies]:
    found: dict[int, Copies] = {}
    for row in profile.copies:
        if row.implicit:
            index = indices.get(row.owner, OUTSIDE)
            found[index] = found.get(index, Copies()) + Copies(row.times, row.size * row.times)
    nobodys = found.pop(OUTSIDE, Copies())
    return found, nobodys


def opened_graph(parts: Sequence[Part], flow: Flow, part: int, opened: Collection[int]) -> Opened:
    """What is seen with these scopes open, in the order in which it first runs."""
    nodes = sorted(visible_parts(parts, opened), key=lambda node: parts[node].operators[:1])
    place = {operator: at for at, node in enumerate(nodes) for operator in parts[node].operators}
    sizes: Counter[tuple[int, int]] = Counter()
    for (source, target), size in flow.sizes.items():
        first, second = place[source], place[target]
        if first != second:
            sizes[first, second] += size
    edges = tuple((source, target, size) for (source, target), size in sorted(sizes.items()))
    return Opened(part=part, nodes=tuple(nodes), edges=edges)


def start_scopes(parts: Sequence[Part], flow: Flow, focus: Sequence[int]) -> frozenset[int]:
    """The scopes that are open at the start: those around the operators in focus and around their neighbours.

    `focus` are operators, most important first; a scope that would show more than 300 nodes stays closed.
    """
    home = {part.operator: index for index, part in enumerate(parts) if part.operator >= 0}
    near: dict[int, list[int]] = {operator: [] for operator in focus}
    for source, target in sorted(flow.sizes):
        if source in near:
            near[source].append(target)
        if target in near:
            near[target].append(source)
    opened = {0}
    count = len(parts[0].children)
    for operator in (*focus, *(other for item in focus for other in near[item])):
        for scope in ancestors(parts, home[operator]):
            more = len(parts[scope].children) - 1
            if scope in opened:
                continue
            if count + more > MOST_VISIBLE:
                break
            opened.add(scope)
            count += more
    return frozenset(opened)
