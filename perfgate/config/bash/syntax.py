"""The syntax tree of a shell script; every leaf is placed text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfgate.config.spans import Placed


@dataclass(frozen=True, slots=True, eq=False)
class Literal:
    """Text as it is. `quoted`: neither split nor expanded any further."""

    text: Placed
    quoted: bool


@dataclass(frozen=True, slots=True, eq=False)
class Parameter:
    """`$name` or `${...}`: `operator` as written (`:-`, `%`, `#length`, `!`, ...), `operand` its word."""

    name: str
    place: Placed
    quoted: bool
    index: WordText | None = None
    operator: str = ""
    operand: WordText | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Substitution:
    """`$(...)`, backquotes, `<(...)` or `>(...)`; `kind` is the opening."""

    body: Sequence
    place: Placed
    quoted: bool
    kind: str


@dataclass(frozen=True, slots=True, eq=False)
class Arithmetic:
    """`$((...))`, whose result is never computed."""

    place: Placed
    quoted: bool


WordPart = Literal | Parameter | Substitution | Arithmetic


@dataclass(frozen=True, slots=True, eq=False)
class WordText:
    """A shell word before expansion."""

    parts: tuple[WordPart, ...]
    place: Placed

    @property
    def literal(self) -> str | None:
        """The text of a word that is all unquoted literal text, else None."""
        if len(self.parts) == 1:
            part = self.parts[0]
            return part.text.text if isinstance(part, Literal) and not part.quoted else None
        return None


@dataclass(frozen=True, slots=True, eq=False)
class Element:
    """An element of an array in parentheses, with its key if one is written."""

    word: WordText
    key: WordText | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Assignment:
    """`name=word`, `name+=word`, `name[key]=word` or `name=(elements)`."""

    name: Placed
    adds: bool
    word: WordText | None = None
    elements: tuple[Element, ...] | None = None
    key: WordText | None = None


@dataclass(slots=True, eq=False)
class Heredoc:
    """A heredoc; not frozen, because its body stands after the line that announces it."""

    delimiter: str
    quoted: bool
    strips: bool
    body: WordText


@dataclass(frozen=True, slots=True, eq=False)
class Redirect:
    """A redirection to a word; the word of a here-string is its text."""

    operator: str
    target: WordText | Heredoc

    @property
    def word(self) -> WordText:
        """The target, or the body of a heredoc."""
        return self.target.body if isinstance(self.target, Heredoc) else self.target


@dataclass(frozen=True, slots=True, eq=False)
class Simple:
    """Assignments and words. A declaration (`local x=1`) keeps its assignments in `declared`."""

    assignments: tuple[Assignment, ...]
    words: tuple[WordText, ...]
    declared: tuple[Assignment, ...]
    redirects: tuple[Redirect, ...]
    place: Placed


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """`{ ...; }`, or `( ... )` when it is a subshell."""

    body: Sequence
    subshell: bool
    redirects: tuple[Redirect, ...]
    place: Placed


@dataclass(frozen=True, slots=True, eq=False)
class If:
    """Conditions with their bodies; `otherwise` is None without an `else`."""

    arms: tuple[tuple[Sequence, Sequence], ...]
    otherwise: Sequence | None
    redirects: tuple[Redirect, ...]
    place: Placed


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """Arms of patterns and bodies; `falls` says that an arm ends with `;&` or `;;&`."""

    subject: WordText
    arms: tuple[CaseArm, ...]
    redirects: tuple[Redirect, ...]
    place: Placed


@dataclass(frozen=True, slots=True, eq=False)
class CaseArm:
    """The patterns and the body of one arm of a `case`."""

    patterns: tuple[WordText, ...]
    body: Sequence
    falls: bool


@dataclass(frozen=True, slots=True, eq=False)
class For:
    """A loop over words; `words` is None without `in`, and `name` is empty for `for ((...))`."""

    name: str
    words: tuple[WordText, ...] | None
    body: Sequence
    redirects: tuple[Redirect, ...]
    place: Placed


@dataclass(frozen=True, slots=True, eq=False)
class While:
    """A `while` or `until` loop."""

    condition: Sequence
    body: Sequence
    redirects: tuple[Redirect, ...]
    place: Placed


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A definition; the body is any compound command."""

    name: str
    body: Command


@dataclass(frozen=True, slots=True, eq=False)
class Test:
    """`[[ ... ]]` or `((...))`: its words, of which only substitutions matter."""

    words: tuple[WordText, ...]
    redirects: tuple[Redirect, ...]
    place: Placed


Command = Simple | Group | If | Case | For | While | Function | Test


@dataclass(frozen=True, slots=True, eq=False)
class Pipeline:
    """Commands joined by `|`; `negated` by `!`, `timed` by `time`."""

    commands: tuple[Command, ...]
    negated: bool
    timed: bool
    place: Placed


@dataclass(frozen=True, slots=True, eq=False)
class Chain:
    """Pipelines joined by `&&` and `||`; `links` holds the operator before each but the first."""

    pipelines: tuple[Pipeline, ...]
    links: tuple[str, ...]
    background: bool


@dataclass(frozen=True, slots=True, eq=False)
class Sequence:
    """Chains one after the other."""

    chains: tuple[Chain, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Broken:
    """Where and why reading stopped."""

    place: Placed
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class Script:
    """A whole text; `broken` says where reading stopped before its end."""

    body: Sequence
    broken: Broken | None = None
