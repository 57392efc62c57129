"""tox configuration in INI form: commands and settings of test environments, which inherit from `[testenv]`.

tox splits commands like a shell would, but no shell reads them.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from perfgate.config.branches import ALWAYS, Decision, Guard
from perfgate.config.embedded import Budget, Expansion, TextPiece, atoms_of, quoted_words, unknown
from perfgate.config.found import Found, merged
from perfgate.config.running import run_words
from perfgate.config.setting_pairs import pair_settings, replaceable
from perfgate.config.spans import Placed, joined
from perfgate.config.words import Atom, Word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfgate.config.spans import Source

_SECTION = re.compile(r"\[([^\]\n]+)\]\s*(?:[#;].*)?$")
_KEY = re.compile(r"([^\s=:#;\[][^=:]*?)\s*[=:]\s*")
COMMANDS = ("commands_pre", "commands", "commands_post")
SETTINGS = ("set_env", "setenv")
_PREFIX = re.compile(r"(?:[-!]\s*)+")
_FACTOR = re.compile(r"([!\w.-]+(?:[,{}!\w.-]*))\s*:\s+")
_SECTION_REFERENCE = re.compile(r"\{\[([^\]]+)\](\w+)\}")
MAX_DEPTH = 8  # references inside references
_ENVIRONMENT = re.compile(r"(?:testenv|env)(?::(.*))?$")


Section = dict[str, list[Placed]]


def read_tox_ini(source: Source) -> Found:
    """The facts of `tox.ini`, or of the `[tox:...]` sections of `setup.cfg`."""
    return read_tox_text(source.whole())


def read_tox_text(text: Placed) -> Found:
    """The facts of tox configuration in INI form."""
    sections = _sections(text)
    return merged(found for name in sections for found in _environment(name, sections))


def _sections(text: Placed) -> dict[str, Section]:
    """Sections with the lines of their values; the first line is what stands behind the equals sign."""
    sections: dict[str, Section] = {}
    current: Section = {}
    lines: list[Placed] = []
    for line in _lines(text):
        written = line.text
        if not written.strip() or written.lstrip()[0] in "#;":
            continue
        section = _SECTION.match(written)
        key = None if written[0].isspace() else _KEY.match(written)
        if section is not None:
            current = sections.setdefault(section[1].strip().removeprefix("tox:"), {})
            lines = []
        elif written[0].isspace():
            lines.append(_without_comment(line).stripped())
        elif key is not None:
            lines = [_without_comment(line.cut(key.end(), len(line))).stripped()]
            current[key[1].strip().lower()] = lines
    return sections


def _lines(text: Placed) -> Iterator[Placed]:
    starts = [0, *(match.end() for match in re.finditer("\n", text.text)), len(text) + 1]
    return (text.cut(start, end - 1) for start, end in pairwise(starts))


def _without_comment(line: Placed) -> Placed:
    """The line up to a `#`; behind a backslash it is a sign."""
    match = re.search(r"(?<!\\)#", line.text)
    kept = line if match is None else line.cut(0, match.start())
    parts: list[Placed] = []
    start = 0
    for escaped in re.finditer(r"\\#", kept.text):
        parts += [kept.cut(start, escaped.start()), kept.cut(escaped.start() + 1, escaped.end())]
        start = escaped.end()
    return joined([*parts, kept.cut(start, len(kept))], kept)


def _environment(name: str, sections: dict[str, Section]) -> Iterator[Found]:
    match = _ENVIRONMENT.match(name)
    if match is None:
        return
    reader = _Reader(sections, name)
    pairs = list(reader.settings())
    if _own_setting_key(sections[name]):
        yield from pair_settings(pairs)
    variables = {variable.text: atoms for variable, atoms in pairs}
    for key in COMMANDS:
        if key in sections[name]:
            for words in reader.commands(sections[name][key]):
                yield run_words(words, variables, context=match[1] or "testenv")


def _own_setting_key(section: Section) -> str:
    return next((key for key in SETTINGS if key in section), "")


def tox_pieces(text: Placed) -> list[TextPiece]:
    """Text of tox configuration in TOML with `{...}` as expansions."""
    return _Reader({}, "").pieces(text, 0)


class _Reader:
    """Values of one test environment."""

    def __init__(self, sections: dict[str, Section], name: str) -> None:
        self._sections = sections
        self._name = name
        self._budget = Budget()

    def _value(self, key: str) -> list[Placed]:
        """The lines of a key, or of the same key of `[testenv]`."""
        own = self._sections[self._name].get(key)
        return self._sections.get("testenv", {}).get(key, []) if own is None else own

    def settings(self) -> Iterator[tuple[Placed, tuple[Atom, ...]]]:
        """The variables that the environment sets."""
        lines = next((found for key in SETTINGS if (found := self._value(key))), [])
        for parts in self._logical(lines, 0):
            line, guard = parts[0]
            name, sign, _ = line.text.partition("=")
            if sign:
                rest = [(line.cut(len(name) + 1, len(line)).stripped(), guard), *parts[1:]]
                yield line.cut(0, len(name)).stripped(), atoms_of(self._guarded_pieces(rest))

    def commands(self, lines: list[Placed]) -> Iterator[tuple[Word, ...]]:
        """The words of each command."""
        for parts in self._logical(lines, 0):
            first, _ = parts[0]  # a command for some environments only is read as any other
            match = _PREFIX.match(first.text)
            command = first.cut(match.end() if match else 0, len(first))
            yield quoted_words(self._guarded_pieces([(command, ALWAYS), *parts[1:]]))

    def _guarded_pieces(self, parts: list[tuple[Placed, Guard]], depth: int = 0) -> list[TextPiece]:
        pieces: list[TextPiece] = []
        for text, guard in parts:
            if pieces:
                pieces.append(text.cut(0, 0).standing_for(" "))
            found = self.pieces(text, depth)
            if guard:
                atoms = tuple(replace(atom, guard=atom.guard | guard) for atom in atoms_of(found))
                found = [Expansion(atoms=atoms, place=text)]
            pieces += found
        return pieces

    def _logical(self, lines: list[Placed], depth: int) -> Iterator[list[tuple[Placed, Guard]]]:
        """The parts of each entry, joined at backslashes; `{[section]key}` alone is followed.

        A line may apply to some environments only (`fast: atc ...`), also in the middle of an entry.
        """
        parts: list[tuple[Placed, Guard]] = []
        for line in lines:
            content, guard = self._factor(line)
            goes_on = line.text.endswith("\\")
            if content is not None:
                body = content.cut(0, len(content) - 1) if goes_on else content
                parts.append((body.stripped(), guard))
            if goes_on:
                continue
            entry, parts = [part for part in parts if len(part[0])], []
            reference = _SECTION_REFERENCE.fullmatch(entry[0][0].text) if len(entry) == 1 else None
            if reference is not None and depth < MAX_DEPTH:
                section = self._sections.get(reference[1], {})
                if _ENVIRONMENT.match(reference[1]) and reference[2].lower() in COMMANDS:
                    continue  # read where that environment stands
                yield from self._logical(section.get(reference[2].lower(), []), depth + 1)
            elif entry:
                yield entry
        if parts:
            yield parts

    def _factor(self, line: Placed) -> tuple[Placed | None, Guard]:
        """A line without its factor and what the factor depends on; None if it never applies here."""
        match = _FACTOR.match(line.text)
        if match is None or re.match(r"\w+\s*=", line.text):
            return line, ALWAYS
        content = line.cut(match.end(), len(line))
        name = _ENVIRONMENT.match(self._name)
        if name is not None and name[1] is None:
            return content, frozenset({(Decision(place=f"factor {match[1]}", outcomes=2), 0)})
        active = set((name[1] if name is not None and name[1] else "").split("-"))
        return (content if _applies(match[1], active) else None), ALWAYS

    def pieces(self, text: Placed, depth: int) -> list[TextPiece]:
        """Text with `{...}` as expansions; a backslash before a brace or colon keeps the sign."""
        pieces: list[TextPiece] = []
        start = position = 0
        while position < len(text):
            if text.text[position] == "\\" and text.text[position + 1 : position + 2] in {"{", "}", ":"}:
                pieces += [text.cut(start, position), text.cut(position + 1, position + 2)]
                position = start = position + 2
                continue
            end = _closing(text.text, position) if text.text[position] == "{" else -1
            if end < 0:
                position += 1
                continue
            place = text.cut(position, end)
            found = self._substituted(place.cut(1, len(place) - 1), place, depth)
            if found is not None:
                pieces += [text.cut(start, position), *found]
                start = end
            position = end
        pieces.append(text.cut(start, len(text)))
        return [piece for piece in pieces if isinstance(piece, Expansion) or len(piece)]

    def _substituted(self, inner: Placed, place: Placed, depth: int) -> list[TextPiece] | None:
        """What `{...}` stands for; None: nothing, the braces are text."""
        name, sign, _ = inner.text.partition(":")
        if depth > MAX_DEPTH or name == "/" or not self._budget.spend():
            return [place.standing_for("/")] if name == "/" else [unknown(name, place)]
        if name == "posargs" or not inner.text:
            return self._posargs(inner, place, depth)
        if name == "env" and sign:
            value = self._from_environment(inner.cut(len("env:"), len(inner)), depth)
            return [Expansion(atoms=value, place=place)]
        if name == "tty" and sign:
            return [self._tty(inner, place, depth)]
        return self._referenced(inner, place, depth)

    def _referenced(self, inner: Placed, place: Placed, depth: int) -> list[TextPiece] | None:
        reference = _SECTION_REFERENCE.fullmatch(place.text)
        if reference is None:
            is_name = re.fullmatch(r"[A-Za-z_]\w*(:.*)?", inner.text) is not None
            return [unknown(inner.text, place)] if is_name else None
        lines = self._sections.get(reference[1], {}).get(reference[2].lower())
        if lines is None:
            return [unknown(inner.text, place)]
        parts = [part for entry in self._logical(lines, depth + 1) for part in entry]
        return self._guarded_pieces(parts, depth + 1)

    def _posargs(self, inner: Placed, place: Placed, depth: int) -> list[TextPiece]:
        """`{posargs:default}`: the default can be replaced by any arguments."""
        size = len("posargs:")
        pieces: list[TextPiece] = [place.cut(0, 0).standing_for(" "), unknown("posargs", place)]
        if len(inner) <= size:
            return pieces
        default = atoms_of(self.pieces(inner.cut(size, len(inner)), depth + 1))
        return [Expansion(atoms=replaceable(default, "posargs", place), place=place), *pieces]

    def _from_environment(self, inner: Placed, depth: int) -> tuple[Atom, ...]:
        """`{env:NAME:default}`."""
        variable, has_default, _ = inner.text.partition(":")
        if not has_default:
            return (Atom(text=None, source=variable),)
        default = inner.cut(len(variable) + 1, len(inner))
        return replaceable(atoms_of(self.pieces(default, depth + 1)), variable, default)

    def _tty(self, inner: Placed, place: Placed, depth: int) -> Expansion:
        """`{tty:on:off}`: one of two texts."""
        _, on, off = (*inner.text.split(":"), "", "")[:3]
        start = len("tty:")
        ways = (
            inner.cut(start, start + len(on)),
            inner.cut(start + len(on) + 1, start + len(on) + 1 + len(off)),
        )
        span = place.span()
        decision = Decision(place=f"{span.line}:{span.column}", outcomes=2)
        atoms = [
            replace(atom, guard=frozenset({(decision, outcome)}))
            for outcome, way in enumerate(ways)
            for atom in atoms_of(self.pieces(way, depth + 1))
        ]
        return Expansion(atoms=tuple(atoms), place=place)


def _applies(condition: str, active: set[str]) -> bool:
    """`a-b,!c`: one of the alternatives holds, each a conjunction of factors."""
    flat = re.sub(r"\{([^{}]*)\}", lambda match: match[1].split(",")[0], condition)
    choices = {flat} | {re.sub(r"\{[^{}]*\}", one, condition) for one in _choices(condition)}
    groups = [group for choice in choices for group in choice.split(",")]
    return any(
        all((factor.removeprefix("!") in active) != factor.startswith("!") for factor in group.split("-"))
        for group in groups
    )


def _choices(condition: str) -> list[str]:
    match = re.search(r"\{([^{}]*)\}", condition)
    return match[1].split(",") if match else []


def _closing(text: str, start: int) -> int:
    """The index behind the brace that closes the one at `start`, or -1."""
    depth = 0
    for index in range(start, len(text)):
        if text[index] == "\\":
            continue
        depth += {"{": 1, "}": -1}.get(text[index], 0)
        if not depth:
            return index + 1
    return -1
