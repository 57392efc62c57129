"""Arguments to flags, positionals and notes, by the dialect of the program."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from perfgate.config.dialects.forms import Form, form_of
from perfgate.config.dialects.repeats import with_repeats
from perfgate.config.dialects.split import FlagWord, flag_word, is_dashed, needs_ways
from perfgate.config.facts import Flag, Note, Positional, Span, Value
from perfgate.config.programs import FLAG_LIST, GFLAGS, TRTEXEC, Program
from perfgate.config.values import value_of
from perfgate.config.words import Atom, Word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.config.spans import Placed

MAX_FLAGS = 4096  # per command, GUARDRAILS section 9
_NEGATIVE = re.compile(r"-\d+(\.\d+)?\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """What follows a program word. `open`: more arguments follow that the file does not show."""

    flags: tuple[Flag, ...] = ()
    positionals: tuple[Positional, ...] = ()
    notes: tuple[Note, ...] = ()
    open: bool = False


def parse_arguments(words: Sequence[Word], program: Program) -> Arguments:
    """The words after the program word as the program itself would read them.

    Over 4,096 words the rest is left out and the command is open.
    """
    reader = _Reader(program)
    reader.read(_ways(words[:MAX_FLAGS]))
    flags, notes = with_repeats(tuple(reader.flags), program)
    return Arguments(
        flags=flags,
        positionals=tuple(reader.positionals),
        notes=_one_per_line((*reader.notes, *notes)),
        open=reader.is_open or len(words) > MAX_FLAGS,
    )


def _ways(words: Sequence[Word]) -> list[Word]:
    read: list[Word] = []
    for word in words:
        ways = word.ways() if needs_ways(word) and not word.is_open else (word,)
        if ways is None:
            read.append(replace(word, is_open=True))
        else:
            read.extend(ways if any(is_dashed(way) for way in ways) else (word,))
    return read


class _Reader:
    """The state of one pass over a command's words."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.flags: list[Flag] = []
        self.positionals: list[Positional] = []
        self.notes: list[Note] = []
        self.is_open = False

    def read(self, words: list[Word]) -> None:
        index = 0
        while index < len(words):
            word = words[index]
            if word.text == "--" and self.program.dialect not in {TRTEXEC, FLAG_LIST}:
                for rest in words[index + 1 :]:
                    self._positional(rest)
                return
            following = words[index + 1] if index + 1 < len(words) else None
            index += self._read_one(word, following)

    def _read_one(self, word: Word, following: Word | None) -> int:
        flag = flag_word(word)
        if flag is None:
            self._positional(word)
            return 1
        self.is_open |= word.splits
        form = form_of(flag.name.text, self.program)
        self.is_open |= form.name == "--flagfile" and self.program.dialect == GFLAGS
        value, used = self._value(flag, form, following)
        self.flags.append(_flag(flag, form, value, following if used else None))
        if self.program.dialect == TRTEXEC and flag.value is None and _is_plain(following):
            text = f"trtexec takes values only as {flag.name.text}=VALUE; the next word is not its value"
            self.notes.append(Note(code="space-value", span=self.flags[-1].span, text=text))
        return 2 if used else 1

    def _value(
        self, flag: FlagWord, form: Form, following: Word | None
    ) -> tuple[tuple[Atom, ...] | None, bool]:
        if form.implied is not None:
            return (Atom(text=_implied(flag.name, form.implied)),), False
        if flag.value is not None or not form.takes_next or following is None:
            return flag.value, False
        if following.is_open:
            return following.atoms, False
        if is_dashed(following) and not _NEGATIVE.match(following.text or ""):
            return None, False
        return following.atoms, True

    def _positional(self, word: Word) -> None:
        self.is_open |= word.is_open or word.splits
        if word.is_open or (word.splits and not any(atom.text for atom in word.atoms)):
            return
        if self.program.dialect == FLAG_LIST or (is_dashed(word) and word.text is None):
            self.is_open = True  # a file of flags, or a flag whose name the file does not tell
            return
        value = value_of(word.atoms, word.guards)
        self.positionals.append(Positional(value=value, span=word.placed().span()))


def _is_plain(word: Word | None) -> bool:
    """The next word is text that people may have meant as the flag's value."""
    if word is None or word.is_open or word.splits or word.first_text is None:
        return False
    return not is_dashed(word)


def _implied(name: Placed, text: str) -> Placed:
    if name.text.endswith(text):
        return name[len(name) - len(text) :]
    return name.standing_for(text)


def _flag(flag: FlagWord, form: Form, atoms: tuple[Atom, ...] | None, following: Word | None) -> Flag:
    word = flag.word
    replaceable = any(atom.replaceable for atom in word.atoms)
    value = Value(pieces=None, replaceable=replaceable) if atoms is None else value_of(atoms, word.guards)
    return Flag(
        name=form.name,
        written=_written(flag),
        value=value,
        span=_span(flag, following),
        value_span=_value_span(atoms),
        presence=word.presence,
        branch=word.branch,
    )


def _written(flag: FlagWord) -> str:
    """The name as it stands in the file, quotes included, when it stands in one piece."""
    name = flag.name
    value = flag.value[0].text if flag.value else None
    end = name.end_offset()
    raw = name.source.text[name.offset(0) : end]
    if value is not None and value.offset(0) > end:
        raw = name.source.text[name.offset(0) : value.offset(0)].rpartition("=")[0]
    return raw if raw.replace('"', "").replace("'", "").replace("\\", "") == name.text else name.text


def _span(flag: FlagWord, following: Word | None) -> Span:
    start = flag.name.offset(0)
    end = max(flag.name.end_offset(), start)
    for word in (flag.word, following):
        if word is not None:
            end = max(end, _word_end(word, start))
    return flag.name.source.span(start, end)


def _word_end(word: Word, start: int) -> int:
    """The end of the word as written if it stands where its text does, else the end of the text."""
    text = word.first_text
    if text is None:
        return word.place.end_offset()
    first, last = word.place.offset(0), word.place.end_offset()
    is_whole = first == text.offset(0) if word.from_list else first <= text.offset(0) <= last
    if is_whole:
        return last
    texts = [atom.text for atom in word.atoms if atom.text is not None]
    end = texts[-1].end_offset()
    return end if start <= end <= start + sum(map(len, texts)) + 2 else text.end_offset()


def _value_span(atoms: tuple[Atom, ...] | None) -> Span | None:
    """Where a known value stands, if it stands in one piece."""
    if not atoms or any(atom.text is None or atom.guard for atom in atoms):
        return None
    texts = [atom.text for atom in atoms if atom.text is not None and atom.text.text]
    if not texts:
        first = atoms[0].text
        return first.span() if first is not None else None
    start, end = texts[0].offset(0), texts[-1].end_offset()
    size = sum(len(text) for text in texts)
    raw = texts[0].source.text[start:end]
    if len(raw) < size or "".join(text.text for text in texts) not in {
        raw,
        raw.replace('"', ""),
        raw.replace("'", ""),
    }:
        return None
    return texts[0].source.span(start, end)


def _one_per_line(notes: tuple[Note, ...]) -> tuple[Note, ...]:
    return tuple({(note.code, note.span.line): note for note in reversed(notes)}.values())[::-1]
