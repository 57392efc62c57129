"""What is known about the flags of a program: values, synonyms and constraints; loaded only when asked for.

A missing name is never an error: names and values differ between versions of a tool.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import msgspec

from perfgate.config.programs import Program, program_named
from perfgate.config.suggest import near_names

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


class FlagFacts(msgspec.Struct, frozen=True, kw_only=True):
    """One flag: `values` are all it takes, `values_hint` the usual ones; `instead` is its successor.

    `perf`: it changes the speed of the compiled model. `old`: kept for old scripts.
    """

    type: str = "text"
    meaning: str = ""
    values: tuple[str, ...] = ()
    values_hint: tuple[str, ...] = ()
    sep: str = ""
    default: str | None = None
    min: float | None = None
    max: float | None = None
    perf: bool = False
    old: bool = False
    instead: str = ""
    item: str = ""
    formats: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    pools: tuple[str, ...] = ()


class Constraint(msgspec.Struct, frozen=True, kw_only=True):
    """A rule of the tool itself: where `when` holds, `values`, `require`, `forbid` and the others apply.

    `when` maps a flag to its value; the key `has` names a flag that must be present. `no_effect` lists flags
    that the tool then ignores.
    """

    id: str
    when: dict[str, str] = {}
    values: dict[str, tuple[str, ...]] = {}
    require: tuple[str, ...] = ()
    forbid: tuple[str, ...] = ()
    at_most_one: tuple[str, ...] = ()
    all_or_none: tuple[str, ...] = ()
    no_effect: tuple[str, ...] = ()
    note: str = ""


class Catalogue(msgspec.Struct, frozen=True, kw_only=True):
    """The flags of one program by canonical name. `complete`: another name deserves a note."""

    program: str
    version: int = 1
    complete: bool = False
    flags: dict[str, FlagFacts] = {}
    aliases: dict[str, str] = {}
    synonyms: dict[str, tuple[str, ...]] = {}
    constraints: tuple[Constraint, ...] = ()

    def near(self, name: str) -> tuple[str, ...]:
        """Flags that an unknown name may have meant, nearest first."""
        return near_names(name, self.flags, self.synonyms)


@cache
def catalogue_of(program: str) -> Catalogue:
    """The catalogue of a program by its catalogue name; an empty one if nothing is known."""
    file = files("perfgate.config") / "catalogue" / f"{program}.yaml"
    if file.is_file():
        return _loaded(file)
    try:
        return _names_only(program_named(program))
    except KeyError:
        return Catalogue(program=program)


def _loaded(file: Traversable) -> Catalogue:
    import yaml  # noqa: PLC0415 - 20 ms, paid only where flags are explained

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    tree = yaml.load(file.read_text(encoding="utf-8"), Loader=loader)  # noqa: S506 - a safe loader
    return msgspec.convert(tree, Catalogue)


def _names_only(program: Program) -> Catalogue:
    """The names that reading itself needs: complete where prefixes are completed from them."""
    names = sorted(program.flags | program.takes_value | program.bare | program.adds_up)
    flags = {name: FlagFacts(type="bool" if name in program.bare else "text") for name in names}
    return Catalogue(program=program.name, complete=bool(program.flags), flags=flags, aliases=program.aliases)
