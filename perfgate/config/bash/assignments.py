"""Assignments: what a variable holds afterwards, and settings of watched environment variables."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from perfgate.config.bash.scope import MAX_PIECES, Variable, unknown
from perfgate.config.bash.syntax import Parameter
from perfgate.config.facts import EnvOperation
from perfgate.config.settings import read_setting
from perfgate.config.values import MAX_VALUE_LENGTH
from perfgate.config.words import Word

if TYPE_CHECKING:
    from perfgate.config.bash.flow import Runner
    from perfgate.config.bash.syntax import Assignment, Element

_DEFAULTS = frozenset({":-", "-", ":=", "="})


def assign(runner: Runner, assignment: Assignment, *, associative: bool = False) -> None:
    """Give the variable its new value and report it if it is watched."""
    report_setting(runner, assignment)
    name = assignment.name.text
    if assignment.elements is not None:
        variable = _array(runner, assignment, associative=associative)
    elif assignment.key is not None:
        variable = _with_element(runner, assignment)
    else:
        variable = _scalar(runner, assignment)
    runner.scope.assign(name, variable)


def _scalar(runner: Runner, assignment: Assignment) -> Variable:
    atoms = runner.expander.atoms(assignment.word)
    name = assignment.name.text
    if assignment.adds:
        before = runner.scope.get(name)
        if before is not None and before.elements:
            first = before.elements[0]
            grown = replace(first, atoms=(*first.atoms, *atoms))
            return replace(before, elements=(grown, *before.elements[1:]))
        atoms = (*(before or unknown(name)).atoms, *atoms)
    size = sum(len(atom.text) for atom in atoms if atom.text is not None)
    if size > MAX_VALUE_LENGTH or len(atoms) > MAX_PIECES:
        return unknown(name)
    return Variable(atoms=atoms)


def _array(runner: Runner, assignment: Assignment, *, associative: bool) -> Variable:
    elements = assignment.elements or ()
    keyed = [element for element in elements if element.key is not None]
    words: list[Word] = []
    keys: list[str] = []
    for element in elements:
        found = _element_words(runner, element)
        words.extend(found)
        keys.extend([_key(runner, element)] * len(found))
    is_open = any(word.is_open for word in words)
    if associative or keyed:
        return Variable(elements=tuple(words), keys=tuple(keys), is_open="" in keys or is_open)
    before = runner.scope.get(assignment.name.text) if assignment.adds else None
    if before is not None:
        old = before.elements if before.elements is not None else ()
        return Variable(elements=(*old, *words), keys=None, is_open=before.is_open or is_open)
    if assignment.adds and runner.sourced:
        is_open = True
    return Variable(elements=tuple(words[:MAX_PIECES]), is_open=is_open)


def _element_words(runner: Runner, element: Element) -> tuple[Word, ...]:
    if element.key is None:
        return runner.expander.words(element.word)
    atoms = runner.expander.atoms(element.word)
    return (Word(atoms=atoms, place=element.word.place),)


def _key(runner: Runner, element: Element) -> str:
    return (runner.expander.known_text(element.key) or "") if element.key is not None else ""


def _with_element(runner: Runner, assignment: Assignment) -> Variable:
    """`name[key]=word`: known keys of an array only."""
    before = runner.scope.get(assignment.name.text)
    key = runner.expander.known_text(assignment.key)
    word = assignment.word
    if word is None or key is None:
        return replace(before, is_open=True) if before is not None else unknown(assignment.name.text)
    element = Word(atoms=runner.expander.atoms(word), place=word.place)
    elements = before.elements or () if before is not None else ()
    keys = before.keys if before is not None and before.keys is not None else None
    names = keys or tuple(str(index) for index in range(len(elements)))
    if key in names:
        index = names.index(key)
        return Variable(elements=(*elements[:index], element, *elements[index + 1 :]), keys=keys)
    if keys is None and key == str(len(elements)):
        return Variable(elements=(*elements, element))
    return Variable(elements=(*elements, element), keys=(*names, key))


def report_setting(runner: Runner, assignment: Assignment) -> None:
    """Report an assignment to a watched variable; its own earlier text is left out and makes it an append."""
    name = assignment.name.text
    watched = name in assignment.name.source.watch.variables
    if not watched or assignment.elements is not None or assignment.key is not None:
        return
    runner.expander.own_name = name
    atoms = runner.expander.atoms(assignment.word)
    runner.expander.own_name = ""
    runner.output.add(read_setting(assignment.name, atoms, _operation(assignment)))


def _operation(assignment: Assignment) -> EnvOperation:
    name = assignment.name.text
    parts = assignment.word.parts if assignment.word is not None else ()
    own = [part for part in parts if isinstance(part, Parameter) and part.name == name]
    if assignment.adds:
        return EnvOperation.APPEND
    if not own:
        return EnvOperation.SET
    first = own[0]
    has_default = first.operator in _DEFAULTS and first.operand is not None and bool(first.operand.parts)
    return EnvOperation.DEFAULT if has_default and len(parts) == 1 else EnvOperation.APPEND
