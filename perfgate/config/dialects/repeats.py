"""What a flag that stands twice means: the last one wins, both add up, or the tool refuses it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from perfgate.config.branches import ALWAYS, contradicts, parse_branch
from perfgate.config.facts import Note
from perfgate.config.programs import LLVM, TRTEXEC

if TYPE_CHECKING:
    from perfgate.config.branches import Guard
    from perfgate.config.facts import Flag
    from perfgate.config.programs import Program


def with_repeats(flags: tuple[Flag, ...], program: Program) -> tuple[tuple[Flag, ...], tuple[Note, ...]]:
    """The flags with `overridden` set where a later one always wins, and the notes on repeats.

    Flags of different arms of one conditional never meet and are no repeat.
    """
    places: dict[str, list[int]] = {}
    for index, flag in enumerate(flags):
        places.setdefault(flag.name, []).append(index)
    read = list(flags)
    notes: list[Note] = []
    for name, indices in places.items():
        if len(indices) > 1 and name not in program.adds_up:
            notes.extend(_notes([flags[index] for index in indices], program))
            _override(read, indices, program)
    return tuple(read), tuple(sorted(notes, key=lambda note: (note.span.line, note.span.column)))


def _notes(flags: list[Flag], program: Program) -> list[Note]:
    notes = []
    guards = [parse_branch(flag.branch) for flag in flags]
    for index, flag in enumerate(flags[1:], start=1):
        if program.bare_repeats and flag.value.is_bare:
            continue
        if any(_can_meet(earlier, guards[index]) for earlier in guards[:index]):
            notes.append(_note(flag, program))
    return notes


def _note(flag: Flag, program: Program) -> Note:
    if program.dialect in {LLVM, TRTEXEC}:
        text = f"{flag.name} is given twice; {program.name} refuses that"
        return Note(code="repeat-error", span=flag.span, text=text)
    return Note(code="repeated-flag", span=flag.span, text=f"{flag.name} is given twice; the last one wins")


def _override(flags: list[Flag], indices: list[int], program: Program) -> None:
    if program.dialect in {LLVM, TRTEXEC}:
        return
    for position, index in enumerate(indices[:-1]):
        guards = parse_branch(flags[index].branch)
        later = [parse_branch(flags[other].branch) for other in indices[position + 1 :]]
        if any(_implies(guards, other) for other in later):
            flags[index] = replace(flags[index], overridden=True)


def _can_meet(left: tuple[Guard, ...], right: tuple[Guard, ...]) -> bool:
    return any(not contradicts(one, other) for one in left for other in right)


def _implies(guards: tuple[Guard, ...], later: tuple[Guard, ...]) -> bool:
    return ALWAYS in later or all(any(other <= guard for other in later) for guard in guards)
