"""Atoms to values: one text, all candidates, or known and unknown pieces."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from perfgate.config.branches import ALWAYS, Guard, contradicts, worlds
from perfgate.config.facts import Piece, Value

if TYPE_CHECKING:
    from perfgate.config.words import Atom

MAX_VALUE_LENGTH = 65_536  # 64 KiB, GUARDRAILS section 9


def value_of(atoms: tuple[Atom, ...], guards: tuple[Guard, ...] = (ALWAYS,)) -> Value:
    """The value that the atoms write where one of `guards` holds.

    Several known texts are candidates. Known and unknown texts together are a default that something outside
    the file can replace.
    """
    given = guards[0] if len(guards) == 1 else ALWAYS
    kept = tuple(atom for atom in atoms if not contradicts(atom.guard, given))
    replaceable = any(atom.replaceable for atom in kept)
    if sum(len(atom.text) for atom in kept if atom.text is not None) > MAX_VALUE_LENGTH:
        return Value(pieces=(Piece(text=None, source="a value over 64 KiB"),))
    cases = _cases(kept, guards, given)
    if cases is None:
        return Value(pieces=_merged(_guarded_as_unknown(kept)), replaceable=replaceable)
    ways = list(dict.fromkeys(_merged(_pieces(kept, case | given)) for case in cases))
    texts = tuple(dict.fromkeys(text for way in ways if (text := _text(way)) is not None))
    hidden = [way for way in ways if _text(way) is None]
    if not texts:
        return Value(pieces=hidden[0] if len(hidden) == 1 else _shared(hidden), replaceable=False)
    if len(texts) == 1:
        pieces = (Piece(text=texts[0]),)
        return Value(pieces=pieces, replaceable=replaceable or bool(hidden))
    return Value(pieces=(), candidates=texts, replaceable=replaceable or bool(hidden))


def _cases(atoms: tuple[Atom, ...], guards: tuple[Guard, ...], given: Guard) -> tuple[Guard, ...] | None:
    varied = [atom.guard for atom in atoms]
    if not any(varied):
        return (ALWAYS,)
    if len(guards) == 1:
        return worlds(varied, given)
    cases = worlds([*varied, *guards])
    return None if cases is None else tuple(case for case in cases if any(guard <= case for guard in guards))


def _pieces(atoms: tuple[Atom, ...], case: Guard) -> list[Piece]:
    return [_piece(atom) for atom in atoms if atom.guard <= case]


def _piece(atom: Atom) -> Piece:
    return Piece(text=None, source=atom.source) if atom.text is None else Piece(text=atom.text.text)


def _guarded_as_unknown(atoms: tuple[Atom, ...]) -> list[Piece]:
    return [
        Piece(text=None, source="too many combinations") if atom.guard else _piece(atom) for atom in atoms
    ]


def _merged(pieces: list[Piece]) -> tuple[Piece, ...]:
    merged: list[Piece] = []
    for piece in pieces:
        if piece.text == "":
            continue
        last = merged[-1] if merged else None
        if last is None or (last.text is None) != (piece.text is None):
            merged.append(piece)
        elif last.text is not None and piece.text is not None:
            merged[-1] = Piece(text=last.text + piece.text)
    return tuple(merged) or (Piece(text=""),)


def _text(pieces: tuple[Piece, ...]) -> str | None:
    return pieces[0].text if len(pieces) == 1 else None


def _shared(ways: list[tuple[Piece, ...]]) -> tuple[Piece, ...]:
    """What all ways begin and end with, and unknown between."""
    sources = [piece.source for way in ways for piece in way if piece.text is None]
    start = _common_start([way[0].text or "" for way in ways])
    end = _common_start([(way[-1].text or "")[::-1] for way in ways])[::-1]
    pieces = [Piece(text=start), Piece(text=None, source=sources[0]), Piece(text=end)]
    return _merged(pieces)


def _common_start(texts: list[str]) -> str:
    columns = zip(*texts, strict=False)
    same = takewhile(lambda signs: len(set(signs)) == 1, columns)
    return "".join(signs[0] for signs in same)
