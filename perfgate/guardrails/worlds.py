"""The paths through a file that matter to a rule: on each of them every flag is either there or not.

A rule asks whether some path breaks it. So a flag under an `if` is judged twice, with and without it, and a
flag that every arm adds is always there, without a rule of its own for either.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from perfgate.config.branches import Decision, parse_branch, worlds
from perfgate.config.facts import Presence

if TYPE_CHECKING:
    from perfgate.config.branches import Guard
    from perfgate.config.facts import Flag
    from perfgate.guardrails.subject import Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class Paths:
    """The subject on each path. `is_complete` is false when there are too many paths to try them all."""

    subjects: tuple[Subject, ...]
    is_complete: bool = True


def paths_through(subject: Subject, names: frozenset[str]) -> Paths:
    """The subject on every path that decides about flags of these canonical names."""
    relevant = [flag for flag in subject.flags if flag.name in names and flag.presence is Presence.SOMETIMES]
    if not relevant:
        return Paths(subjects=(subject,))
    guards = [guard for flag in relevant for guard in _guards(flag)]
    cases = worlds(guards)
    if cases is None:
        few = tuple(flag for flag in subject.flags if flag.presence is Presence.ALWAYS)
        return Paths(subjects=(_with(subject, few), _with(subject, subject.flags)), is_complete=False)
    return Paths(subjects=tuple(dict.fromkeys(_on_path(subject, names, case) for case in cases)))


def _on_path(subject: Subject, names: frozenset[str], case: Guard) -> Subject:
    return _with(
        subject, tuple(flag for flag in subject.flags if flag.name in names and _is_there(flag, case))
    )


def _is_there(flag: Flag, case: Guard) -> bool:
    if flag.presence is Presence.ALWAYS:
        return True
    return any(guard <= case for guard in _guards(flag))


def _guards(flag: Flag) -> tuple[Guard, ...]:
    """When the flag is there; one whose branch is not told hangs on a decision of its own."""
    if flag.branch:
        return parse_branch(flag.branch)
    return (frozenset({(Decision(str(flag.span), 2), 0)}),)


def _with(subject: Subject, flags: tuple[Flag, ...]) -> Subject:
    kept = []
    for index, flag in enumerate(flags):
        is_overridden = flag.overridden and any(later.name == flag.name for later in flags[index + 1 :])
        kept.append(replace(flag, overridden=is_overridden))
    return replace(subject, flags=tuple(kept))
