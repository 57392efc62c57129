"""tox configuration in TOML: `tox.toml`, and `[tool.tox]` of `pyproject.toml` in both of its forms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.config.broken import broken_at
from perfgate.config.embedded import atoms_of
from perfgate.config.found import Found, merged
from perfgate.config.running import run_words
from perfgate.config.setting_pairs import pair_settings
from perfgate.config.toml_places import toml_keys
from perfgate.config.tox_ini import COMMANDS, SETTINGS, read_tox_text, tox_pieces
from perfgate.config.words import Word, open_word

if TYPE_CHECKING:
    from perfgate.config.key_paths import Leaf, PathPart
    from perfgate.config.spans import Placed, Source

_TOOL = ("tool", "tox")
_LONG_QUOTE = 3  # characters of the quotes around a string of several lines


def read_tox_toml(source: Source) -> Found:
    """The facts of tox configuration; other parts of the file say nothing."""
    tree = toml_keys(source.text)
    parts: list[Found] = []
    commands: dict[tuple[PathPart, ...], list[Word]] = {}
    for leaf in tree.leaves:
        path = leaf.path[2:] if leaf.path[:2] == _TOOL else leaf.path
        if path == ("legacy_tox_ini",):
            parts.append(read_tox_text(_string(source, leaf)))
        elif len(path) >= 3 and path[-3] in COMMANDS:  # noqa: PLR2004 - commands, its line, its word
            commands.setdefault(path[:-1], []).append(_word(source, leaf))
        elif len(path) >= 4 and path[-4] in COMMANDS:  # noqa: PLR2004 - a table such as `{replace = "posargs"}`
            commands.setdefault(path[:-2], []).append(open_word("posargs", _string(source, leaf)))
        elif len(path) > 1 and path[-2] in SETTINGS and leaf.type == "str":
            parts += pair_settings([(_name(source, leaf), atoms_of(tox_pieces(_string(source, leaf))))])
    parts += [run_words(tuple(words), context=_context(path)) for path, words in commands.items()]
    if tree.broken is not None:
        parts.append(broken_at(source.span(tree.broken.offset, tree.broken.offset), tree.broken.reason))
    return merged(parts)


def _context(path: tuple[PathPart, ...]) -> str:
    names = [part for part in path if isinstance(part, str) and part not in {"env", *COMMANDS}]
    return ".".join(names)


def _word(source: Source, leaf: Leaf) -> Word:
    text = _string(source, leaf)
    return Word(atoms=atoms_of(tox_pieces(text)), place=text)


def _string(source: Source, leaf: Leaf) -> Placed:
    """The text of a string in its place; one with escapes stands for its text as a whole."""
    whole = source.whole().cut(leaf.start, leaf.end)
    for size in (_LONG_QUOTE, 1):
        inner = whole.cut(size, max(len(whole) - size, size))
        inner = inner.cut(1, len(inner)) if size > 1 and inner.text.startswith("\n") else inner
        if inner.text == leaf.text:
            return inner
    return whole.standing_for(leaf.text)


def _name(source: Source, leaf: Leaf) -> Placed:
    """The name of a setting: the last time it stands before its value."""
    name = str(leaf.path[-1])
    start = max(source.text.rfind(name, 0, leaf.start), 0)
    return source.whole().cut(start, start + len(name))
