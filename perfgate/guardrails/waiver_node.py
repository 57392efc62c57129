"""The `waivers` of a rule file as values."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from perfgate.core.errors import UnusableError
from perfgate.guardrails.rule import Waiver

if TYPE_CHECKING:
    from perfgate.guardrails.document import Node


def read_waivers(node: Node | None) -> tuple[Waiver, ...]:
    """The waivers of a checked node.

    Raises:
        UnusableError: a path that spans folders, a date that does not exist, or the same waiver twice.
    """
    waivers = tuple(_waiver(item) for item in (node.items or () if node else ()))
    seen: dict[tuple[str, str, str], Waiver] = {}
    for waiver in waivers:
        first = seen.setdefault(waiver.identity, waiver)
        if first is not waiver:
            raise UnusableError(
                "the same waiver stands twice", str(waiver.place), f"keep one; the first is at {first.place}"
            )
    return waivers


def _waiver(node: Node) -> Waiver:
    fields = {key.scalar(): value for key, value in node.pairs or ()}
    texts = {name: value.scalar() for name, value in fields.items() if name != "expires"}
    if "**" in texts["path"] or not texts["path"].strip("/."):
        raise UnusableError(
            "a waiver covers one file", str(fields["path"].place), "name the file, without **"
        )
    return Waiver(expires=_date(fields["expires"]), place=node.place, **texts)


def _date(node: Node) -> date:
    try:
        return date.fromisoformat(node.scalar())
    except ValueError:
        raise UnusableError(
            f"{node.scalar()!r} is no date", str(node.place), "write a day such as 2027-02-15"
        ) from None
