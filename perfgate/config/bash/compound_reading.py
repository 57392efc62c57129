"""Compound commands: conditionals, loops, groups, functions and tests."""

from __future__ import annotations

import re
from abc import abstractmethod
from typing import TYPE_CHECKING

from perfgate.config.bash.heredoc_reading import HeredocReader
from perfgate.config.bash.syntax import (
    Case,
    CaseArm,
    Command,
    For,
    Function,
    Group,
    If,
    Sequence,
    Test,
    While,
    WordText,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfgate.config.bash.syntax import Redirect

_FUNCTION = re.compile(r"([^\s\"'\\$`;&|<>()={}]+)[ \t]*\([ \t]*\)")
_FUNCTION_NAME = re.compile(r"[^\s\"'$`;&|<>()]+")
_COMPOUND = frozenset(["{", "if", "case", "for", "select", "while", "until", "function", "coproc", "[["])
_LOOP_NAME = re.compile(r"[A-Za-z_]\w*")
_TEST_WORD = re.compile(r"[<>()&|]+|\n")
_ARM_END = re.compile(r";;&|;;|;&")


class CompoundReader(HeredocReader):
    """Reads the commands that hold other commands; the command reader supplies the lists inside."""

    @abstractmethod
    def read_until(self, *closing: str) -> Sequence:
        """The commands up to one of the closing words, which is not passed."""

    @abstractmethod
    def skip_lines(self) -> None:
        """Pass blanks, comments and line ends."""

    @abstractmethod
    def redirects(self) -> tuple[Redirect, ...]:
        """The redirections after a compound command."""

    @abstractmethod
    def read_command(self) -> Command:
        """The command that stands here."""

    def read_compound(self) -> Command | None:
        """The compound command that stands here, or None for a simple command."""
        if self.text.startswith("(", self.pos):
            if self.text.startswith("((", self.pos):
                return self._arithmetic_or_subshell()
            return self._inside(self._subshell)
        keyword = self.keyword()
        if keyword in _COMPOUND:
            return self._inside(self._compound_reader(keyword))
        found = _FUNCTION.match(self.text, self.pos)
        if found is None:
            return None
        self.pos = found.end()
        return self._inside(lambda: self._function_body(found.group(1)))

    def _compound_reader(self, keyword: str) -> Callable[[], Command]:
        readers: dict[str, Callable[[], Command]] = {
            "{": self._group,
            "if": self._if,
            "case": self._case,
            "for": self._for,
            "select": self._for,
            "while": self._while,
            "until": self._while,
            "function": self._function,
            "coproc": self._coproc,
            "[[": self._test,
        }
        return readers[keyword]

    def _inside(self, reader: Callable[[], Command]) -> Command:
        self.deeper()
        command = reader()
        self.depth -= 1
        return command

    def _expect(self, *words: str) -> str:
        """Pass the reserved word that must stand here and return it."""
        self.skip_blanks()
        word = self.keyword()
        if word not in words:
            raise self.fail(f"{words[-1]!r} is missing")
        self.pos += len(word)
        return word

    def _subshell(self) -> Group:
        start = self.pos
        self.pos += 1
        body = self.read_body(")")
        return Group(body, True, self.redirects(), self.cut(start))  # noqa: FBT003 - a field of the node, as in its class

    def _group(self) -> Group:
        start = self.pos
        self.pos += 1
        body = self.read_until("}")
        self._expect("}")
        return Group(body, False, self.redirects(), self.cut(start))  # noqa: FBT003 - a field of the node, as in its class

    def _arithmetic_or_subshell(self) -> Command:
        start = self.pos
        end = self._matching_parenthesis(start + 2)
        if self.text.startswith(")", end):
            self.pos = end + 1
            return Test((), self.redirects(), self.cut(start, end + 1))
        return self._inside(self._subshell)

    def _if(self) -> If:
        start = self.pos
        arms: list[tuple[Sequence, Sequence]] = []
        word = self._expect("if")
        while word in {"if", "elif"}:
            condition = self.read_until("then")
            self._expect("then")
            arms.append((condition, self.read_until("elif", "else", "fi")))
            word = self._expect("elif", "else", "fi")
        otherwise = None
        if word == "else":
            otherwise = self.read_until("fi")
            self._expect("fi")
        return If(tuple(arms), otherwise, self.redirects(), self.cut(start))

    def _while(self) -> While:
        start = self.pos
        self._expect("while", "until")
        condition = self.read_until("do")
        body = self._loop_body()
        return While(condition, body, self.redirects(), self.cut(start))

    def _loop_body(self) -> Sequence:
        self.skip_lines()
        if self.accept("{"):
            body = self.read_until("}")
            self._expect("}")
            return body
        self._expect("do")
        body = self.read_until("done")
        self._expect("done")
        return body

    def _for(self) -> For:
        start = self.pos
        self._expect("for", "select")
        self.skip_blanks()
        if self.accept("(("):
            self.pos = self._matching_parenthesis(self.pos) + 1
            self._skip_semicolon()
            body = self._loop_body()
            return For("", None, body, self.redirects(), self.cut(start))
        name = _LOOP_NAME.match(self.text, self.pos)
        if name is None:
            raise self.fail("the name of the loop variable is missing")
        self.pos = name.end()
        words = self._loop_words()
        self._skip_semicolon()
        body = self._loop_body()
        return For(name.group(), words, body, self.redirects(), self.cut(start))

    def _loop_words(self) -> tuple[WordText, ...] | None:
        self.skip_lines()
        if self.keyword() != "in":
            return None
        self.pos += 2
        words: list[WordText] = []
        self.skip_blanks()
        while (word := self.read_word()) is not None:
            words.append(word)
            self.skip_blanks()
        return tuple(words)

    def _skip_semicolon(self) -> None:
        self.skip_lines()
        if self.accept(";"):
            self.skip_lines()

    def _case(self) -> Case:
        start = self.pos
        self._expect("case")
        self.skip_blanks()
        subject = self.read_word()
        if subject is None:
            raise self.fail("'case' has no word")
        self.skip_lines()
        self._expect("in")
        arms: list[CaseArm] = []
        self.skip_lines()
        while self.keyword() != "esac":
            arms.append(self._arm())
            self.skip_lines()
        self._expect("esac")
        return Case(subject, tuple(arms), self.redirects(), self.cut(start))

    def _arm(self) -> CaseArm:
        self.accept("(")
        patterns: list[WordText] = []
        while True:
            self.skip_blanks()
            word = self.read_word()
            if word is None:
                raise self.fail("'esac' is missing")
            patterns.append(word)
            self.skip_blanks()
            if not self.accept("|"):
                break
        if not self.accept(")"):
            raise self.fail("')' is missing after a pattern")
        body = self.read_until(";;", ";&", ";;&", "esac")
        self.skip_blanks()
        end = _ARM_END.match(self.text, self.pos)
        if end:
            self.pos = end.end()
        return CaseArm(tuple(patterns), body, end is not None and end.group() != ";;")

    def _function(self) -> Function:
        self._expect("function")
        self.skip_blanks()
        name = _FUNCTION_NAME.match(self.text, self.pos)
        if name is None:
            raise self.fail("the name of the function is missing")
        self.pos = name.end()
        self.skip_blanks()
        if self.accept("("):
            self.skip_blanks()
            self.accept(")")
        return self._function_body(name.group())

    def _function_body(self, name: str) -> Function:
        self.skip_lines()
        return Function(name, self.read_command())

    def _coproc(self) -> Command:
        self._expect("coproc")
        return self.read_command()

    def _test(self) -> Test:
        start = self.pos
        self.pos += 2
        words: list[WordText] = []
        while True:
            self.skip_blanks()
            if self.keyword() == "]]":
                self.pos += 2
                break
            words.extend(self._test_word())
        return Test(tuple(words), self.redirects(), self.cut(start))

    def _test_word(self) -> list[WordText]:
        """The next word of a test; operators and line ends count as nothing."""
        word = self.read_word()
        if word is not None:
            return [word]
        found = _TEST_WORD.match(self.text, self.pos)
        if found is None:
            raise self.fail("']]' is missing")
        self.pos = found.end()
        return []
