"""The matrix of a workflow job: which values `matrix.NAME` takes, and which of them go together."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

from perfgate.config.branches import MAX_WORLDS, Decision
from perfgate.config.words import Atom
from perfgate.config.yaml_places import scalar_text

if TYPE_CHECKING:
    from perfgate.config.spans import Placed, Source
    from perfgate.config.yaml_load import YamlNode

Atoms = tuple[Atom, ...]
_RULES = frozenset({"include", "exclude"})
_Case = dict[str, "YamlNode"]


def matrix_values(source: Source, node: YamlNode | None) -> dict[str, Atoms]:
    """The values of each matrix name, under `matrix.NAME`.

    Without `include` and `exclude` each name is a decision of its own; with them the cases are one decision.
    Of more cases than can be told apart, names are taken one by one. An expression as matrix is not known.
    """
    if node is None or node.kind != "mapping":
        return {}
    axes = {key.text: value.items for key, value in node.pairs if key.text not in _RULES and value.items}
    rules = {key.text: value.items for key, value in node.pairs if key.text in _RULES and value.items}
    start = source.span(node.start, node.start)
    place = f"{start.line}:{start.column}"
    if not rules:
        return _joined([_axis(source, name, items, place) for name, items in axes.items()])
    cases = _cases(source, axes, rules)
    if cases is None or len(cases) > MAX_WORLDS:
        names = dict.fromkeys(
            [*axes, *(key.text for item in rules.get("include", ()) for key, _ in item.pairs)]
        )
        return _joined([_axis(source, name, _all_values(name, axes, rules), place) for name in names])
    return _by_case(source, cases, Decision(place=place, outcomes=len(cases)))


def _joined(parts: list[dict[str, Atoms]]) -> dict[str, Atoms]:
    return {name: atoms for part in parts for name, atoms in part.items()}


def _all_values(
    name: str, axes: dict[str, tuple[YamlNode, ...]], rules: dict[str, tuple[YamlNode, ...]]
) -> tuple[YamlNode, ...]:
    included = [value for item in rules.get("include", ()) for key, value in item.pairs if key.text == name]
    return (*axes.get(name, ()), *included)


def _axis(source: Source, name: str, items: tuple[YamlNode, ...], place: str) -> dict[str, Atoms]:
    """The values of one name, of mappings also of their parts (`matrix.config.soc`)."""
    unique: dict[str, YamlNode] = {}
    for item in items:
        unique.setdefault(item.text if item.kind == "scalar" else f"{item.start}", item)
    if len(unique) > MAX_WORLDS:
        return {}
    cases = [{name: item} for item in unique.values()]
    return _by_case(source, cases, Decision(place=f"{place}.{name}", outcomes=len(cases)))


def _by_case(source: Source, cases: list[_Case], decision: Decision) -> dict[str, Atoms]:
    values: dict[str, list[Placed | None]] = {}
    flat = [_flat(source, case) for case in cases]
    for name in dict.fromkeys(name for case in flat for name in case):
        values[name] = [case.get(name) for case in flat]
    return {f"matrix.{name}": _choice(texts, decision) for name, texts in values.items()}


def _flat(source: Source, case: _Case) -> dict[str, Placed]:
    found: dict[str, Placed] = {}
    for name, node in case.items():
        if node.kind == "scalar":
            found[name] = scalar_text(source, node)
        for key, value in node.pairs:
            if value.kind == "scalar":
                found[f"{name}.{key.text}"] = scalar_text(source, value)
    return found


def _choice(texts: list[Placed | None], decision: Decision) -> Atoms:
    if len(texts) == 1 and texts[0] is not None:
        return (Atom(text=texts[0]),)
    first = next(text for text in texts if text is not None)
    atoms = [Atom(text=first.cut(0, 0) if text is None else text) for text in texts]
    return tuple(replace(atom, guard=frozenset({(decision, outcome)})) for outcome, atom in enumerate(atoms))


def _cases(
    source: Source, axes: dict[str, tuple[YamlNode, ...]], rules: dict[str, tuple[YamlNode, ...]]
) -> list[_Case] | None:
    """All cases, or None when there are too many to list."""
    count = 1
    for items in axes.values():
        count *= len(items)
    if count > MAX_WORLDS * MAX_WORLDS:
        return None
    cases: list[_Case] = (
        [dict(zip(axes, choice, strict=True)) for choice in product(*axes.values())] if axes else []
    )
    excluded = [dict(_named_pairs(item)) for item in rules.get("exclude", ())]
    cases = [case for case in cases if not any(_matches(source, case, rule) for rule in excluded)]
    originals = [dict(case) for case in cases]
    for item in rules.get("include", ()):
        more = dict(_named_pairs(item))
        fixed = {name: node for name, node in more.items() if name in axes}
        taken = [index for index, case in enumerate(originals) if _matches(source, case, fixed)]
        for index in taken:
            cases[index] |= {name: node for name, node in more.items() if name not in axes}
        if not taken:
            cases.append(more)
    return cases


def _named_pairs(node: YamlNode) -> list[tuple[str, YamlNode]]:
    return [(key.text, value) for key, value in node.pairs if key.kind == "scalar"]


def _matches(source: Source, case: _Case, wanted: _Case) -> bool:
    return all(
        name in case
        and _flat(source, {"x": case[name]}).keys() == _flat(source, {"x": node}).keys()
        and case[name].text == node.text
        for name, node in wanted.items()
    )
