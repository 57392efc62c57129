"""Functions of Make that put text together; what the file system or a command tells is not known."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from perfgate.config.branches import Decision
from perfgate.config.embedded import atoms_of, unknown, within_limits
from perfgate.config.fields import split_fields
from perfgate.config.make_expand import known_text, substituted
from perfgate.config.words import Atom

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from perfgate.config.make_expand import Expander, MakeFunction
    from perfgate.config.spans import Placed
    from perfgate.config.words import Word

Atoms = tuple[Atom, ...]
_BRACKET = re.compile(r"[(){},]")


def arguments_of(text: Placed) -> list[Placed]:
    """The arguments of a function: commas inside of brackets do not count."""
    parts: list[Placed] = []
    depth = start = 0
    for match in _BRACKET.finditer(text.text):
        if match[0] in "({":
            depth += 1
        elif match[0] in ")}":
            depth -= 1
        elif not depth:
            parts.append(text.cut(start, match.start()))
            start = match.end()
    parts.append(text.cut(start, len(text)))
    return parts


def _rest(parts: Sequence[Placed], index: int, text: Placed) -> Placed:
    """All from one argument on; a last argument may hold commas."""
    if index >= len(parts):
        return text.cut(len(text), len(text))
    start = sum(len(part) + 1 for part in parts[:index])
    return text.cut(start, len(text))


def _blank(place: Placed) -> Atom:
    return Atom(text=place.cut(0, 0).standing_for(" "))


def _listed(words: Sequence[Atoms], place: Placed) -> Atoms:
    atoms: list[Atom] = []
    for word in words:
        if atoms:
            atoms.append(_blank(place))
        atoms.extend(word)
    return within_limits(tuple(atoms), place.text)


def _words(expander: Expander, text: Placed) -> tuple[Word, ...]:
    return split_fields(expander.atoms(text), text)


def _guarded(word: Word, atoms: Atoms) -> Atoms:
    if not any(word.guards):
        return atoms
    return tuple(replace(atom, guard=atom.guard | guard) for guard in word.guards for atom in atoms)


def _affixed(*, before: bool) -> MakeFunction:
    """`addprefix` and `addsuffix`; of a list that is not known the result is not known."""

    def function(expander: Expander, text: Placed, place: Placed) -> Atoms:
        parts = arguments_of(text)
        affix = expander.atoms(parts[0])
        words = _words(expander, _rest(parts, 1, text))
        if any(word.splits or word.is_open for word in words):
            return unknown(place.text, place).atoms
        changed = [
            _guarded(word, (*affix, *word.atoms) if before else (*word.atoms, *affix)) for word in words
        ]
        return _listed(changed, place)

    return function


def _stripped(expander: Expander, text: Placed, place: Placed) -> Atoms:
    return _listed([_guarded(word, word.atoms) for word in _words(expander, text)], place)


def _if(expander: Expander, text: Placed, place: Placed) -> Atoms:
    parts = arguments_of(text)
    condition = known_text(expander.atoms(parts[0].stripped()))
    then = expander.atoms(parts[1].stripped()) if len(parts) > 1 else ()
    otherwise = expander.atoms(_rest(parts, 2, text).stripped())
    is_decided = condition is not None and not any(atom.replaceable for atom in expander.atoms(parts[0]))
    if is_decided:
        return then if condition else otherwise
    span = place.span()
    decision = Decision(place=f"{span.line}:{span.column}", outcomes=2)
    return (*_under(then, decision, 0), *_under(otherwise, decision, 1))


def _under(atoms: Atoms, decision: Decision, outcome: int) -> Atoms:
    pair = frozenset({(decision, outcome)})
    return tuple(replace(atom, guard=atom.guard | pair) for atom in atoms)


def _or(expander: Expander, text: Placed, place: Placed) -> Atoms:
    """The first argument that is not empty; behind an unknown one the next is a default."""
    ways = [expander.atoms(part.stripped()) for part in arguments_of(text)]
    for index, atoms in enumerate(ways):
        known = known_text(atoms)
        if known is None:
            rest = ways[index + 1 :]
            if len(rest) == 1 and known_text(rest[0]):
                return tuple(replace(atom, replaceable=True, source=place.text) for atom in rest[0])
            return unknown(place.text, place).atoms
        if known:
            return atoms
    return ()


def _foreach(expander: Expander, text: Placed, place: Placed) -> Atoms:
    parts = arguments_of(text)
    if len(parts) < 3:  # noqa: PLR2004 - variable, list and text
        return unknown(place.text, place).atoms
    name = parts[0].text.strip()
    results: list[Atoms] = []
    for word in _words(expander, parts[1]):
        if word.is_open or word.splits:
            return unknown(place.text, place).atoms
        bound = replace(expander, arguments={**expander.arguments, name: word.atoms})
        results.append(_guarded(word, bound.atoms(_rest(parts, 2, text))))
    return _listed(results, place)


def _call(expander: Expander, text: Placed, place: Placed) -> Atoms:
    parts = arguments_of(text)
    name = known_text(expander.atoms(parts[0].stripped()))
    if name is None:
        return unknown(place.text, place).atoms
    bound = {str(index): expander.atoms(part) for index, part in enumerate(parts[1:], start=1)}
    inner = replace(expander, arguments=expander.arguments | bound, depth=expander.depth + 1)
    return inner.named(name, place)


def _computed(change: Callable[[list[str], str], str]) -> MakeFunction:
    """A function of known text only: the last argument is the list, `change` gets the ones before it too."""

    def function(expander: Expander, text: Placed, place: Placed) -> Atoms:
        parts = arguments_of(text)
        known = [known_text(expander.atoms(part)) for part in parts]
        if any(part is None for part in known) or any(
            atom.replaceable for part in parts for atom in expander.atoms(part)
        ):
            return unknown(place.text, place).atoms
        texts = [part for part in known if part is not None]
        return (Atom(text=place.standing_for(change([part.strip() for part in texts[:-1]], texts[-1]))),)

    return function


def _per_word(change: Callable[[str], str]) -> Callable[[list[str], str], str]:
    return lambda _, text: " ".join(change(word) for word in text.split())


def _folder(word: str) -> str:
    return word[: word.rfind("/") + 1] or "./"


def _without_ending(word: str) -> str:
    name = word[word.rfind("/") + 1 :]
    return word[: len(word) - len(name) + name.rfind(".")] if "." in name else word


def _nothing(_expander: Expander, _text: Placed, _place: Placed) -> Atoms:
    return ()


def _hidden(_expander: Expander, _text: Placed, place: Placed) -> Atoms:
    return atoms_of([unknown(place.text, place)])


def _replaced(parts: list[str], text: str) -> str:
    return text.replace(parts[0], parts[1]) if len(parts) > 1 and parts[0] else text


def _patterned(parts: list[str], text: str) -> str:
    if len(parts) < 2:  # noqa: PLR2004 - pattern and replacement
        return text
    return " ".join(substituted(word, parts[0], parts[1]) for word in text.split())


MAKE_FUNCTIONS: Mapping[str, MakeFunction] = {
    "addprefix": _affixed(before=True),
    "addsuffix": _affixed(before=False),
    "strip": _stripped,
    "if": _if,
    "or": _or,
    "foreach": _foreach,
    "call": _call,
    "subst": _computed(_replaced),
    "patsubst": _computed(_patterned),
    "notdir": _computed(_per_word(lambda word: word[word.rfind("/") + 1 :])),
    "dir": _computed(_per_word(_folder)),
    "basename": _computed(_per_word(_without_ending)),
    "suffix": _computed(_per_word(lambda word: word[len(_without_ending(word)) :])),
    "firstword": _computed(lambda _, text: " ".join(text.split()[:1])),
    "lastword": _computed(lambda _, text: " ".join(text.split()[-1:])),
    "sort": _computed(lambda _, text: " ".join(sorted(set(text.split())))),
    "info": _nothing,
    "warning": _nothing,
    "error": _nothing,
    "eval": _nothing,
} | dict.fromkeys(
    (
        *("shell", "wildcard", "and", "abspath", "realpath", "filter", "filter-out", "findstring", "word"),
        *("words", "wordlist", "join", "value", "origin", "flavor", "file", "guile", "let", "intcmp"),
    ),
    _hidden,
)
