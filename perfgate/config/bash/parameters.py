"""Parameter expansion on variables: elements of arrays, defaults and alternatives."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from perfgate.config.bash.syntax import Literal, Parameter
from perfgate.config.branches import ALWAYS, Decision, Guard, worlds
from perfgate.config.fields import Part
from perfgate.config.words import Atom, Word, known_word, open_word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.config.bash.scope import Variable
    from perfgate.config.bash.syntax import WordPart


def is_whole_array(part: WordPart) -> bool:
    """The part stands for all elements of an array: `${a[@]}`, `$@`; not its length or a slice of text."""
    if not isinstance(part, Parameter) or part.operator == "#length":
        return False
    if part.name in {"@", "*"}:
        return part.operator in {"", ":", ":+", "+", ":-", "-"}
    return part.index is not None and part.index.literal in {"@", "*"}


def is_word_list(part: WordPart) -> bool:
    """The part becomes one word per element; `"${a[*]}"` is one text instead."""
    if not isinstance(part, Parameter) or not is_whole_array(part):
        return False
    star = part.name == "*" or (part.index is not None and part.index.literal == "*")
    return not (star and part.quoted)


def array_words(part: Parameter, variable: Variable | None) -> tuple[Word, ...]:
    """The elements as arguments; an open word for an array that the file does not show."""
    if variable is None:
        return (open_word(part.name, part.place),)
    if part.operator == "!" and variable.elements is not None:
        return _key_words(part, variable)
    if part.operator == ":" and variable.elements is not None and not variable.is_open:
        cut = sliced(part, variable.elements)
        return (open_word(part.name, part.place),) if cut is None else cut
    if part.operator not in {"", ":+", "+", ":-", "-"}:
        return (open_word(part.name, part.place),)
    if variable.elements is None:
        return () if variable.is_unset else (Word(atoms=variable.atoms, place=part.place, from_list=True),)
    words = tuple(replace(word, from_list=True) for word in variable.elements)
    return (*words, open_word(part.name, part.place)) if variable.is_open else words


def sliced(part: Parameter, words: tuple[Word, ...]) -> tuple[Word, ...] | None:
    """The words that `${array[@]:first:count}` keeps; None where the numbers are no constants."""
    pieces = part.operand.parts if part.operand is not None else ()
    text = "".join(piece.text.text if isinstance(piece, Literal) else "?" for piece in pieces)
    first, _, count = text.partition(":")
    if not first.isdigit() or (count and not count.isdigit()):
        return None
    if any(word.guards != (ALWAYS,) or word.is_open for word in words):
        return None
    last = int(first) + int(count) if count else len(words)
    return words[int(first) : last]


def _key_words(part: Parameter, variable: Variable) -> tuple[Word, ...]:
    elements = variable.elements or ()
    keys = variable.keys or tuple(str(index) for index in range(len(elements)))
    return tuple(known_word(part.place.standing_for(key)) for key in keys)


def element_atoms(part: Parameter, variable: Variable, key: tuple[Atom, ...] | None) -> tuple[Atom, ...]:
    """The text of a scalar, of one element of an array, or of its first element without a key."""
    elements = variable.elements
    if elements is None:
        return variable.atoms
    if key is None:
        key = (Atom(text=part.place.standing_for("0")),)
    cases = worlds(atom.guard for atom in key)
    if cases is None:
        return (Atom(text=None, source=part.name),)
    atoms: list[Atom] = []
    for case in cases:
        found = _element(part, variable, [atom for atom in key if atom.guard <= case])
        atoms.extend(atom.under(case) if case else atom for atom in found)
    return tuple(atoms)


def _element(part: Parameter, variable: Variable, key: Sequence[Atom]) -> tuple[Atom, ...]:
    elements = variable.elements or ()
    hidden = (Atom(text=None, source=part.name),)
    texts = [atom.text.text for atom in key if atom.text is not None]
    if len(texts) < len(key) or variable.is_open:
        return hidden
    text = "".join(texts)
    keys = variable.keys or tuple(str(index) for index in range(len(elements)))
    if text not in keys:
        return () if variable.keys is not None or text.isdigit() else hidden
    word = elements[keys.index(text)]
    return word.atoms if word.guards == (ALWAYS,) else hidden


def with_default(
    part: Parameter, variable: Variable | None, current: list[Part], default: list[Part]
) -> list[Part]:
    """`${x:-default}`: what the file knows of x; the default where x is empty, replaceable where unknown."""
    colon = part.operator.startswith(":")
    if variable is None:
        return _replaceable(part, default)
    if variable.is_unset:
        return default
    cases = worlds(piece.atom.guard for piece in current)
    if cases is None or (not current and not colon):
        return current
    if cases == (ALWAYS,):
        return _case_default(part, current, default, colon=colon)
    found: list[Part] = []
    states = [_state([piece for piece in current if piece.atom.guard <= case]) for case in cases]
    if all(state == "text" for state in states):
        return current
    for case in cases:
        here = [piece for piece in current if piece.atom.guard <= case]
        bare = [replace(piece, atom=piece.atom.only(ALWAYS)) for piece in here]
        found.extend(_under(piece, case) for piece in _case_default(part, bare, default, colon=colon))
    return found


def _case_default(part: Parameter, current: list[Part], default: list[Part], *, colon: bool) -> list[Part]:
    state = _state(current)
    if state == "text":
        return current
    if state == "unknown":
        return _replaceable(part, default)
    return default if colon or not current else current


def _state(pieces: list[Part]) -> str:
    """Whether the pieces surely have text, surely have none, or may have none."""
    if any(piece.atom.text is not None and piece.atom.text.text for piece in pieces):
        return "text"
    hidden = any(piece.atom.text is None or piece.atom.replaceable for piece in pieces)
    return "unknown" if hidden else "empty"


def _replaceable(part: Parameter, pieces: list[Part]) -> list[Part]:
    found = [replace(piece, atom=replace(piece.atom, replaceable=True)) for piece in pieces]
    if found:
        return found
    empty = Atom(text=part.place.cut(0, 0), replaceable=True)
    return [Part(atom=empty, splits=not part.quoted)]


def _under(piece: Part, guard: Guard) -> Part:
    return replace(piece, atom=piece.atom.under(guard))


def alternative(part: Parameter, variable: Variable | None, pieces: list[Part]) -> list[Part]:
    """`${x:+pieces}`: there where x has text; a decision of its own where the file does not tell."""
    if variable is None or any(atom.text is None or atom.replaceable for atom in variable.atoms):
        decision = Decision(f"{part.name} set", 2)
        return [_under(piece, frozenset({(decision, 1)})) for piece in pieces]
    if variable.is_unset:
        return []
    cases = worlds(atom.guard for atom in variable.atoms) or ()
    kept = [case for case in cases if any(atom.guard <= case and atom.text for atom in variable.atoms)]
    if len(kept) == len(cases):
        return pieces
    return [_under(piece, case) for case in kept for piece in pieces]
