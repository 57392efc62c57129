"""From suspects to causes: what a difference explains is one cause with its evidence, the rest go by rule."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from perfgate.core.diagnosis import Evidence, OperatorRef, Proof
from perfgate.core.difference import Difference, DifferenceKind
from perfgate.diagnose.rules.registry import SPECIFICITY, SYMPTOMS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perfgate.diagnose.signals import Undone
    from perfgate.diagnose.suspect import Suspect

CONFIG = "config_flag"
FALLBACK = "more_work"
MOST_OF_IT = 0.8  # of the cost of what a more specific rule has to explain as well
HALF = 0.5
LEAST_OVERLAP = 0.5  # of the smaller one's cost: two rules on the same operators tell one story
MOST_EVIDENCE = 6
_DELTA_STEP = 5
# Words in the names of settings by the rule that they set off; used only where nothing can be simulated.
_RELATED = {
    "implicit_copy": ("layout", "format"),
    "layout": ("layout", "format"),
    "alignment": ("layout", "format", "shape"),
    "fusion_lost": ("fusion", "pass"),
    "redundancy": ("pass", "fusion"),
    "kernel_swap": ("precision", "optimize", "buffer", "tile", "tune"),
    "quantisation": ("precision", "quant", "int8", "fp16"),
    "serialised": ("stream",),
    "pool_growth": ("pool", "memory"),
    "priority_inversion": ("priority",),
    "recompile": ("dynamic", "shape"),
    "transfer_wait": ("pinned", "memory"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A cause before it has a confidence: the suspect that names it, and those it explains."""

    lead: Suspect
    explains: tuple[Suspect, ...] = ()
    proof: Proof | None = None

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """Those of the suspect, and of each rule that it explains the worst match, in order of the steps."""
        worst: dict[str, Suspect] = {}
        for item in self.explains:
            worst.setdefault(item.rule, item)  # they come worst first
        pieces = [*self.lead.evidence, *(piece for item in worst.values() for piece in item.evidence)]
        unique = dict.fromkeys(sorted(pieces, key=lambda piece: piece.step))
        return tuple(unique)[:MOST_EVIDENCE]

    @property
    def operator(self) -> OperatorRef | None:
        """The operator that the cause hits hardest."""
        if self.lead.operator is not None:
            return self.lead.operator
        hit = [item for item in self.explains if item.operator is not None]
        return max(hit, key=lambda item: item.cost).operator if hit else None

    @property
    def sentence(self) -> str:
        """What happened: of a configuration the most specific rule that explains much of it."""
        told = [item for item in self.explains if item.rule not in SYMPTOMS]
        if self.lead.rule != CONFIG or not told:
            return self.lead.sentence
        most = max(item.cost for item in told)
        return min((item for item in told if item.cost >= HALF * most), key=_specificity).sentence


def draft_causes(
    suspects: Sequence[Suspect], undone: Sequence[Undone], blamed: Mapping[int, Difference]
) -> tuple[Draft, ...]:
    """Causes, most expensive first; `blamed`: the difference that a suspect goes away with, by position."""
    of_difference = {item.difference: item for item in undone}
    config = [item for item in suspects if item.rule == CONFIG]
    related: dict[Difference, list[Suspect]] = {}
    left: list[tuple[Suspect, Difference | None]] = []
    for position, item in enumerate(suspects):
        if item.rule == CONFIG:
            continue
        blame = blamed.get(position) or _related(item, config, is_simulated=bool(undone))
        if blame is not None and blame.kind is not DifferenceKind.MODEL:
            related.setdefault(blame, []).append(item)
        else:
            left.append((item, blame))
    drafts = [
        Draft(
            lead=item,
            explains=_worst_first(related.get(item.difference, [])) if item.difference is not None else (),
            proof=_proof(of_difference.get(item.difference)) if item.difference is not None else None,
        )
        for item in config
    ]
    drafts += [
        replace(draft, proof=_proof(of_difference.get(blame)) if blame else None)
        for blame in dict.fromkeys(blame for _, blame in left)
        for draft in _by_rule([item for item, its in left if its == blame])
    ]
    ordered = sorted(drafts, key=lambda draft: (-draft.lead.cost, _specificity(draft.lead)))
    return tuple(_with_symptoms(ordered))


def _with_symptoms(drafts: Sequence[Draft]) -> list[Draft]:
    """A symptom that nothing alone takes away is evidence for the most expensive cause, if there is one."""
    causes = [draft for draft in drafts if draft.lead.rule not in SYMPTOMS]
    if not causes:
        return list(drafts)
    symptoms = [
        item for draft in drafts if draft.lead.rule in SYMPTOMS for item in (draft.lead, *draft.explains)
    ]
    first = replace(causes[0], explains=(*causes[0].explains, *symptoms))
    return [first, *causes[1:]]


def _proof(undone: Undone | None) -> Proof | None:
    if undone is None:
        return None
    return Proof(undone=undone.amount, recovered=undone.recovered)


def _by_rule(suspects: list[Suspect]) -> list[Draft]:
    """One draft per rule; rules that tell of the same operators become one, symptoms go to the first.

    So does `more_work` where another rule explains as much: new operators are then how it shows.
    """
    by_rule: dict[str, list[Suspect]] = {}
    for item in suspects:
        by_rule.setdefault(item.rule, []).append(item)
    groups = sorted(
        (_worst_first(items) for items in by_rule.values()),
        key=lambda items: (items[0].rule in SYMPTOMS, _specificity(items[0])),
    )
    drafts: list[tuple[list[Suspect], list[Suspect]]] = []
    for items in groups:
        host = next((draft for draft in drafts if _is_same_story(draft[0], items)), None)
        if host is None:
            drafts.append((list(items), []))
        else:
            host[1].extend(items)
    return [Draft(lead=_merged(items), explains=_worst_first(more)) for items, more in drafts]


def _is_same_story(told: list[Suspect], items: Sequence[Suspect]) -> bool:
    if items[0].rule in SYMPTOMS:
        return told[0].rule not in SYMPTOMS
    if items[0].rule == FALLBACK and _cost(told) >= MOST_OF_IT * _cost(items):
        return True
    mine = {item.operator.number: item.cost for item in told if item.operator is not None}
    theirs = {item.operator.number: item.cost for item in items if item.operator is not None}
    shared = mine.keys() & theirs.keys()
    smaller = min(sum(mine.values()), sum(theirs.values()))
    overlap = min(sum(mine[number] for number in shared), sum(theirs[number] for number in shared))
    return bool(shared) and overlap >= LEAST_OVERLAP * smaller


def _cost(items: Sequence[Suspect]) -> int:
    return sum(item.cost for item in items)


def _merged(items: Sequence[Suspect]) -> Suspect:
    """All matches of one rule as one, named after the worst."""
    worst = items[0]
    if len(items) == 1:
        return worst
    more = Evidence(step=_DELTA_STEP, label="also", text=f"{len(items) - 1} more operators, the same reason")
    remedies = tuple(dict.fromkeys(remedy for item in items for remedy in item.remedies))
    return replace(
        worst,
        cost=_cost(items),
        evidence=(*worst.evidence, more),
        remedies=remedies,
    )


def _worst_first(items: Sequence[Suspect]) -> tuple[Suspect, ...]:
    return tuple(sorted(items, key=lambda item: -item.cost))


def _related(item: Suspect, config: Sequence[Suspect], *, is_simulated: bool) -> Difference | None:
    """Without a re-simulation: the only difference, or the one whose name fits the rule."""
    known = [suspect.difference for suspect in config if suspect.difference is not None]
    if is_simulated or not known:
        return None
    if len(known) == 1:
        return known[0]
    words = _RELATED.get(item.rule, ())
    return next((each for each in known if any(word in each.name.lower() for word in words)), None)


def _specificity(item: Suspect) -> int:
    return SPECIFICITY.get(item.rule, len(SPECIFICITY))
