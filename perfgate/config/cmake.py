"""CMake files: custom commands, processes and tests with what variables and lists put into them.

What `if` decides is left open. Functions and macros are read once, at the end of the file, with their
parameters unknown; included files are not followed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from perfgate.config.branches import MAX_WORLDS, Decision
from perfgate.config.broken import broken_at
from perfgate.config.cmake_commands import call_settings, command_words, program_words
from perfgate.config.cmake_lists import Values, joined_values
from perfgate.config.cmake_syntax import CMakeCall, cmake_calls
from perfgate.config.cmake_words import argument_words, joined_list, split_text
from perfgate.config.embedded import Budget
from perfgate.config.found import Found, merged
from perfgate.config.key_paths import BrokenTextError
from perfgate.config.running import run_words
from perfgate.config.words import Word, known_word, open_word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.config.cmake_syntax import Argument
    from perfgate.config.spans import Source

_BLOCKS = {
    "if": "endif",
    "foreach": "endforeach",
    "while": "endwhile",
    "function": "endfunction",
    "macro": "endmacro",
    "block": "endblock",
}
_SET_OPTIONS = frozenset({"CACHE", "PARENT_SCOPE"})
MAX_STEPS = 20_000  # calls followed in the rounds of loops
MAX_NESTING = 64  # blocks inside blocks


def read_cmake(source: Source) -> Found:
    """The facts of a CMake file."""
    text = source.whole()
    calls: list[CMakeCall] = []
    parts: list[Found] = []
    try:
        for call in cmake_calls(text):
            calls.append(call)  # noqa: PERF402 - the calls before a broken one count
    except BrokenTextError as error:
        parts.append(broken_at(source.span(error.offset, error.offset), error.reason))
    reader = _Reader(Budget(MAX_STEPS))
    values: Values = {"CMAKE_COMMAND": (known_word(text.cut(0, 0).standing_for("cmake")),)}
    reader.run(calls, values)
    reader.run_functions(values)
    return merged([*reader.found, *parts])


class _Reader:
    """Runs blocks of calls over the values of variables."""

    def __init__(self, budget: Budget, *, is_silent: bool = False) -> None:
        self._budget = budget
        self._is_silent = is_silent
        self._functions: list[tuple[CMakeCall, list[CMakeCall]]] = []
        self._context = ""
        self._nesting = 0
        self.found: list[Found] = []

    def run(self, calls: Sequence[CMakeCall], values: Values) -> None:
        """Reads calls in order; blocks are taken as a whole."""
        self._nesting += 1
        index = 0
        while index < len(calls):
            call = calls[index]
            if call.name in _BLOCKS and self._nesting < MAX_NESTING:
                end = _block_end(calls, index)
                self._block(call, list(calls[index + 1 : end]), values)
                index = end + 1
                continue
            if not self._is_silent or self._budget.spend():
                self._call(call, values)
            index += 1
        self._nesting -= 1

    def run_functions(self, values: Values) -> None:
        """Reads the bodies of functions with what is set at the end of the file."""
        while self._functions:
            call, body = self._functions.pop(0)
            inner = dict(values)
            names = [argument.keyword for argument in call.arguments]
            for argument in call.arguments[1:]:
                inner[argument.keyword] = (_hidden(argument),)
            for name in ("ARGN", "ARGV"):
                inner[name] = (open_word(name, call.place),)
            self._context = names[0] if names else ""
            self.run(body, inner)
        self._context = ""

    def _block(self, call: CMakeCall, body: list[CMakeCall], values: Values) -> None:
        if call.name in {"function", "macro"}:
            self._functions.append((call, body))
        elif call.name == "if":
            self._if(call, body, values)
        elif call.name == "foreach":
            self._foreach(call, body, values)
        elif call.name == "block":
            self.run(body, values)
        else:
            self._maybe(call, body, values)

    def _if(self, call: CMakeCall, body: list[CMakeCall], values: Values) -> None:
        arms, has_else = _arms(body)
        ways: list[Values] = []
        for arm in arms:
            way = dict(values)
            self.run(arm, way)
            if not any(inner.name in {"return", "break", "continue"} or _is_fatal(inner) for inner in arm):
                ways.append(way)
        if not has_else:
            ways.append(dict(values))
        _take(values, ways, call)

    def _maybe(self, call: CMakeCall, body: list[CMakeCall], values: Values) -> None:
        way = dict(values)
        self.run(body, way)
        _take(values, [way, dict(values)], call)

    def _foreach(self, call: CMakeCall, body: list[CMakeCall], values: Values) -> None:
        name = call.arguments[0].keyword if call.arguments else ""
        items = _items(call.arguments[1:], values)
        if items is None or not 0 < len(items) <= MAX_WORLDS:
            values[name] = (_hidden(call.arguments[0]),) if call.arguments else ()
            self._maybe(call, body, values)
            return
        decision = _decision(call, len(items))
        shown = dict(values)
        shown[name] = tuple(
            replace(word, guards=(frozenset({(decision, index)}),)) if len(items) > 1 else word
            for index, word in enumerate(items)
        )
        self.run(body, shown)
        silent = _Reader(self._budget, is_silent=True)
        for word in items:
            if not self._budget.spend():
                values[name] = (_hidden(call.arguments[0]),)
                break
            values[name] = (word,)
            silent.run(body, values)
        self._functions += silent._functions

    def _call(self, call: CMakeCall, values: Values) -> None:
        self.found += [run_words(words, context=self._context) for words in command_words(call, values)]
        self.found += call_settings(call, values)
        names = [argument.keyword for argument in call.arguments]
        if call.name == "set" and names and names[0]:
            _set(call.arguments, values)
        elif call.name == "unset" and names:
            values.pop(names[0], None)
        elif call.name == "list" and len(names) > 1:
            _change_list(call.arguments, values)
        elif call.name == "string" and len(names) > 1:
            _change_text(call.arguments, values)
        elif call.name == "option" and len(names) > 2:  # noqa: PLR2004 - name, help and value
            values.setdefault(names[0], _replaceable(argument_words(call.arguments[2], values), names[0]))
        elif call.name == "find_program" and names:
            values.setdefault(names[0], program_words(call))


def _hidden(argument: Argument) -> Word:
    return open_word(argument.text.text, argument.text)


def _is_fatal(call: CMakeCall) -> bool:
    return call.name == "message" and any(argument.keyword == "FATAL_ERROR" for argument in call.arguments)


def _decision(call: CMakeCall, outcomes: int) -> Decision:
    span = call.place.span()
    return Decision(place=f"{span.line}:{span.column}", outcomes=outcomes)


def _take(values: Values, ways: list[Values], call: CMakeCall) -> None:
    """What the ways of a decision leave becomes what holds behind it."""
    if not ways:
        return
    joined = ways[0] if len(ways) == 1 else joined_values(ways, _decision(call, len(ways)))
    values.clear()
    values |= joined


def _block_end(calls: Sequence[CMakeCall], start: int) -> int:
    """The index of the call that ends the block, or the number of calls."""
    name, ending, depth = calls[start].name, _BLOCKS[calls[start].name], 0
    for index in range(start, len(calls)):
        depth += {name: 1, ending: -1}.get(calls[index].name, 0)
        if not depth:
            return index
    return len(calls)


def _arms(body: list[CMakeCall]) -> tuple[list[list[CMakeCall]], bool]:
    """The arms of an `if`, and whether the last is its `else`."""
    arms: list[list[CMakeCall]] = [[]]
    depth, has_else = 0, False
    for call in body:
        depth += {"if": 1, "endif": -1}.get(call.name, 0)
        if not depth and call.name in {"else", "elseif"}:
            arms.append([])
            has_else = call.name == "else"
        else:
            arms[-1].append(call)
    return arms, has_else


def _items(arguments: Sequence[Argument], values: Values) -> tuple[Word, ...] | None:
    """The elements of a `foreach`, or None when the file does not tell them."""
    words: list[Word] = []
    mode = ""
    for argument in arguments:
        if argument.keyword in {"IN", "LISTS", "ITEMS", "RANGE", "ZIP_LISTS"}:
            mode = argument.keyword
        elif mode in {"RANGE", "ZIP_LISTS"}:
            return None
        elif mode == "LISTS":
            words += values.get(argument.text.text, (open_word(argument.text.text, argument.text),))
        else:
            words += split_text(argument_words(argument, values))
    is_known = all(not word.is_open and not any(word.guards) for word in words)
    return tuple(words) if is_known else None


def _replaceable(words: tuple[Word, ...], name: str) -> tuple[Word, ...]:
    return tuple(
        replace(word, atoms=tuple(replace(atom, replaceable=True, source=name) for atom in word.atoms))
        for word in words
    )


def _set(arguments: Sequence[Argument], values: Values) -> None:
    """`set(NAME value...)`; a cache entry is a default, which a variable set before hides."""
    name = arguments[0].keyword
    keywords = [argument.keyword for argument in arguments]
    end = next((index for index, keyword in enumerate(keywords) if keyword in _SET_OPTIONS), len(arguments))
    words = split_text([word for argument in arguments[1:end] for word in argument_words(argument, values)])
    if "CACHE" not in keywords:
        if len(arguments) == 1:
            values.pop(name, None)
        else:
            values[name] = words
    elif "FORCE" in keywords:
        values[name] = words
    else:
        values.setdefault(name, _replaceable(words, name))


def _change_list(arguments: Sequence[Argument], values: Values) -> None:
    action, name = arguments[0].keyword.upper(), arguments[1].text.text
    before = values.get(name, ())
    start = 3 if action == "INSERT" else 2
    more = split_text([word for argument in arguments[start:] for word in argument_words(argument, values)])
    if action == "APPEND":
        values[name] = (*before, *more)
    elif action == "PREPEND":
        values[name] = (*more, *before)
    elif action == "INSERT" and arguments[2].text.text.isdigit():
        index = int(arguments[2].text.text)
        values[name] = (*before[:index], *more, *before[index:])
    elif action in {"REMOVE_DUPLICATES", "SORT", "REVERSE", "LENGTH", "GET", "FIND", "JOIN", "SUBLIST"}:
        if action in {"LENGTH", "GET", "FIND", "JOIN", "SUBLIST"}:
            values[arguments[-1].text.text] = (open_word(arguments[-1].text.text, arguments[-1].text),)
    else:
        values[name] = (*before, open_word(name, arguments[1].text))


def _change_text(arguments: Sequence[Argument], values: Values) -> None:
    action, name = arguments[0].keyword.upper(), arguments[1].text.text
    words = [word for argument in arguments[2:] for word in argument_words(argument, values)]
    place = arguments[1].text
    atoms = tuple(atom for word in words for atom in word.atoms)
    before = joined_list(values.get(name, ()))
    if action == "APPEND":
        values[name] = split_text([Word(atoms=(*before, *atoms), place=place)])
    elif action == "PREPEND":
        values[name] = split_text([Word(atoms=(*atoms, *before), place=place)])
    elif action == "CONCAT":
        values[name] = split_text([Word(atoms=atoms, place=place)])
    else:
        for argument in arguments[1:]:
            if argument.keyword.isidentifier() and argument.keyword not in values:
                values[argument.keyword] = (open_word(argument.keyword, argument.text),)
