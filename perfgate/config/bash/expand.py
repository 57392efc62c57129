"""Expansion of shell words: parameters, substitutions, braces, splitting; unknown stays unknown."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from perfgate.config.bash.braces import expand_braces
from perfgate.config.bash.parameters import (
    alternative,
    array_words,
    element_atoms,
    is_whole_array,
    is_word_list,
    sliced,
    with_default,
)
from perfgate.config.bash.reading import MAX_ITEMS
from perfgate.config.bash.results import assigned_names, heredoc_text, looked_up_program
from perfgate.config.bash.scope import Scope, Variable, unknown
from perfgate.config.bash.syntax import Arithmetic, Literal, Parameter, Substitution, WordPart, WordText
from perfgate.config.fields import BLANKS, Part, split_parts
from perfgate.config.words import Atom, Word, open_word

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from perfgate.config.spans import Placed

FIRST_HOLE = 0xF0000  # private-use characters stand for atoms inside text that is read as shell
LAST_HOLE = 0xFFFFD
_HOME = re.compile(r"~[\w.+-]*(?=/|\Z)")
_SOURCE_LENGTH = 40  # of the text that names a hidden value in messages
_WORDS_PER_STEP = 8  # the work of one command, see `Output.step`
_DEFAULTS = frozenset({":-", "-", ":=", "="})
_ASSIGNED_DEFAULTS = frozenset({":=", "="})
_ALTERNATIVES = frozenset({":+", "+"})
_PLAIN = frozenset({"", ":?", "?"})
_RESULTS = frozenset({"$(", "`"})  # stand for what the commands print


class Expander:
    """Expands words in a scope.

    `run` reads the commands of a substitution, `set_default` is told of `${name:=text}`,
    `count` of the work done. `holes` are the atoms that private-use characters stand for.
    """

    def __init__(
        self,
        run: Callable[[Substitution], None],
        set_default: Callable[[Placed, tuple[Atom, ...]], None],
        count: Callable[[int], None],
        holes: Mapping[str, Atom],
    ) -> None:
        self.scope = Scope()
        self.run = run
        self.set_default = set_default
        self.count = count
        self.holes = holes
        self.own_name = ""  # the variable that is being set: its own text is left out of a setting

    def words(self, text: WordText) -> tuple[Word, ...]:
        """The arguments that a word becomes."""
        literal = text.parts[0] if len(text.parts) == 1 else None
        if isinstance(literal, Literal) and not self.holes and "{" not in literal.text.text:
            if not literal.quoted and literal.text.text.startswith("~"):
                return (Word(atoms=self._tilde(literal.text), place=text.place),)
            return (Word(atoms=(Atom(text=literal.text),), place=text.place),)
        words = tuple(word for way in expand_braces(text) for word in self._fields(way))
        self.count(len(words) // _WORDS_PER_STEP)
        return words

    def all_words(self, texts: Sequence[WordText]) -> tuple[Word, ...]:
        """The arguments that several words become; reading on ends when they get too many."""
        words: list[Word] = []
        for text in texts:
            words.extend(self.words(text))
            if len(words) > MAX_ITEMS:
                break
        return tuple(words)

    def atoms(self, text: WordText | None) -> tuple[Atom, ...]:
        """The text of a word that is not split: an assignment, a here-string, a case subject."""
        if text is None:
            return ()
        atoms: list[Atom] = []
        for part in text.parts:
            if is_whole_array(part):
                atoms.extend(self._joined_array(part, text.place))
            else:
                atoms.extend(piece.atom for piece in self._parts(part))
        if text.parts and isinstance(text.parts[0], Literal) and not text.parts[0].quoted:
            first = text.parts[0].text
            if first.text.startswith("~") and not self.holes:
                return (*self._tilde(first), *atoms[1:])
        return tuple(atoms)

    def known_text(self, text: WordText | None) -> str | None:
        """The one known text of a word, else None."""
        texts = [None if atom.text is None or atom.guard else atom.text.text for atom in self.atoms(text)]
        return None if any(text is None for text in texts) else "".join(text or "" for text in texts)

    def separators(self) -> str:
        """The characters at which unquoted expansions are split: IFS if the file sets it."""
        variable = self.scope.get("IFS")
        if variable is None or variable.is_unset:
            return BLANKS
        texts = [None if atom.guard or atom.text is None else atom.text.text for atom in variable.atoms]
        return BLANKS if any(text is None for text in texts) else "".join(text or "" for text in texts)

    def _fields(self, text: WordText) -> tuple[Word, ...]:
        if any(is_word_list(part) for part in text.parts):
            return self._array_fields(text)
        parts = [piece for part in text.parts for piece in self._parts(part)]
        return split_parts(parts, text.place, self.separators())

    def _array_fields(self, text: WordText) -> tuple[Word, ...]:
        """The words around and out of `"${array[@]}"` and `"$@"`."""
        words: list[Word] = []
        parts: list[Part] = []
        for part in text.parts:
            if not is_word_list(part) or not isinstance(part, Parameter):
                parts.extend(self._parts(part))
                continue
            inside = self._array(part)
            if not part.quoted:
                inside = self._split_again(inside, text.place)
            if parts and inside:
                inside = (_prefixed(parts, inside[0]), *inside[1:])
                parts = []
            words.extend(inside)
        if parts and words and not words[-1].is_open:
            atoms = tuple(part.atom for part in parts)
            words[-1] = replace(words[-1], atoms=(*words[-1].atoms, *atoms))
        elif parts and any(part.atom.text is None or part.atom.text.text for part in parts):
            words.extend(split_parts(parts, text.place, self.separators()))
        return tuple(words)

    def _split_again(self, words: tuple[Word, ...], place: Placed) -> tuple[Word, ...]:
        found: list[Word] = []
        for word in words:
            if word.is_open:
                found.append(word)
                continue
            parts = [Part(atom=atom, splits=True) for atom in word.atoms]
            for piece in split_parts(parts, place, self.separators()):
                guards = [left | right for left in word.guards for right in piece.guards]
                found.append(replace(piece, guards=tuple(guards), from_list=True))
        return tuple(found)

    def _array(self, part: Parameter) -> tuple[Word, ...]:
        if part.name in {"@", "*"}:
            if self.scope.positionals is None:
                return (open_word(f"${part.name}", part.place),)
            words = (Word(atoms=(), place=part.place), *self.scope.positionals)  # `${@:1}` counts from $0
            cut = sliced(part, words) if part.operator == ":" else words[1:]
            return (open_word(part.name, part.place),) if cut is None else cut
        variable = self.scope.get(part.name)
        return array_words(part, variable)

    def _joined_array(self, part: WordPart, place: Placed) -> tuple[Atom, ...]:
        """`"${array[*]}"`: the elements with a blank between them, as one text."""
        if not isinstance(part, Parameter):
            return ()
        blank = Atom(text=place.cut(0, 0).standing_for(self.separators()[:1]))
        atoms: list[Atom] = []
        for word in self._array(part):
            guard = word.guards[0]
            if atoms:
                atoms.append(replace(blank, guard=guard))
            atoms.extend(atom.under(guard) for atom in word.atoms)
        return tuple(atoms)

    def _parts(self, part: WordPart) -> list[Part]:
        if isinstance(part, Literal):
            return self._literal(part)
        if isinstance(part, Parameter):
            if is_whole_array(part):
                atoms = self._joined_array(part, part.place)
                return [Part(atom=atom) for atom in atoms] or [_nothing(part)]
            return self._parameter(part)
        if isinstance(part, Substitution):
            if not part.body.chains and part.kind in _RESULTS:
                return [Part(atom=Atom(text=part.place.cut(0, 0)), splits=not part.quoted)]
            result = self._result(part)
            if result is not None:
                return result
            self.run(part)
        else:
            self.change_numbers(part.place.text)
        return [Part(atom=Atom(text=None, source=_source(part.place)), splits=self._splits(part))]

    def _result(self, part: Substitution) -> list[Part] | None:
        """The text of `$(cat <<END ...)`, and the known end of the path that `$(which name)` gives."""
        splits = self._splits(part)
        name = looked_up_program(part)
        if name is not None:
            folder = Atom(text=None, source=_source(part.place))
            slash = Atom(text=name.place.cut(0, 0).standing_for("/"))
            return [Part(atom=atom, splits=splits) for atom in (folder, slash, *self.atoms(name))]
        text = heredoc_text(part)
        if text is None:
            return None
        return [Part(atom=atom, splits=splits) for atom in _without_last_lines(self.atoms(text))]

    def change_numbers(self, text: str) -> None:
        """What arithmetic assigns is unknown afterwards."""
        for name in assigned_names(text):
            self.scope.assign(name, unknown(name))

    def _splits(self, part: Substitution | Arithmetic) -> bool:
        return isinstance(part, Substitution) and not part.quoted and part.kind in _RESULTS

    def _literal(self, part: Literal) -> list[Part]:
        if not self.holes or not any(sign in self.holes for sign in part.text.text):
            return [Part(atom=Atom(text=part.text))]
        parts: list[Part] = []
        start = 0
        for index, sign in enumerate(part.text.text):
            if sign in self.holes:
                if index > start:
                    parts.append(Part(atom=Atom(text=part.text.cut(start, index))))
                parts.append(Part(atom=self.holes[sign], splits=not part.quoted))
                start = index + 1
        if start < len(part.text):
            parts.append(Part(atom=Atom(text=part.text.cut(start, len(part.text)))))
        return parts

    def _parameter(self, part: Parameter) -> list[Part]:
        if part.operator in _DEFAULTS | _ALTERNATIVES and part.operand is not None:
            return self._with_operand(part, part.operand)
        splits = not part.quoted
        is_plain = part.operator in _PLAIN and bool(part.name)
        atoms = self._value(part) if is_plain else self._transformed(part)
        if part.name == self.own_name and self.own_name:
            return []
        return [Part(atom=atom, splits=splits) for atom in atoms] or [_nothing(part)]

    def _value(self, part: Parameter) -> tuple[Atom, ...]:
        if part.name.isdigit():
            return self._positional(part)
        variable = self.scope.get(part.name)
        if variable is None:
            return (Atom(text=None, source=part.name),)
        key = self.atoms(part.index) if part.index is not None else None
        return element_atoms(part, variable, key)

    def _positional(self, part: Parameter) -> tuple[Atom, ...]:
        number = int(part.name)
        words = self.scope.positionals
        if words is None or number == 0 or any(word.is_open or word.splits for word in words[:number]):
            return (Atom(text=None, source=f"${part.name}"),)
        return words[number - 1].atoms if number <= len(words) else ()

    def _transformed(self, part: Parameter) -> tuple[Atom, ...]:
        """`${x%...}`, `${#x}` and their kind are not computed; `${!x}` is, if the name is known."""
        if part.operator == "!" and part.index is None:
            variable = self.scope.get(part.name)
            texts = (
                [atom.text.text for atom in variable.atoms if atom.text and not atom.guard]
                if variable
                else []
            )
            if variable is not None and texts and len(texts) == len(variable.atoms):
                return self._value(replace(part, name="".join(texts), operator=""))
        if part.operand is not None:
            self.atoms(part.operand)
        return (Atom(text=None, source=_source(part.place)),)

    def _with_operand(self, part: Parameter, operand: WordText) -> list[Part]:
        """`${x:-word}` and `${x:+word}`; the word keeps its own quotes for splitting."""
        variable: Variable | None = self.scope.get(part.name)
        own = part.name == self.own_name and bool(self.own_name)
        if (part.name.isdigit() and self.scope.positionals is not None) or (
            part.index is not None and variable is not None
        ):
            variable = Variable(atoms=self._value(replace(part, operator="", operand=None)))
        pieces = [
            replace(piece, splits=piece.splits or (_is_plain(inner) and not part.quoted))
            for inner in operand.parts
            for piece in self._parts(inner)
        ]
        if part.operator in _ALTERNATIVES:
            return pieces if own else alternative(part, variable, pieces)
        if own and not pieces:
            return []
        current = () if variable is None or own else variable.atoms
        known = None if variable is None or own else variable
        found = with_default(
            part, known, [Part(atom=atom, splits=not part.quoted) for atom in current], pieces
        )
        if part.operator in _ASSIGNED_DEFAULTS and not own:
            self.set_default(part.place.cut(2, 2 + len(part.name)), tuple(piece.atom for piece in found))
        return found or [_nothing(part)]

    def _tilde(self, text: Placed) -> tuple[Atom, ...]:
        found = _HOME.match(text.text)
        if found is None:
            return (Atom(text=text),)
        return (Atom(text=None, source=found.group()), Atom(text=text.cut(found.end(), len(text))))


def _without_last_lines(atoms: tuple[Atom, ...]) -> tuple[Atom, ...]:
    """The text without the line ends that a substitution drops."""
    if not atoms or atoms[-1].text is None:
        return atoms
    last = atoms[-1].text
    return (*atoms[:-1], atoms[-1].part(0, len(last.text.rstrip("\n"))))


def _is_plain(part: WordPart) -> bool:
    return isinstance(part, Literal) and not part.quoted


def _nothing(part: Parameter) -> Part:
    """An empty text that is a word of its own only inside quotes."""
    return Part(atom=Atom(text=part.place.cut(0, 0)), splits=not part.quoted)


def _prefixed(parts: list[Part], word: Word) -> Word:
    return replace(word, atoms=(*(part.atom for part in parts), *word.atoms))


def _source(place: Placed) -> str:
    text = " ".join(place.text.split())
    return text if len(text) <= _SOURCE_LENGTH else text[: _SOURCE_LENGTH - 3] + "..."
