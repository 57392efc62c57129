"""From the words of a call to facts: wrappers are taken off, nested shell text is followed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from perfgate.config.bash.command_reading import CommandReader
from perfgate.config.bash.functions import report_functions
from perfgate.config.bash.scope import Scope, Variable
from perfgate.config.bash.texts import spaced, with_holes
from perfgate.config.bash.unwrap import (
    filled,
    known_start,
    parallel_options,
    shell_options,
    unwrap,
    xargs_options,
)
from perfgate.config.dialects.arguments import parse_arguments
from perfgate.config.dialects.split import is_dashed
from perfgate.config.facts import Command, Note
from perfgate.config.found import Found
from perfgate.config.programs import Program, Watch, base_name
from perfgate.config.settings import read_setting
from perfgate.config.words import Atom, Word, open_word
from perfgate.config.wrappers import (
    DATA_COMMANDS,
    PYTHONS,
    SCRIPT_ENDINGS,
    SHELLS,
    TEXT,
    TEXTS,
    WRAPPERS,
    Wrapper,
    find_wrapper,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfgate.config.bash.flow import Runner
    from perfgate.config.bash.syntax import Script, Simple
    from perfgate.config.facts import Span
    from perfgate.config.spans import Placed

MAX_LEVEL = 8  # strings inside strings, GUARDRAILS section 9
_MAX_WRAPPERS = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """Words still to be read, what wraps them, the text they are fed, the variables their program sees."""

    words: tuple[Word, ...]
    via: tuple[str, ...] = ()
    stdin: tuple[Atom, ...] | None = None
    inherits: bool = True
    env: dict[str, tuple[Atom, ...]] = field(default_factory=dict)


class Invoker:
    """Reads the calls that one simple command makes."""

    def __init__(self, runner: Runner, node: Simple) -> None:
        self.runner = runner
        self.node = node
        self.watch: Watch = node.place.source.watch

    def invoke(self, call: Call) -> None:
        """Take wrappers off until a watched program, shell text or nothing is left."""
        current: Call | None = call
        for _ in range(_MAX_WRAPPERS):
            if current is None or not current.words:
                return
            current = self._step(current)

    def _step(self, call: Call) -> Call | None:
        """Read the first word; the call that is left of a wrapper, or None."""
        first = call.words[0]
        if first.is_open:
            return None
        name = _program_text(first)
        if name is None:
            return self._unknown_program(call)
        program = self.watch.program_of(name)
        if program is not None:
            self._emit(program, call)
            return None
        return self._other_program(call, name)

    def _other_program(self, call: Call, name: str) -> Call | None:
        base = base_name(name)
        reader = self._special_reader(base)
        if reader is not None:
            return reader(call)
        found = find_wrapper(tuple(word.text for word in call.words), base)
        if found is not None:
            return self._unwrap(call, *found)
        if not name:
            return replace(call, words=call.words[1:])
        if ("/" in name or base.endswith(SCRIPT_ENDINGS)) and base not in DATA_COMMANDS:
            self.scripted(call)
        return None

    def _special_reader(self, base: str) -> Callable[[Call], Call | None] | None:
        if base in SHELLS:
            return self._shell
        if base in PYTHONS:
            return self._python
        return {"find": self._find, "xargs": self._xargs, "parallel": self._parallel}.get(base)

    def _unknown_program(self, call: Call) -> Call | None:
        """`$SUDO atc ...`: an unknown unquoted word may be nothing or a wrapper; `"$PYTHON" -m module`."""
        if len(call.words) > 1 and call.words[1].text == "-m":
            return self._python(call)
        if call.words[0].splits:
            return replace(call, words=call.words[1:], via=(*call.via, f"${call.words[0].atoms[0].source}"))
        return None

    def scripted(self, call: Call) -> None:
        """A script that is given a command: a watched program followed by at least one flag."""
        for index, word in enumerate(call.words[1:], start=1):
            program = self.watch.program_of(word.text or "")
            if program is not None and any(is_dashed(rest) for rest in call.words[index + 1 :]):
                via = (*call.via, call.words[0].text or "")
                self._emit(program, replace(call, words=call.words[index:], via=via))
                return

    def _emit(self, program: Program, call: Call) -> None:
        first = call.words[0]
        place = (first.placed() if first.from_list else first.place).span()
        arguments = parse_arguments(call.words[1:], program)
        command = Command(
            program=program.name,
            dialect=program.dialect,
            flags=arguments.flags,
            span=_command_span(call.words, place),
            program_span=place,
            via=call.via,
            positionals=arguments.positionals,
            open=arguments.open,
            context=self.runner.context,
        )
        notes = (*arguments.notes, *self._carriage_notes())
        self.runner.output.add(Found(commands=(command,), notes=notes))

    def _carriage_notes(self) -> tuple[Note, ...]:
        """A continuation before CRLF: bash would end the command there."""
        place = self.node.place
        source = place.source
        if not source.carriage_lines:
            return ()
        span = place.span()
        for line in range(span.line, span.end_line):
            start, end = source.line_starts[line - 1], source.line_starts[line] - 1
            if line in source.carriage_lines and source.text[start:end].endswith("\\"):
                text = (
                    "the line ends with backslash, CR, LF: bash ends the command here; save the file with LF"
                )
                return (Note(code="crlf-continuation", span=source.span(start, end), text=text),)
        return ()

    def _unwrap(self, call: Call, key: str, start: int) -> Call | None:
        wrapper = WRAPPERS[key]
        found = unwrap(call.words, start, wrapper)
        if found.is_lookup:
            return None
        for name, value in found.settings:
            self.runner.output.add(read_setting(name, value))
        env = {**call.env, **{name.text: value for name, value in found.settings}}
        via = (*call.via, key)
        inner = replace(call, via=via, env=env, inherits=call.inherits and wrapper.inherits)
        if found.text is not None:
            self._nested(found.text.atoms, found.text.place, inner)
            return None
        if not found.rest:
            if call.stdin is not None and key in {"ssh", "su"}:
                self._nested(call.stdin, call.words[0].place, inner)
            return None
        return self._wrapped(replace(inner, words=found.rest), wrapper)

    def _wrapped(self, call: Call, wrapper: Wrapper) -> Call | None:
        if wrapper.then == TEXT:
            self._nested(spaced(call.words), call.words[0].place, call)
            return None
        if wrapper.then == TEXTS:
            for word in call.words:
                self._nested(word.atoms, word.place, call)
            return None
        return call

    def _shell(self, call: Call) -> Call | None:
        """`bash -c TEXT NAME ARGUMENTS`, `bash SCRIPT`, or a shell that reads its input."""
        via = (*call.via, _program_text(call.words[0]) or "")
        inner = replace(call, via=via)
        options, index = shell_options(call.words)
        rest = call.words[index:]
        if "c" in options:
            if rest:
                arguments = rest[1:] if len(rest) > 1 and rest[1].is_open else rest[2:]
                self._nested(rest[0].atoms, rest[0].place, inner, arguments)
            return None
        if rest and "s" not in options and rest[0].text not in {"-", "/dev/stdin"}:
            return replace(inner, words=rest)
        if call.stdin is not None:
            arguments = rest if "s" in options else rest[1:]
            self._nested(call.stdin, call.words[0].place, inner, arguments)
        return None

    def _python(self, call: Call) -> Call | None:
        """`python -m MODULE` and `python SCRIPT`; text after `-c` is not shell."""
        via = (*call.via, _program_text(call.words[0]) or "python")
        index = 1
        while index < len(call.words):
            text = known_start(call.words[index])
            if text == "-m" and index + 1 < len(call.words):
                program = self.watch.program_of_module(call.words[index + 1].text or "")
                rest = replace(call, words=call.words[index + 1 :], via=via)
                if program is not None:
                    self._emit(program, rest)
                return None
            if not text.startswith("-"):
                return replace(call, words=call.words[index:], via=via)
            if text.startswith("-c"):
                return None
            index += 2 if text in {"-W", "-X"} else 1
        return None

    def _find(self, call: Call) -> Call | None:
        """`find ... -exec COMMAND {} ;`: the file names are unknown."""
        words = list(call.words)
        while words:
            word = words.pop(0)
            if word.text not in {"-exec", "-execdir", "-ok", "-okdir"}:
                continue
            ends = [index for index, part in enumerate(words) if part.text in {";", "+"}]
            end = ends[0] if ends else len(words)
            inside = tuple(filled(part, "{}", "find") for part in words[:end])
            self.invoke(replace(call, words=inside, via=(*call.via, "find"), stdin=None))
            del words[: end + 1]
        return None

    def _xargs(self, call: Call) -> Call | None:
        """`xargs COMMAND`: arguments follow, or take the place that `-I` names."""
        index, mark = xargs_options(call.words)
        words = call.words[index:]
        if not words:
            return None
        if mark:
            words = tuple(filled(word, mark, "xargs") for word in words)
        else:
            words = (*words, open_word("xargs", words[-1].place))
        return replace(call, words=words, via=(*call.via, "xargs"), stdin=None)

    def _parallel(self, call: Call) -> Call | None:
        """`parallel COMMAND ::: ARGUMENTS`: the words are shell text with `{}` for an argument."""
        index = parallel_options(call.words)
        words = call.words[index:]
        ends = [place for place, word in enumerate(words) if (word.text or "").startswith(":::")]
        words = words[: ends[0]] if ends else words
        if not words:
            return None
        filled_words = tuple(filled(word, None, "parallel") for word in words)
        if filled_words == words:
            filled_words = (*words, open_word("parallel", words[-1].place))
        inner = replace(call, via=(*call.via, "parallel"))
        self._nested(spaced(filled_words), words[0].place, inner)
        return None

    def evaluate(self, atoms: tuple[Atom, ...], place: Placed) -> None:
        """`eval TEXT`: the text is run by this shell."""
        output = self.runner.output
        before = output.met
        self.run_text(atoms, place)
        if output.met > before:
            text = "the command is put together by eval; what is read here is its text as far as it is known"
            output.add(Found(notes=(Note(code="eval", span=place.span(), text=text),)))

    def run_text(self, atoms: tuple[Atom, ...], place: Placed) -> None:
        """Follow text in this shell's own scope."""
        runner = self._runner(atoms, place, self.runner.scope, self.runner.via)
        if runner is None:
            return
        nested, script = runner
        nested.functions, nested.exits, nested.context = (
            self.runner.functions,
            self.runner.exits,
            self.runner.context,
        )
        nested.run(script.body)
        self.runner.scope = nested.scope

    def _nested(
        self, atoms: tuple[Atom, ...], place: Placed, call: Call, arguments: tuple[Word, ...] = ()
    ) -> None:
        """Follow text in a shell of its own."""
        scope = self.runner.scope.visible_outside() if call.inherits else Scope()
        scope.positionals = arguments
        for name, value in call.env.items():
            scope.assign(name, Variable(atoms=value))
        for name, value in self._prefix(call):
            scope.assign(name, Variable(atoms=value))
        found = self._runner(atoms, place, scope, call.via)
        if found is not None:
            nested, script = found
            nested.context = self.runner.context
            nested.run(script.body)
            report_functions(nested)

    def _prefix(self, call: Call) -> list[tuple[str, tuple[Atom, ...]]]:
        """The assignments before the command, which its own program sees."""
        if not call.inherits:
            return []
        return [
            (assignment.name.text, self.runner.expander.atoms(assignment.word))
            for assignment in self.node.assignments
        ]

    def _runner(
        self, atoms: tuple[Atom, ...], place: Placed, scope: Scope, via: tuple[str, ...]
    ) -> tuple[Runner, Script] | None:
        level = self.runner.level + 1
        text, holes = with_holes(atoms, place)
        if level > MAX_LEVEL:
            self.runner.output.incomplete = True
            reason = f"shell text inside shell text, deeper than {MAX_LEVEL}"
            note = Note(code="nesting-limit", span=place.span(), text=reason)
            self.runner.output.add(Found(notes=(note,), incomplete=True))
            return None
        script = CommandReader(text).read_script()
        nested = type(self.runner)(self.runner.output, scope, holes=holes, via=via, level=level)
        nested.sourced = self.runner.sourced
        return nested, script


def _program_text(word: Word) -> str | None:
    """The text that names the program: all of the word, or what follows an unknown folder."""
    if word.text is not None:
        return word.text
    ways = word.ways() or ()
    names = {base_name(_known_tail(way)) for way in ways}
    if len(names) == 1 and "" not in names:
        return _known_tail(ways[0])
    return None


def _known_tail(word: Word) -> str:
    """The text after the last unknown piece if a folder ends in it; else nothing."""
    tail = ""
    for atom in reversed(word.atoms):
        if atom.text is None:
            return tail if "/" in tail else ""
        tail = atom.text.text + tail
    return tail


def _command_span(words: tuple[Word, ...], place: Span) -> Span:
    last = words[-1].placed() if words[-1].from_list else words[-1].place
    end = last.span()
    if (end.end_line, end.end_column) < (place.line, place.column):
        return place
    return replace(place, end_line=end.end_line, end_column=end.end_column)
