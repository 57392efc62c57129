"""The `settings` of a rule file as a value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.errors import UnusableError
from perfgate.core.finding import Severity
from perfgate.guardrails.quantity import NumberType, read_as
from perfgate.guardrails.rule import PathChoice, Settings

if TYPE_CHECKING:
    from perfgate.guardrails.document import Node

_LARGEST = 64 * 1024 * 1024  # a larger file is not read whatever the settings say


def read_settings(node: Node | None) -> Settings:
    """The settings of a checked node; each keeps the place of its value.

    Raises:
        UnusableError: a size that is none, or beyond what is ever read.
    """
    if node is None:
        return Settings()
    default = Settings()
    days, size, paths = node.get("waiver_max_days"), node.get("max_file_size"), node.get("paths")
    choice = (
        PathChoice(include=_texts(paths, "include"), exclude=_texts(paths, "exclude"))
        if paths
        else PathChoice()
    )
    places = tuple((key.scalar(), value.place) for key, value in node.pairs or ())
    return Settings(
        fail_on=_severity(node, "fail_on", default.fail_on),
        unresolved=_severity(node, "unresolved", default.unresolved),
        unknown_flag=_severity(node, "unknown_flag", default.unknown_flag),
        weakening=_severity(node, "weakening", default.weakening),
        waiver_max_days=default.waiver_max_days if days is None else int(days.scalar()),
        paths=(choice,),
        max_file_size=default.max_file_size if size is None else _size(size),
        alerts=_texts(node, "alerts"),
        places=(("settings", node.place), *places),
    )


def _severity(node: Node, name: str, default: Severity) -> Severity:
    value = node.get(name)
    return default if value is None else Severity(value.scalar())


def _size(node: Node) -> int:
    quantity = read_as(node.scalar(), NumberType.SIZE)
    if quantity is None or not 0 < quantity.value <= _LARGEST:
        raise UnusableError(
            "'max_file_size' is no size", str(node.place), "write a size such as 1MiB, at most 64MiB"
        )
    return int(quantity.value)


def _texts(node: Node, name: str) -> tuple[str, ...]:
    value = node.get(name)
    return () if value is None else value.texts()
