"""Shell commands: lists, pipelines, compound commands and simple commands with their redirections."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from perfgate.config.bash.compound_reading import CompoundReader
from perfgate.config.bash.reading import MAX_COMMANDS, ShellSyntaxError
from perfgate.config.bash.syntax import (
    Assignment,
    Broken,
    Chain,
    Command,
    Element,
    Pipeline,
    Redirect,
    Script,
    Sequence,
    Simple,
    WordText,
)

if TYPE_CHECKING:
    from perfgate.config.spans import Placed

_REDIRECT = re.compile(r"(?:\d+|\{[A-Za-z_]\w*\})?(<<<|<<-|<<|<>|<&|<(?!\()|&>>|&>|>>|>\||>&|>(?!\())")
_ASSIGNED = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\[|\+?=)")
_DECLARES = frozenset({"export", "declare", "typeset", "local", "readonly"})
_CLOSERS = frozenset({"then", "do", "done", "fi", "elif", "else", "esac", "}", "]]"})
_ENDS_COMMAND = frozenset({";", "\n", "&", ")"})
_PIPES = frozenset({"|", "|&"})


class CommandReader(CompoundReader):
    """Reads a whole text."""

    def read_script(self) -> Script:
        """The text as far as it is a shell script."""
        chains: list[Chain] = []
        try:
            while self._skip_separators():
                chains.append(self._chain())
        except ShellSyntaxError as error:
            offset = min(error.offset, self.size)
            broken = Broken(self.cut(offset, min(offset + 1, self.size)), error.reason)
            return Script(Sequence(tuple(chains)), broken)
        return Script(Sequence(tuple(chains)))

    def read_body(self, closing: str) -> Sequence:
        """The commands up to a closing operator or reserved word, which is passed.

        Raises:
            ShellSyntaxError: it never comes.
        """
        body = self.read_until(closing)
        if not self.accept(closing):
            raise self.fail(f"{closing!r} is missing")
        return body

    def read_until(self, *closing: str) -> Sequence:
        """The commands up to one of the closing words, which is not passed."""
        chains: list[Chain] = []
        while self._skip_separators(closing):
            if self.operator() in closing or self.keyword() in closing:
                break
            chains.append(self._chain())
        return Sequence(tuple(chains))

    def nested(self, placed: Placed) -> Sequence:
        """The commands of a text inside this one."""
        reader = CommandReader(placed)
        reader.depth = self.depth
        reader.deeper()
        script = reader.read_script()
        if script.broken:
            raise self.fail(script.broken.reason)
        return script.body

    def expandable(self, text: Placed) -> WordText:
        """A heredoc body in which expansions count."""
        reader = CommandReader(text)
        reader.depth = self.depth
        return reader.read_text()

    def _skip_separators(self, closing: tuple[str, ...] = ()) -> bool:
        """Pass blanks, comments, line ends and semicolons; False at the end of the text."""
        while True:
            self.skip_blanks()
            sign = self.operator()
            if sign == "\n":
                self.line_end()
            elif sign == ";" and sign not in closing:
                self.pos += 1
            else:
                return not self.at_end()

    def line_end(self) -> None:
        """Pass a line end and the heredocs that follow it."""
        self.pos += 1
        if self.pending:
            self.read_heredocs()

    def skip_lines(self) -> None:
        """Pass blanks, comments and line ends."""
        self.skip_blanks()
        while self.operator() == "\n":
            self.line_end()
            self.skip_blanks()

    def _chain(self) -> Chain:
        pipelines = [self._pipeline()]
        links: list[str] = []
        self.skip_blanks()
        while (link := self.operator()) in {"&&", "||"}:
            self.pos += 2
            self.skip_lines()
            links.append(link)
            self.limit(links)
            pipelines.append(self._pipeline())
            self.skip_blanks()
        background = self.operator() == "&"
        if background:
            self.pos += 1
        return Chain(tuple(pipelines), tuple(links), background)

    def _pipeline(self) -> Pipeline:
        start = self.pos
        negated = timed = False
        while (word := self.keyword()) in {"!", "time"}:
            self.pos += len(word)
            self.skip_blanks()
            negated ^= word == "!"
            if word == "time":
                timed = True
                while self.accept("-p ") or self.accept("-- "):
                    self.skip_blanks()
        if (negated or timed) and (self.operator() in _ENDS_COMMAND or self.at_end()):
            return Pipeline((), negated, timed, self.cut(start))
        commands = [self.read_command()]
        self.skip_blanks()
        while (pipe := self.operator()) in _PIPES:
            self.pos += len(pipe)
            self.skip_lines()
            commands.append(self.read_command())
            self.limit(commands)
            self.skip_blanks()
        return Pipeline(tuple(commands), negated, timed, self.cut(start))

    def read_command(self) -> Command:
        """The command that stands here.

        Raises:
            ShellSyntaxError: there is none.
        """
        self.skip_blanks()
        self.commands += 1
        if self.commands > MAX_COMMANDS:
            raise self.fail(f"more than {MAX_COMMANDS} commands")
        compound = self.read_compound()
        if compound is not None:
            return compound
        if self.keyword() in _CLOSERS:
            raise self.fail(f"{self.keyword()!r} is out of place")
        return self._simple()

    def redirects(self) -> tuple[Redirect, ...]:
        """The redirections after a compound command."""
        found: list[Redirect] = []
        self.skip_blanks()
        while (redirect := self._redirect()) is not None:
            found.append(redirect)
            self.skip_blanks()
        return tuple(found)

    def _redirect(self) -> Redirect | None:
        found = _REDIRECT.match(self.text, self.pos)
        if found is None:
            return None
        self.pos = found.end()
        if found.group(1) in {"<<", "<<-"}:
            return Redirect(found.group(1), self.announce(found.group(1)))
        self.skip_blanks()
        word = self.read_word()
        if word is None:
            raise self.fail("a redirection has no target")
        return Redirect(found.group(1), word)

    def _simple(self) -> Simple:
        start = self.pos
        assignments: list[Assignment] = []
        declared: list[Assignment] = []
        words: list[WordText] = []
        found: list[Redirect] = []
        declares = False
        while True:
            self.skip_blanks()
            redirect = self._redirect()
            if redirect is not None:
                found.append(redirect)
                continue
            assignment = self._assignment() if declares or not words else None
            if assignment is not None:
                (declared if words else assignments).append(assignment)
                continue
            word = self.read_word()
            if word is None:
                break
            words.append(word)
            self.limit(words)
            declares = declares or (len(words) == 1 and word.literal in _DECLARES)
        if not (assignments or words or found):
            raise self.fail(f"{self.text[self.pos : self.pos + 1]!r} is out of place")
        place = self.cut(start)
        return Simple(tuple(assignments), tuple(words), tuple(declared), tuple(found), place)

    def _assignment(self) -> Assignment | None:
        start = self.pos
        found = _ASSIGNED.match(self.text, start)
        if found is None:
            return None
        name = self.cut(found.start(1), found.end(1))
        self.pos = found.end()
        sign, key = found.group(2), None
        if sign == "[":
            key = self.read_key()
            sign = "+=" if self.accept("+=") else "=" if self.accept("=") else ""
            if not sign:
                self.pos = start
                return None
        adds = sign == "+="
        if self.text.startswith("(", self.pos) and key is None:
            return Assignment(name, adds, elements=self._elements())
        return Assignment(name, adds, word=self._assigned_word(), key=key)

    def _assigned_word(self) -> WordText:
        word = self.read_word()
        return word if word is not None else WordText((), self.cut(self.pos))

    def _elements(self) -> tuple[Element, ...]:
        self.pos += 1
        elements: list[Element] = []
        while True:
            self.skip_lines()
            if self.accept(")"):
                return tuple(elements)
            elements.append(self._element())
            self.limit(elements)

    def _element(self) -> Element:
        start = self.pos
        if self.accept("["):
            key = self.read_key()
            if self.accept("="):
                return Element(self._assigned_word(), key)
            self.pos = start
        word = self.read_word()
        if word is None:
            raise self.fail("an array is never closed")
        return Element(word)
