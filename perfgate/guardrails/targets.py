"""Targets: the built-in ones, those of a rule file, and what `extends` makes of them."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

from perfgate.core.errors import UnusableError
from perfgate.guardrails import shape
from perfgate.guardrails.condition_node import read_condition
from perfgate.guardrails.document import read_document
from perfgate.guardrails.rule import RuleSource, Target
from perfgate.guardrails.schema import RESERVED, RESERVED_NAMES

if TYPE_CHECKING:
    from perfgate.guardrails.document import Node

_WATCHING = ("programs", "env", "files")


@lru_cache(maxsize=1)
def builtin_targets() -> dict[str, Target]:
    """The targets that need no declaration, by name."""
    path = "builtin/targets.yaml"
    text = files("perfgate.guardrails").joinpath(path).read_bytes()
    root = read_document(RuleSource(path=path, text=text))
    return {} if root is None else read_targets(root.get("targets"), {})


def read_targets(node: Node | None, known: dict[str, Target]) -> dict[str, Target]:
    """The declared targets by name; `known` are those that they may extend besides each other.

    Raises:
        UnusableError: a reserved name, an unknown or circular `extends`, or a target that watches nothing.
    """
    if node is None:
        return {}
    shape.check(node, next(field.shape for field in RESERVED if field.name == "targets"), "targets")
    declared = {key.scalar(): (key, value) for key, value in node.pairs or ()}
    read: dict[str, Target] = {}
    for name, (key, _) in declared.items():
        if name in RESERVED_NAMES:
            raise UnusableError(f"{name!r} cannot name a target", str(key.place), "choose another name")
        read[name] = _resolved(name, declared, known, ())
    return read


def _resolved(
    name: str, declared: dict[str, tuple[Node, Node]], known: dict[str, Target], seen: tuple[str, ...]
) -> Target:
    key, node = declared[name]
    parent_node = node.get("extends")
    parent = Target(name=name)
    if parent_node is not None:
        wanted = parent_node.scalar()
        if wanted in (*seen, name) and wanted in declared and wanted not in known:
            raise UnusableError(f"target {name!r} extends itself", str(parent_node.place), "break the circle")
        if wanted in declared and wanted not in (*seen, name):
            parent = _resolved(wanted, declared, known, (*seen, name))
        elif wanted in known:
            parent = known[wanted]
        else:
            raise shape.unknown_name(parent_node, (*declared, *known), "target")
    target = _extended(parent, name, node)
    if not (target.programs or target.env or target.files):
        raise UnusableError(
            f"target {name!r} watches nothing",
            str(key.place),
            f"give it one of {', '.join(_WATCHING)}, or extends",
        )
    return target


def _extended(parent: Target, name: str, node: Node) -> Target:
    applies = node.get("applies")
    return Target(
        name=name,
        programs=_texts(node, "programs", parent.programs),
        dialect=_text(node, "dialect", parent.dialect),
        env=_texts(node, "env", parent.env),
        files=_texts(node, "files", parent.files),
        flags_key=_text(node, "flags_key", parent.flags_key),
        paths=_texts(node, "paths", parent.paths),
        applies=parent.applies if applies is None else read_condition(applies),
        flags_known=_texts(node, "flags_known", parent.flags_known),
    )


def _texts(node: Node, name: str, default: tuple[str, ...]) -> tuple[str, ...]:
    value = node.get(name)
    return default if value is None else value.texts()


def _text(node: Node, name: str, default: str) -> str:
    value = node.get(name)
    return default if value is None else value.scalar()
