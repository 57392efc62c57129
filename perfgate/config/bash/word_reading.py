"""Shell words: quotes, escapes, expansions and substitutions, with the place of every character."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from perfgate.config.bash.ansi import ansi_literals
from perfgate.config.bash.reading import Cursor
from perfgate.config.bash.syntax import (
    Arithmetic,
    Literal,
    Parameter,
    Sequence,
    Substitution,
    WordPart,
    WordText,
)
from perfgate.config.spans import Placed, joined

if TYPE_CHECKING:
    from collections.abc import Callable

_PLAIN = re.compile(r"[^ \t\n\"'\\$`;&|<>()]+")
_IN_QUOTES = re.compile(r"[^\"\\$`]+")
_IN_BRACES = re.compile(r"[^\"'\\$`}]+")
_IN_QUOTED_BRACES = re.compile(r"[^\"\\$`}]+")
_IN_BODY = re.compile(r"[^\\$`]+")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9]|[@*#?$!-]")
_BRACED_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-]")
_OPERATORS = re.compile(r":[-=+?]|[-=+?]|%%|%|##|#|//|/[#%]|/|\^\^|\^|,,|,|@[A-Za-z]|:")
_ENDS_WORD = frozenset(" \t\n;&|<>()")
_BRACKET = re.compile(r"[^\]\[\"'$`\\]+")
_PAREN_OR_QUOTE = re.compile(r"[()'\"\\]")
_EXTENDED = frozenset("?*+@!")


class WordReader(Cursor, ABC):
    """Reads words. One grammar stands in four files, words below commands, and each reads at one position.

    Words hold commands (`$(...)`) as commands hold words: what a lower file needs of a higher one it
    declares abstract, and only the whole, `CommandReader`, can be made.
    """

    @abstractmethod
    def read_body(self, closing: str) -> Sequence:
        """The commands up to the closing parenthesis; the command reader defines it."""

    @abstractmethod
    def nested(self, placed: Placed) -> Sequence:
        """The commands of a text inside this one (backquotes)."""

    def read_word(self) -> WordText | None:
        """The word that stands here, or None."""
        start = self.pos
        parts: list[WordPart] = []
        while self.pos < self.size:
            sign = self.text[self.pos]
            self.limit(parts)
            if sign in _ENDS_WORD:
                if sign in "<>" and self.text.startswith("(", self.pos + 1):
                    parts.append(self._substitution(sign + "(", quoted=False))
                    continue
                if not (sign == "(" and self._opens_pattern(start, parts)):
                    break
            else:
                self._unquoted(sign, parts, _PLAIN)
        if self.pos == start:
            return None
        return WordText(tuple(parts), self._inner_place(start))

    def _inner_place(self, start: int) -> Placed:
        """The word as written without the quote it begins with."""
        while start < self.pos - 1 and self.text[start] in "\"'":
            start += 1
        return self.cut(start)

    def _opens_pattern(self, start: int, parts: list[WordPart]) -> bool:
        """An extended pattern such as `@(a|b)` is part of the word."""
        if self.pos == start or self.text[self.pos - 1] not in _EXTENDED:
            return False
        end = self._matching_parenthesis(self.pos + 1)
        parts.append(Literal(self.cut(self.pos, end), quoted=False))
        self.pos = end
        return True

    def _unquoted(self, sign: str, parts: list[WordPart], plain: re.Pattern[str]) -> None:
        """One part of unquoted text."""
        found = plain.match(self.text, self.pos)
        if found:
            parts.append(Literal(self.cut(self.pos, found.end()), quoted=False))
            self.pos = found.end()
        elif sign == "\\":
            self._escape(parts)
        elif sign == "'":
            parts.append(self._single_quotes())
        elif sign == '"':
            self.pos += 1
            self._double_quotes(parts)
        elif sign in "$`":
            self._dollar(parts, quoted=False)
        else:
            parts.append(Literal(self.cut(self.pos, self.pos + 1), quoted=False))
            self.pos += 1

    def _escape(self, parts: list[WordPart]) -> None:
        start = self.pos
        following = self.text[start + 1 : start + 2]
        self.pos = min(start + 2, self.size)
        if following == "\n":
            return
        text = self.cut(start).standing_for(following or "\\")
        parts.append(Literal(text, quoted=True))

    def _single_quotes(self) -> Literal:
        start = self.pos
        end = self.text.find("'", start + 1)
        if end < 0:
            raise self.fail("a single quote is never closed")
        self.pos = end + 1
        return Literal(self.cut(start + 1, end), quoted=True)

    def _double_quotes(self, parts: list[WordPart]) -> None:
        """The text up to the closing double quote, which is passed; an empty pair is an empty literal."""
        start, count = self.pos, len(parts)
        while True:
            self.limit(parts)
            if self.pos >= self.size:
                self.pos = start - 1
                raise self.fail("a double quote is never closed")
            if self.text[self.pos] == '"':
                self.pos += 1
                break
            self._quoted_part(parts, _IN_QUOTES, '$`"\\')
        if len(parts) == count:
            parts.append(Literal(self.cut(start, start), quoted=True))

    def _quoted_part(self, parts: list[WordPart], plain: re.Pattern[str], escapes: str) -> None:
        found = plain.match(self.text, self.pos)
        if found:
            parts.append(Literal(self.cut(self.pos, found.end()), quoted=True))
            self.pos = found.end()
        elif self.text[self.pos] == "\\":
            self._quoted_escape(parts, escapes)
        elif self.text[self.pos] in "$`":
            self._dollar(parts, quoted=True)
        else:
            parts.append(Literal(self.cut(self.pos, self.pos + 1), quoted=True))
            self.pos += 1

    def _quoted_escape(self, parts: list[WordPart], escapes: str) -> None:
        start = self.pos
        following = self.text[start + 1 : start + 2]
        if following == "\n":
            self.pos += 2
        elif following and following in escapes:
            self.pos += 2
            parts.append(Literal(self.cut(start).standing_for(following), quoted=True))
        else:
            self.pos += 1
            parts.append(Literal(self.cut(start), quoted=True))

    def _dollar(self, parts: list[WordPart], *, quoted: bool) -> None:
        """A dollar sign or a backquote and what it begins."""
        start = self.pos
        if self.text[start] == "`":
            parts.append(self._backquotes(quoted=quoted))
            return
        two = self.text[start : start + 2]
        opens: dict[str, Callable[[], WordPart]] = {
            "${": lambda: self._braced(quoted=quoted),
            "$(": lambda: self._parenthesis(quoted=quoted),
            "$[": lambda: self._old_arithmetic(quoted=quoted),
        }
        name = _NAME.match(self.text, start + 1)
        if two in opens:
            parts.append(opens[two]())
        elif two == "$'" and not quoted:
            parts.extend(self._ansi_quotes())
        elif two == '$"' and not quoted:
            self.pos = start + 2
            self._double_quotes(parts)
        elif name:
            self.pos = name.end()
            parts.append(Parameter(name.group(), self.cut(start), quoted))
        else:
            self.pos = start + 1
            parts.append(Literal(self.cut(start), quoted))

    def _ansi_quotes(self) -> list[Literal]:
        start = self.pos + 2
        end = start
        while end < self.size and self.text[end] != "'":
            end += 2 if self.text[end] == "\\" else 1
        if end >= self.size:
            raise self.fail("a single quote is never closed")
        self.pos = end + 1
        return ansi_literals(self.cut(start, end))

    def _backquotes(self, *, quoted: bool) -> Substitution:
        start = self.pos
        end = start + 1
        while end < self.size and self.text[end] != "`":
            end += 2 if self.text[end] == "\\" else 1
        if end >= self.size:
            raise self.fail("a backquote is never closed")
        body = _without_escapes(self.cut(start + 1, end), "`\\$" + ('"' if quoted else ""))
        self.pos = end + 1
        return Substitution(self.nested(body), self.cut(start), quoted, "`")

    def _parenthesis(self, *, quoted: bool) -> WordPart:
        start = self.pos
        if self.text.startswith("((", start + 1):
            end = self._matching_parenthesis(start + 2)
            if self.text[end - 2 : end] == "))":
                self.pos = end
                return Arithmetic(self.cut(start), quoted)
        return self._substitution("$(", quoted=quoted)

    def _substitution(self, kind: str, *, quoted: bool) -> Substitution:
        start = self.pos
        self.pos += len(kind)
        self.deeper()
        body = self.read_body(")")
        self.depth -= 1
        return Substitution(body, self.cut(start), quoted, kind)

    def _matching_parenthesis(self, start: int) -> int:
        """The offset after the parenthesis that closes the one before `start`."""
        level, position = 1, start
        while level:
            found = _PAREN_OR_QUOTE.search(self.text, position)
            if found is None:
                raise self.fail("a parenthesis is never closed")
            position = found.end()
            sign = found.group()
            if sign in "()":
                level += 1 if sign == "(" else -1
            elif sign == "\\":
                position += 1
            else:
                position = self.text.find(sign, position) + 1 or self.size
        return position

    def _old_arithmetic(self, *, quoted: bool) -> Arithmetic:
        start = self.pos
        end = self.text.find("]", start)
        if end < 0:
            raise self.fail("a bracket is never closed")
        self.pos = end + 1
        return Arithmetic(self.cut(start), quoted)

    def _braced(self, *, quoted: bool) -> WordPart:
        start = self.pos
        self.pos += 2
        self.deeper()
        prefix = self._brace_prefix()
        found = _BRACED_NAME.match(self.text, self.pos)
        if found is None:
            return self._unknown_braces(start, quoted=quoted)
        self.pos = found.end()
        index = self._index()
        operator, operand = prefix, None
        sign = _OPERATORS.match(self.text, self.pos)
        if sign:
            self.pos = sign.end()
            operator = prefix + sign.group()
            operand = self._operand(quoted=quoted)
        if not self.accept("}"):
            return self._unknown_braces(start, quoted=quoted)
        self.depth -= 1
        return Parameter(found.group(), self.cut(start), quoted, index, operator, operand)

    def _brace_prefix(self) -> str:
        following = self.text[self.pos + 1 : self.pos + 2]
        sign = self.text[self.pos : self.pos + 1]
        if sign == "#" and following not in {"}", ":", "-", "%", "#", "/"}:
            self.pos += 1
            return "#length"
        if sign == "!" and following != "}":
            self.pos += 1
            return "!"
        return ""

    def _index(self) -> WordText | None:
        if not self.text.startswith("[", self.pos):
            return None
        self.pos += 1
        return self.read_key()

    def read_key(self) -> WordText:
        """The key of an array up to its closing bracket, which is passed."""
        start = self.pos
        parts: list[WordPart] = []
        while self.pos < self.size and self.text[self.pos] != "]":
            self._unquoted(self.text[self.pos], parts, _BRACKET)
        place = self._inner_place(start) if self.pos > start else self.cut(start)
        if not self.accept("]"):
            raise self.fail("a bracket is never closed")
        return WordText(tuple(parts), place)

    def _operand(self, *, quoted: bool) -> WordText:
        start = self.pos
        parts: list[WordPart] = []
        while self.pos < self.size and self.text[self.pos] != "}":
            sign = self.text[self.pos]
            self.limit(parts)
            if quoted and sign == '"':
                self.pos += 1
                self._double_quotes(parts)
            elif quoted:
                self._quoted_part(parts, _IN_QUOTED_BRACES, '$`"\\}')
            else:
                self._unquoted(sign, parts, _IN_BRACES)
        return WordText(tuple(parts), self.cut(start))

    def _unknown_braces(self, start: int, *, quoted: bool) -> Parameter:
        """An expansion of a form not known here; its value is never known."""
        while self.pos < self.size and self.text[self.pos] != "}":
            skipped: list[WordPart] = []
            self._unquoted(self.text[self.pos], skipped, _IN_BRACES)
        if not self.accept("}"):
            self.pos = start
            raise self.fail("a brace is never closed")
        self.depth -= 1
        return Parameter("", self.cut(start), quoted, None, "?form")

    def read_text(self) -> WordText:
        """All of this text as the body of a heredoc: expansions count, quotes do not."""
        parts: list[WordPart] = []
        while self.pos < self.size:
            self.limit(parts)
            self._quoted_part(parts, _IN_BODY, "$`\\")
        return WordText(tuple(parts), self.placed)


def _without_escapes(text: Placed, signs: str) -> Placed:
    """The text with a backslash before one of the signs taken out."""
    if "\\" not in text.text:
        return text
    parts: list[Placed] = []
    start = position = 0
    while (position := text.text.find("\\", position)) >= 0:
        if text.text[position + 1 : position + 2] in signs and position + 1 < len(text):
            parts.append(text.cut(start, position))
            start = position + 1
        position += 2
    parts.append(text.cut(start, len(text)))
    return joined(parts, text)
