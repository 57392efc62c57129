"""`when` and `applies` mappings as conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.errors import UnusableError
from perfgate.guardrails.precision import PRECISIONS
from perfgate.guardrails.rule import Condition
from perfgate.guardrails.shape import unknown_name

if TYPE_CHECKING:
    from perfgate.guardrails.document import Node


def read_condition(node: Node | None) -> Condition | None:
    """A checked mapping as a condition; None where none is written.

    Raises:
        UnusableError: a precision nobody knows, or a condition that asks nothing.
    """
    if node is None:
        return None
    if not node.pairs:
        raise UnusableError(
            "a condition asks nothing", str(node.place), "write what must hold, such as has: [--fp16]"
        )
    flags = node.get("flag")
    is_open = node.get("open")
    any_of = node.get("any")
    return Condition(
        flags=tuple((key.scalar(), value.texts()) for key, value in (flags.pairs or () if flags else ())),
        has=_texts(node, "has"),
        shows=_texts(node, "shows"),
        lacks=_texts(node, "lacks"),
        device=_texts(node, "device"),
        model=_texts(node, "model"),
        precision=_precisions(node.get("precision")),
        path=_texts(node, "path"),
        is_open=None if is_open is None else is_open.scalar() == "true",
        any_of=tuple(part for item in (any_of.entries() if any_of else ()) if (part := read_condition(item))),
        excluded=read_condition(node.get("not")),
    )


def _texts(node: Node, name: str) -> tuple[str, ...]:
    value = node.get(name)
    return () if value is None else value.texts()


def _precisions(node: Node | None) -> tuple[str, ...]:
    for item in () if node is None else node.entries():
        if item.scalar() not in PRECISIONS:
            raise unknown_name(item, PRECISIONS, "precision")
    return () if node is None else node.texts()
