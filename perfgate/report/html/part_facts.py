"""What is known of a part of the model as a whole: times, FLOPs, bytes from outside, implicit copies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.core.units import percent, readable
from perfgate.report.html.flow_graph import Copies
from perfgate.report.html.shown import shown
from perfgate.report.html.time_axis import readable_ps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.report.html.flow_graph import Flow
    from perfgate.report.html.material import PageOperator
    from perfgate.report.html.scope_tree import Part

_STEPS = ((1e12, "TFLOP"), (1e9, "GFLOP"), (1e6, "MFLOP"))


@dataclass(frozen=True, slots=True, kw_only=True)
class PartFacts:
    """Sums over the operators of a part; `outside` is what they read of weights and inputs, in bytes."""

    path: str
    operators: int
    before_ps: int
    after_ps: int
    flops: int
    outside: int
    copies: Copies
    copies_before: Copies

    @property
    def name(self) -> str:
        """Its full name, safe to show."""
        return shown(self.path)

    @property
    def change(self) -> str:
        """Relative change of the time in words."""
        if self.before_ps:
            return percent(self.after_ps / self.before_ps - 1)
        return "new" if self.after_ps else ""

    @property
    def tip(self) -> str:
        """Everything in one line."""
        texts = [f"{self.name}: {readable_ps(self.before_ps)} -> {readable_ps(self.after_ps)} {self.change}"]
        if self.operators > 1:
            texts.append(f"{self.operators} operators")
        texts.append(readable_flops(self.flops))
        if self.outside:
            texts.append(f"reads {readable(self.outside, 'B')} of weights and inputs")
        if self.copies.count or self.copies_before.count:
            texts.append(
                f"implicit host copies {copies_text(self.copies_before)} -> {copies_text(self.copies)}"
            )
        return ", ".join(texts)


def part_facts(parts: Sequence[Part], operators: Sequence[PageOperator], flow: Flow) -> tuple[PartFacts, ...]:
    """The facts of every part, in the order of the parts: those of its members added up."""
    found: list[PartFacts] = []
    for part in reversed(parts):  # parents stand before their children
        members = [found[len(parts) - 1 - child] for child in part.children]
        found.append(_sum(part, members) if members else _facts(part, operators, flow))
    return tuple(reversed(found))


def readable_flops(flops: int) -> str:
    """Floating-point operations as people read them."""
    for factor, name in _STEPS:
        if flops >= factor:
            return f"{flops / factor:.3g} {name}"
    return f"{flops} FLOP"


def copies_text(copies: Copies) -> str:
    """`280 of 2.34 GB`, or `none`."""
    return f"{copies.count} of {readable(copies.size, 'B')}" if copies.count else "none"


def _facts(part: Part, operators: Sequence[PageOperator], flow: Flow) -> PartFacts:
    """An operator's own; of a model without operators nothing."""
    index = part.operator
    row = operators[index] if index >= 0 else None
    return PartFacts(
        path=part.path,
        operators=len(part.operators),
        before_ps=row.before_ps if row is not None else 0,
        after_ps=row.after_ps if row is not None else 0,
        flops=sum(now.flops for now in row.rows_after) if row is not None else 0,
        outside=flow.outside.get(index, 0),
        copies=flow.copies.get(index, Copies()),
        copies_before=flow.copies_before.get(index, Copies()),
    )


def _sum(part: Part, members: Sequence[PartFacts]) -> PartFacts:
    return PartFacts(
        path=part.path,
        operators=len(part.operators),
        before_ps=sum(member.before_ps for member in members),
        after_ps=sum(member.after_ps for member in members),
        flops=sum(member.flops for member in members),
        outside=sum(member.outside for member in members),
        copies=sum((member.copies for member in members), Copies()),
        copies_before=sum((member.copies_before for member in members), Copies()),
    )
