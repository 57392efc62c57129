"""What a bisection would do, for `--dry-run`."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import msgspec

from perfgate.bisection.probe import Candidate  # noqa: TC001 - msgspec reads the annotations at run time
from perfgate.core.units import readable
from perfgate.report.inert import inert

if TYPE_CHECKING:
    from collections.abc import Sequence

_SHOWN = 20
_SHORT = 7


class BisectPlan(msgspec.Struct, frozen=True, kw_only=True):
    """One benchmark's search before anything is built. `samples` 0: the ends have to be measured first.

    `checkout_bytes` of one worktree. `placed` are paths of the overlay, `former` renames it undoes.
    """

    benchmark: str
    metric: str
    candidates: tuple[Candidate, ...]
    commits: int
    builds: int
    samples: int
    checkout_bytes: int
    trees: int
    set_up: tuple[str, ...]
    definition: str
    placed: tuple[str, ...]
    former: dict[str, tuple[str, ...]]
    notes: tuple[str, ...]


def plan_lines(plans: Sequence[BisectPlan]) -> list[str]:
    """The plans in lines."""
    lines: list[str] = []
    for plan in plans:
        disk = readable(plan.checkout_bytes * plan.trees, "B")
        samples = str(plan.samples) if plan.samples else "known when both ends are measured"
        lines += [
            f"{inert(plan.benchmark)} {plan.metric}, {plan.commits} commits",
            f"  search    {len(plan.candidates) - 1} candidates",
            f"  builds    about {plan.builds} unless commits do not build",
            f"  samples   {samples}",
            f"  disk      up to {disk} in {plan.trees} worktrees",
            f"  set-up    {inert(shlex.join(plan.set_up)) if plan.set_up else 'none'}",
            f"  files     {inert(', '.join(plan.placed)) or 'none'} ({plan.definition[:12]})",
        ]
        lines += [
            f"  renamed   {inert(', '.join(names))} -> {inert(path)}" for path, names in plan.former.items()
        ]
        lines += [f"  note      {inert(note)}" for note in plan.notes]
        shown = plan.candidates if len(plan.candidates) <= _SHOWN else ()
        lines += [
            f"  {item.commit[:_SHORT]}  weight {item.weight:g}  {inert(item.subject)}"
            for item in (shown or (*plan.candidates[: _SHOWN // 2], *plan.candidates[-_SHOWN // 2 :]))
        ]
        if not shown:
            lines.append(f"  ({len(plan.candidates) - _SHOWN} candidates between them are not shown)")
    return lines
