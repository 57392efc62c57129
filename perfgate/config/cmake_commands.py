"""Which arguments of a CMake call are commands, and which settings it makes."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from perfgate.config.cmake_words import argument_words, joined_list
from perfgate.config.facts import EnvOperation
from perfgate.config.settings import read_setting
from perfgate.config.words import known_word

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from perfgate.config.cmake_syntax import Argument, CMakeCall
    from perfgate.config.found import Found
    from perfgate.config.words import Atom, Word

    Values = Mapping[str, tuple[Word, ...]]


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Form:
    """How a call names commands: keywords that begin one, keywords that end it, words before the first."""

    begins: frozenset[str] = frozenset({"COMMAND"})
    ends: frozenset[str] = frozenset()
    skip: int | None = None
    uses_shell: bool = False


_FORMS = {
    "add_custom_command": _Form(
        ends=_names(
            "OUTPUT MAIN_DEPENDENCY DEPENDS BYPRODUCTS IMPLICIT_DEPENDS WORKING_DIRECTORY COMMENT DEPFILE "
            "JOB_POOL JOB_SERVER_AWARE VERBATIM APPEND USES_TERMINAL CODEGEN COMMAND_EXPAND_LISTS "
            "DEPENDS_EXPLICIT_ONLY "
            "TARGET PRE_BUILD PRE_LINK POST_BUILD"
        ),
        uses_shell=True,
    ),
    "add_custom_target": _Form(
        ends=_names(
            "DEPENDS BYPRODUCTS WORKING_DIRECTORY COMMENT JOB_POOL JOB_SERVER_AWARE VERBATIM USES_TERMINAL "
            "COMMAND_EXPAND_LISTS SOURCES"
        ),
        skip=1,
        uses_shell=True,
    ),
    "execute_process": _Form(
        ends=_names(
            "WORKING_DIRECTORY TIMEOUT RESULT_VARIABLE RESULTS_VARIABLE OUTPUT_VARIABLE ERROR_VARIABLE "
            "INPUT_FILE OUTPUT_FILE ERROR_FILE OUTPUT_QUIET ERROR_QUIET COMMAND_ECHO ENCODING "
            "OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_STRIP_TRAILING_WHITESPACE ECHO_OUTPUT_VARIABLE "
            "ECHO_ERROR_VARIABLE COMMAND_ERROR_IS_FATAL"
        )
    ),
    "add_test": _Form(ends=_names("CONFIGURATIONS WORKING_DIRECTORY COMMAND_EXPAND_LISTS NAME"), skip=1),
    "exec_program": _Form(ends=_names("OUTPUT_VARIABLE RETURN_VALUE"), skip=0),
    "externalproject_add": _Form(
        begins=_names("CONFIGURE_COMMAND BUILD_COMMAND INSTALL_COMMAND TEST_COMMAND PATCH_COMMAND COMMAND"),
        ends=_names(
            "PREFIX URL URL_HASH GIT_REPOSITORY GIT_TAG SOURCE_DIR BINARY_DIR INSTALL_DIR CMAKE_ARGS DEPENDS "
            "BUILD_IN_SOURCE BUILD_ALWAYS BUILD_BYPRODUCTS LOG_BUILD LOG_CONFIGURE LOG_INSTALL "
            "WORKING_DIRECTORY DOWNLOAD_COMMAND UPDATE_COMMAND STEP_TARGETS USES_TERMINAL_BUILD "
            "CMAKE_CACHE_ARGS EXCLUDE_FROM_ALL"
        ),
        uses_shell=True,
    ),
}
_QUOTES = re.compile("[\"']")
_LINKS = frozenset({"&&", "||", "|", ";", "&"})
_REDIRECT = re.compile(r"\d*(?:>>?|<|>&|&>)(.*)", re.DOTALL)


def command_words(call: CMakeCall, values: Values) -> Iterator[tuple[Word, ...]]:
    """The words of each command that the call runs."""
    form = _FORMS.get(call.name)
    if form is None:
        return
    for arguments in _command_arguments(form, call.arguments):
        words = tuple(word for argument in arguments for word in argument_words(argument, values))
        if form.uses_shell and not any(argument.keyword == "VERBATIM" for argument in call.arguments):
            words = tuple(_without_quotes(word) for word in words)
        yield from _linked(words) if form.uses_shell else [words]


def _without_quotes(word: Word) -> Word:
    """Without VERBATIM quotes inside of an argument reach the shell, which takes them off."""
    atoms: list[Atom] = []
    for atom in word.atoms:
        text = atom.text
        if text is None or not _QUOTES.search(text.text):
            atoms.append(atom)
            continue
        bounds = [0, *(end for match in _QUOTES.finditer(text.text) for end in match.span()), len(text)]
        kept = [text.cut(start, end) for start, end in zip(bounds[::2], bounds[1::2], strict=True)]
        atoms += [replace(atom, text=part) for part in kept if len(part)]
    return replace(word, atoms=tuple(atoms))


def _command_arguments(form: _Form, arguments: Sequence[Argument]) -> Iterator[list[Argument]]:
    current: list[Argument] | None = None
    rest = list(arguments)
    if form.skip is not None and not any(argument.keyword in form.begins for argument in arguments):
        rest = rest[form.skip :]
        if form.skip and rest and rest[0].keyword == "ALL":
            rest = rest[1:]
        current = []
    for argument in rest:
        if argument.keyword in form.begins:
            yield from [current] if current else []
            current = []
        elif argument.keyword in form.ends:
            yield from [current] if current else []
            current = None
        elif current is not None and argument.keyword != "ARGS":
            current.append(argument)
    yield from [current] if current else []


def _linked(words: tuple[Word, ...]) -> Iterator[tuple[Word, ...]]:
    """Custom commands reach a shell: `&&` starts another command, redirections are no arguments."""
    current: list[Word] = []
    skips = False
    for word in words:
        text = word.text or ""
        redirect = _REDIRECT.fullmatch(text)
        if skips:
            skips = False
        elif text in _LINKS:
            yield tuple(current)
            current = []
        elif redirect is not None:
            skips = not redirect[1]
        else:
            current.append(word)
    yield tuple(current)


def call_settings(call: CMakeCall, values: Values) -> Iterator[Found]:
    """Environment settings of tests, and `set(ENV{NAME} ...)`."""
    arguments = call.arguments
    if call.name == "set" and arguments and (match := _ENV.fullmatch(arguments[0].keyword)) is not None:
        name = arguments[0].text.cut(match.start(1), match.end(1))
        words = [word for argument in arguments[1:2] for word in argument_words(argument, values)]
        atoms = joined_list(words)
        rest = tuple(atom for atom in atoms if atom.source != f"ENV{{{name.text}}}")
        yield read_setting(name, rest, EnvOperation.APPEND if len(rest) < len(atoms) else EnvOperation.SET)
    if call.name in {"set_tests_properties", "set_property", "set_target_properties"}:
        yield from _test_settings(arguments, values)


_ENV = re.compile(r"ENV\{(\w+)\}")
_ASSIGNED = re.compile(r"(\w+)=(?:(set|string_append|string_prepend):)?")


def _test_settings(arguments: Sequence[Argument], values: Values) -> Iterator[Found]:
    names = [argument.keyword for argument in arguments]
    for keyword in ("ENVIRONMENT", "ENVIRONMENT_MODIFICATION"):
        if keyword not in names:
            continue
        start = names.index(keyword) + 1
        for argument in arguments[start:]:
            if argument.keyword and "=" not in argument.keyword:
                break
            for word in argument_words(replace(argument, quote=""), values):
                yield from _word_setting(word)


def _word_setting(word: Word) -> Iterator[Found]:
    first = word.first_text
    match = _ASSIGNED.match(first.text) if first is not None else None
    if first is None or match is None:
        return
    operation = EnvOperation.APPEND if (match[2] or "").startswith("string") else EnvOperation.SET
    atoms = (replace(word.atoms[0], text=first.cut(match.end(), len(first))), *word.atoms[1:])
    yield read_setting(first.cut(0, len(match[1])), atoms, operation)


def program_words(call: CMakeCall) -> tuple[Word, ...]:
    """The program that `find_program(VARIABLE name ...)` looks for: the first name."""
    names = [argument for argument in call.arguments[1:] if argument.keyword != "NAMES"]
    return (known_word(names[0].text),) if names else ()
