"""Taking a wrapper off: its options, the settings it makes, and the words or text it runs."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from perfgate.config.words import Atom, Word

if TYPE_CHECKING:
    from perfgate.config.spans import Placed
    from perfgate.config.wrappers import Wrapper

_ASSIGNED = re.compile(r"[A-Za-z_]\w*=")
_LISTED = re.compile(r"(?:^|,)([A-Za-z_]\w*)=([^,]*)")
_PAIRS = frozenset({"-mca", "--mca", "-gmca", "--gmca"})  # options that take two words


@dataclass(slots=True, eq=False)
class Unwrapped:
    """What a wrapper runs: `rest` are words, `text` is shell text, `settings` are name and value."""

    rest: tuple[Word, ...] = ()
    text: Word | None = None
    settings: list[tuple[Placed, tuple[Atom, ...]]] = field(default_factory=list)
    is_lookup: bool = False


def unwrap(words: tuple[Word, ...], start: int, wrapper: Wrapper) -> Unwrapped:
    """Read a wrapper's own words from `start` on."""
    found = Unwrapped()
    entrypoint: tuple[Word, ...] = ()
    skipped, index = 0, start
    while index < len(words):
        if wrapper.skip and skipped == wrapper.skip and not wrapper.mixed:
            break
        word = words[index]
        written = known_start(word)
        if wrapper.assigns and _ASSIGNED.match(written):
            found.settings.extend(settings_of(word))
            index += 1
        elif written == "--":
            index += 1
            break
        elif written.startswith("-") and len(written) > 1:
            if written in wrapper.lookups:
                found.is_lookup = True
                return found
            if written.partition("=")[0] == "--entrypoint":
                entrypoint = tuple(_option_value(words, index))
            index += _option(words, index, wrapper, found)
        elif skipped < wrapper.skip:
            skipped += 1
            index += 1
        else:
            break
    rest = words[index:]
    dashes = [place for place, word in enumerate(words) if word.text == "--" and place >= start]
    if wrapper.after_dashes and dashes:
        rest = words[dashes[0] + 1 :]
    found.rest = (*entrypoint, *rest)
    return found


def known_start(word: Word) -> str:
    """The known text that a word begins with; empty for an open word."""
    first = word.first_text
    return "" if first is None or word.is_open else first.text


def _option(words: tuple[Word, ...], index: int, wrapper: Wrapper, found: Unwrapped) -> int:
    """Read one option; how many words it takes."""
    name, sign, _ = known_start(words[index]).partition("=")
    if name in _PAIRS:
        return 3
    value = _option_value(words, index)
    if name in wrapper.env_options or name[:2] in wrapper.env_options:
        for word in value:
            found.settings.extend(settings_of(word))
        return 1 if sign or name not in wrapper.env_options else 2
    if name in wrapper.text_option:
        found.text = value[0] if value else None
        return 1 if sign else 2
    return 2 if not sign and takes_next(name, wrapper) else 1


def _option_value(words: tuple[Word, ...], index: int) -> list[Word]:
    """The value of an option: after its equals sign, attached to its letter, or the next word."""
    first = words[index].atoms[0].text
    if first is None:
        return []
    name, sign, _ = first.text.partition("=")
    if sign and name.startswith("--"):
        return [_tail(words[index], len(name) + 1)]
    if len(first) > 2 and not first.text.startswith("--"):  # noqa: PLR2004 - a dash and a letter
        return [_tail(words[index], 2)]
    return [words[index + 1]] if index + 1 < len(words) else []


def _tail(word: Word, start: int) -> Word:

    first = word.atoms[0]
    if first.text is None:
        return word
    tail = first.text.cut(start, len(first.text))
    return replace(word, atoms=(replace(first, text=tail), *word.atoms[1:]))


def takes_next(name: str, wrapper: Wrapper) -> bool:
    """The next word is the option's value; letters may stand together, the value after the last."""
    if name in wrapper.values:
        return True
    if name.startswith("--"):
        return wrapper.values_unless is not None and name not in wrapper.values_unless
    for position, letter in enumerate(name[1:], start=2):
        option = f"-{letter}"
        bare = wrapper.values_unless
        if option in wrapper.values or (bare is not None and option not in bare):
            return position == len(name)
    return False


def settings_of(word: Word) -> list[tuple[Placed, tuple[Atom, ...]]]:
    """`NAME=value` as name and value; `ALL,NAME=value` (srun) gives each name with a value."""
    first = word.atoms[0].text if word.atoms else None
    if first is None:
        return []
    if _ASSIGNED.match(first.text):
        size = first.text.index("=")
        rest = first.cut(size + 1, len(first))
        return [(first.cut(0, size), (replace(word.atoms[0], text=rest), *word.atoms[1:]))]
    found = _LISTED.finditer(first.text)
    return [
        (first.cut(*item.span(1)), (replace(word.atoms[0], text=first.cut(*item.span(2))),)) for item in found
    ]


def shell_options(words: tuple[Word, ...]) -> tuple[str, int]:
    """The option letters of a shell's words, and the index of the first word that is none."""
    letters = ""
    index = 1
    while index < len(words):
        text = known_start(words[index])
        if text in {"--", "-"}:
            return letters, index + 1
        if not text.startswith(("-", "+")) or len(text) == 1:
            break
        if text.startswith("--"):
            index += 2 if text in {"--rcfile", "--init-file"} else 1
            continue
        letters += text[1:]
        index += 2 if text[-1] in "oO" else 1
    return letters, index


def xargs_options(words: tuple[Word, ...]) -> tuple[int, str]:
    """The index of the command after `xargs`, and the text that arguments take the place of."""
    mark = ""
    index = 1
    while index < len(words):
        text = known_start(words[index])
        if not text.startswith("-") or len(text) == 1:
            break
        index += 1
        if text in {"-I", "--replace"} and index < len(words):
            mark = words[index].text or "{}"
            index += 1
        elif text.startswith(("-I", "-i", "--replace=")):
            mark = text.removeprefix("--replace=") if text.startswith("--") else text[2:] or "{}"
        elif text in _XARGS_VALUES:
            index += 1
    return index, mark


_XARGS_VALUES = frozenset(
    [
        "-a",
        "-d",
        "-E",
        "-L",
        "-n",
        "-P",
        "-s",
        "--arg-file",
        "--delimiter",
        "--max-lines",
        "--max-args",
        "--max-procs",
        "--max-chars",
        "--eof",
    ]
)
_PARALLEL_VALUES = frozenset(
    [
        "-j",
        "-a",
        "-S",
        "-I",
        "-n",
        "-N",
        "-L",
        "-d",
        "--jobs",
        "--joblog",
        "--results",
        "--arg-file",
        "--sshlogin",
        "--delay",
        "--timeout",
        "--colsep",
        "--retries",
        "--tmpdir",
        "--tagstring",
        "--workdir",
        "--wd",
        "--max-args",
        "--memfree",
        "--load",
        "--halt",
        "-C",
    ]
)
_PLACEHOLDER = re.compile(r"\{[^{}\s,]*\}")


def parallel_options(words: tuple[Word, ...]) -> int:
    """The index of the command after `parallel`."""
    index = 1
    while index < len(words):
        text = known_start(words[index])
        if not text.startswith("-") or len(text) == 1:
            break
        index += 2 if text in _PARALLEL_VALUES else 1
    return index


def filled(word: Word, mark: str | None, source: str) -> Word:
    """The word with an unknown text wherever the mark stands (None: any `{...}` of parallel)."""
    atoms: list[Atom] = []
    pattern = _PLACEHOLDER if mark is None else re.compile(re.escape(mark))
    for atom in word.atoms:
        if atom.text is None or not pattern.search(atom.text.text):
            atoms.append(atom)
            continue
        start = 0
        for found in pattern.finditer(atom.text.text):
            if found.start() > start:
                atoms.append(replace(atom, text=atom.text.cut(start, found.start())))
            atoms.append(Atom(text=None, source=source, guard=atom.guard))
            start = found.end()
        if start < len(atom.text):
            atoms.append(replace(atom, text=atom.text.cut(start, len(atom.text))))
    return (
        word
        if len(atoms) == len(word.atoms) and atoms == list(word.atoms)
        else replace(word, atoms=tuple(atoms))
    )
