"""The exact edit that mends one fault, in the style of its neighbours; or why there is none."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.config import programs
from perfgate.config.facts import Certainty
from perfgate.core.finding import Place
from perfgate.guardrails.certain_fix import wanted_value
from perfgate.guardrails.kinds.present import effective
from perfgate.guardrails.rule import Kind
from perfgate.guardrails.subject import KEYS

if TYPE_CHECKING:
    from perfgate.config.facts import Flag, Span
    from perfgate.guardrails.fault import Fault
    from perfgate.guardrails.rule import Rule
    from perfgate.guardrails.subject import Subject

_SAFE_VALUE = re.compile(r"[\w.,:/+@%-]+")  # needs no quotes in shell, YAML, Python, JSON or Make
_SAFE_IN_QUOTES = re.compile(r"[\w.,:;/+@%()\[\]{}|*=<> -]+")  # and these within quotes of either kind
_QUOTES = "\"'"
_WORD_FOLLOWS = re.compile(r"[ \t]+[^\s\-\\|&;<>)#]")
_YAML_ITEM = re.compile(r"[ \t]*-[ \t]+")


class NotCertainError(Exception):
    """Why no edit is offered, in words for the author."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Replace the characters `start` to before `end` by `text`; `flag` and `value` are the changed fact.

    A value of None removes the flag, `is_bare` sets it without one.
    """

    start: int
    end: int
    text: str
    flag: str
    value: str | None
    is_insertion: bool = False
    is_bare: bool = False


class SourceText:
    """A file's text with offsets of its lines; only a line feed ends a line, as for spans."""

    __slots__ = ("_starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def offset(self, line: int, column: int) -> int:
        """The character offset of a 1-based line and column."""
        return self._starts[line - 1] + column - 1

    def place(self, path: str, start: int, end: int) -> Place:
        """The place of the characters from `start` to before `end`."""
        line, end_line = bisect_right(self._starts, start), bisect_right(self._starts, end)
        return Place(
            path=path,
            line=line,
            column=start - self._starts[line - 1] + 1,
            end_line=end_line,
            end_column=end - self._starts[end_line - 1] + 1,
        )

    def start(self, span: Span) -> int:
        """Where a span begins."""
        return self.offset(span.line, span.column)

    def end(self, span: Span) -> int:
        """Where a span ends."""
        return self.offset(span.end_line, span.end_column)

    def line_start(self, at: int) -> int:
        """Where the line of an offset begins."""
        return self.text.rfind("\n", 0, at) + 1

    def line_end(self, at: int) -> int:
        """Where the line of an offset ends, its line feed excluded."""
        found = self.text.find("\n", at)
        return len(self.text) if found < 0 else found

    def newline(self) -> str:
        """The line end this file uses."""
        return "\r\n" if "\r\n" in self.text else "\n"


def change_for(rule: Rule, fault: Fault, subject: Subject, source: SourceText) -> Change:
    """The edit that mends a fault.

    Raises:
        NotCertainError: the value, the place or the command is not certain.
    """
    value = wanted_value(rule, fault.flag)
    if value is None and rule.kind is not Kind.FORBID:
        raise NotCertainError("the rule allows several values")
    return flag_change(fault.flag, value, subject, source)


def flag_change(name: str, value: str | None, subject: Subject, source: SourceText) -> Change:
    """The edit that gives a flag this value: None removes it, "" sets it without one.

    Raises:
        NotCertainError: the place or the command is not certain, or the value cannot be written there.
    """
    if subject.is_open or subject.is_default:
        raise NotCertainError("more arguments may follow that the file does not show")
    if subject.is_incomplete:
        raise NotCertainError("the file could not be read to its end")
    found = effective(subject, name)
    if value is None:
        return _deletion(_only(found), source)
    if any(flag.name == name for flag in subject.flags):
        return _replacement(_only(found), value, source)
    return _insertion(name, value, subject, source)


def _only(found: tuple[Flag, ...]) -> Flag:
    if len(found) != 1:
        raise NotCertainError("the flag stands there several times")
    flag = found[0]
    if flag.certainty is not Certainty.CERTAIN:
        raise NotCertainError(f"{flag.name} is {flag.certainty}: it is not always there with one known value")
    return flag


def _replacement(flag: Flag, value: str, source: SourceText) -> Change:
    old = flag.value.text
    if not old:
        raise NotCertainError(f"{flag.name} has no value to replace")
    span = flag.value_span or flag.span
    start, end = source.start(span), source.end(span)
    written = source.text[start:end]
    if flag.value_span is None:
        name, sign, _ = written.partition("=")
        if not sign:
            raise NotCertainError("its text is not written there")
        start += len(name) + 1
        written = written[len(name) + 1 :]
    if written.strip(_QUOTES) != old:
        raise NotCertainError("its value is not written there as plain text")
    start += len(written) - len(written.lstrip(_QUOTES))
    word = source.start(flag.span)
    signs = source.text[start - 1 : start] + source.text[word - 1 : word]
    _refuse_unwritable(value, is_quoted=any(sign in _QUOTES for sign in signs))
    return Change(start=start, end=start + len(old), text=value, flag=flag.name, value=value)


def _refuse_unwritable(value: str, *, is_quoted: bool) -> None:
    """Only values that mean the same in shell, YAML, Python, JSON and Make are written."""
    if not _SAFE_VALUE.fullmatch(value) and not (is_quoted and _SAFE_IN_QUOTES.fullmatch(value)):
        raise NotCertainError("the value needs quotes")


def _bounds(flag: Flag, source: SourceText) -> tuple[int, int]:
    """Offsets of a flag with its value, quotes around the whole word included."""
    start, end = source.start(flag.span), source.end(flag.span)
    if flag.value_span is not None:
        end = max(end, source.end(flag.value_span))
    if "\n" in source.text[start:end]:
        raise NotCertainError("it is written over several lines")
    text = source.text
    before = text[start - 1 : start]
    if before and before in _QUOTES:  # a word in quotes begins behind the first one
        if text[end - 1] == before:
            return start - 1, end
        if text[end : end + 1] == before:
            return start - 1, end + 1
    return start, end


def _deletion(flag: Flag, source: SourceText) -> Change:
    if flag.value_span is not None and flag.value_span.line != flag.span.line:
        raise NotCertainError("it is written over several lines")
    start, end = _bounds(flag, source)
    text = source.text
    head, tail = source.line_start(start), source.line_end(end)
    before, after = text[head:start], text[end:tail]
    if before.strip() in {"", "-"} and after.strip() in {"", ",", "\\"}:
        if after.strip() or before.strip():  # a line of its own that the next one continues, or a list item
            return _change(flag, head, min(tail + 1, len(text)), "")
        return _change(flag, *_last_line(head, tail, text), "")
    if text[start] in _QUOTES and after.startswith(","):
        rest = after[1:]
        return _change(flag, start, end + 1 + len(rest) - len(rest.lstrip()), "")
    if text[start] in _QUOTES and before.rstrip().endswith(","):
        return _change(flag, head + len(before.rstrip()) - 1, end, "")
    if before[-1:] in {" ", "\t"}:
        return _change(flag, head + len(before.rstrip(" \t")), end, "")
    raise NotCertainError("it does not stand between blanks")


def _last_line(head: int, tail: int, text: str) -> tuple[int, int]:
    """A last line of a continued command, with the backslash that leads to it."""
    lead = text[:head].removesuffix("\n").removesuffix("\r")
    if not lead.endswith("\\"):
        raise NotCertainError("it stands on a line of its own")
    end = tail - 1 if text[:tail].endswith("\r") else tail
    return len(lead[:-1].rstrip(" \t")), end


def _change(flag: Flag, start: int, end: int, text: str) -> Change:
    return Change(start=start, end=end, text=text, flag=flag.name, value=None)


def _insertion(name: str, value: str, subject: Subject, source: SourceText) -> Change:
    if subject.dialect in {KEYS, programs.TORCH}:
        raise NotCertainError("where to add it is not certain")
    if value:
        _refuse_unwritable(value, is_quoted=False)
    written = f"{name}={value}" if value else name
    if not subject.flags:
        at = source.end(subject.name_span)
        if source.text[at : at + 1] not in {"", " ", "\t", "\n", "\r"}:
            raise NotCertainError("it stands in a list without flags")
        return _inserted(name, value, at, f" {written}")
    last = max(subject.flags, key=lambda flag: (flag.span.line, flag.span.column))
    if last.certainty is not Certainty.CERTAIN and last.presence != "always":
        raise NotCertainError("the last flag is there under a condition only")
    start, end = _bounds(last, source)
    if last.value.is_bare and _WORD_FOLLOWS.match(source.text, end):
        raise NotCertainError(f"a word follows {last.name} that may be its value")
    head = source.line_start(start)
    before = source.text[head:start]
    indent = before[: len(before) - len(before.lstrip())]
    is_quoted = source.text[start] in _QUOTES
    quote = source.text[start] if is_quoted else ""
    item = _YAML_ITEM.fullmatch(before)
    if item is not None:
        return _inserted(name, value, end, f"{source.newline()}{before}{quote}{written}{quote}")
    if is_quoted:
        gap = f"{source.newline()}{indent}" if not before.strip() else " "
        return _inserted(name, value, end, f",{gap}{quote}{written}{quote}")
    if not before.strip() and source.text[:head].rstrip("\r\n").endswith("\\"):
        return _inserted(name, value, end, f" \\{source.newline()}{indent}{written}")
    return _inserted(name, value, end, f" {written}")


def _inserted(name: str, value: str, at: int, text: str) -> Change:
    return Change(start=at, end=at, text=text, flag=name, value=value, is_insertion=True, is_bare=not value)
