"""What a fix wants to stand in the repository: one value, file content, or absence, by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.core.setting import stage_of

if TYPE_CHECKING:
    from perfgate.core.diagnosis import Fix
    from perfgate.core.difference import DifferenceKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A flag or key that shall have `value` (None: shall be absent), or a file that shall have this digest.

    `is_checked`: it has to be `now` in the file as it stands, or the diagnosis is of another state. `place`
    is where the diagnosis saw it, `file:line:column`, or "".
    """

    kind: DifferenceKind
    name: str
    value: str | None
    now: str | None = None
    is_checked: bool = False
    place: str = ""

    @property
    def path(self) -> str:
        """The file of the place."""
        return self.place.rsplit(":", 2)[0] if self.place.count(":") > 1 else self.place


def wanted_of(fix: Fix) -> tuple[Wanted, ...]:
    """Differences go back to the baseline's value, then settings are put."""
    taken = (
        Wanted(
            kind=item.kind,
            name=stage_of(item.name)[1],
            value=item.before,
            now=item.after,
            is_checked=True,
            place=item.place_after,
        )
        for item in fix.taken
    )
    put = (Wanted(kind=item.kind, name=item.name, value=item.value) for item in fix.settings)
    return *taken, *put
