"""A rule in its long form as a value; the node has been checked against the field tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.core.errors import UnusableError
from perfgate.core.finding import Severity
from perfgate.guardrails.body_node import read_body
from perfgate.guardrails.condition_node import read_condition
from perfgate.guardrails.rule import RECORD_KINDS, Examples, Kind, Rule
from perfgate.guardrails.shape import unknown_name

if TYPE_CHECKING:
    from perfgate.guardrails.document import Node
    from perfgate.guardrails.rule import Target

_WITHOUT_TARGET = RECORD_KINDS | {Kind.CONSISTENT}


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """What a rule file may refer to: targets by name."""

    targets: dict[str, Target]

    def target(self, node: Node) -> Target:
        """The target a node names.

        Raises:
            UnusableError: nobody knows it; with the nearest name.
        """
        found = self.targets.get(node.scalar())
        if found is None:
            raise unknown_name(node, tuple(self.targets), "target")
        return found


def read_rule(node: Node, names: Names) -> Rule:
    """The rule of a checked node.

    Raises:
        UnusableError: an unknown target, a body that can never be met, fields that do not go together.
    """
    kind = next(kind for kind in Kind if node.get(kind) is not None)
    identifier = _text(node, "id")
    target_node = node.get("target")
    if (target_node is None) is not (kind in _WITHOUT_TARGET):
        remedy = (
            "remove it" if target_node is not None else "say what it watches, such as target: atc_convert"
        )
        what = f"rule {identifier!r} ({kind}) has {'a' if target_node is not None else 'no'} target"
        raise UnusableError(what, str((target_node or node).place), remedy)
    value = node.get(kind)
    assert value is not None  # noqa: S101 - it chose the kind
    target = None if target_node is None else names.target(target_node)
    if kind is Kind.KEYS and target is not None and not target.files:
        raise UnusableError(
            f"target {target.name!r} has no files", str(node.place), "use a target with files: [GLOB]"
        )
    when = read_condition(node.get("when"))
    unresolved = node.get("unresolved")
    expect = node.get("expect")
    return Rule(
        id=identifier,
        kind=kind,
        body=read_body(kind, value, names.target),
        place=node.place,
        target=target,
        when=when,
        paths=_texts(node, "paths"),
        severity=_severity(node, kind),
        message=_text(node, "message"),
        link=_text(node, "link"),
        fix_set=_fix_set(node.get("fix")),
        min_matches=0 if expect is None else _count(expect.get("min_matches")),
        unresolved=None if unresolved is None else Severity(unresolved.scalar()),
        examples=_examples(node.get("examples")),
    )


def _severity(node: Node, kind: Kind) -> Severity:
    severity = node.get("severity")
    if severity is not None:
        return Severity(severity.scalar())
    row = node.get(kind)
    is_operator_budget = kind is Kind.BUDGET and row is not None and row.get("op") is not None
    return Severity.WARN if is_operator_budget else Severity.ERROR


def _text(node: Node, name: str) -> str:
    value = node.get(name)
    return "" if value is None else value.scalar()


def _texts(node: Node, name: str) -> tuple[str, ...]:
    value = node.get(name)
    return () if value is None else value.texts()


def _count(node: Node | None) -> int:
    return 0 if node is None else int(node.scalar())


def _fix_set(node: Node | None) -> tuple[tuple[str, str], ...]:
    flags = None if node is None else node.get("set")
    return () if flags is None else tuple((key.scalar(), value.scalar()) for key, value in flags.pairs or ())


def _examples(node: Node | None) -> Examples:
    if node is None:
        return Examples()
    valid, invalid = node.get("valid"), node.get("invalid")
    return Examples(
        valid=tuple((item.scalar(), item.place) for item in (valid.entries() if valid else ())),
        invalid=tuple((item.scalar(), item.place) for item in (invalid.entries() if invalid else ())),
    )
