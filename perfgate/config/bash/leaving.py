"""Ways out of a loop or function before its end: `break`, `continue` and `return`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfgate.config.bash.scope import Scope


@dataclass(slots=True, eq=False)
class Leaving:
    """The scopes in which a `loop` or `function` was left; they stand on top of the scope at its `start`.

    `is_broken`: one of them was left by `break`, so that not every round may have been run.
    """

    kind: str
    start: Scope
    scopes: list[Scope] = field(default_factory=list)
    is_broken: bool = False
