"""Environment variables that are watched: lists of flags, or one plain value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.config.dialects.arguments import parse_arguments
from perfgate.config.facts import EnvOperation, EnvSetting
from perfgate.config.fields import split_parts, unquoted
from perfgate.config.found import Found
from perfgate.config.programs import FLAG_LIST_PROGRAM
from perfgate.config.values import value_of

if TYPE_CHECKING:
    from perfgate.config.spans import Placed
    from perfgate.config.words import Atom


def read_setting(name: Placed, value: tuple[Atom, ...], operation: EnvOperation = EnvOperation.SET) -> Found:
    """The setting of a variable; nothing if the variable is not watched.

    `value` leaves out the variable's own earlier text (`$XLA_FLAGS`): the operation `append` says that.
    """
    watch = name.source.watch
    if name.text not in watch.variables:
        return Found()
    if name.text not in watch.flag_variables:
        plain = EnvSetting(name=name.text, operation=operation, span=name.span(), value=value_of(value))
        return Found(env=(plain,))
    arguments = parse_arguments(split_parts(unquoted(value), name), FLAG_LIST_PROGRAM)
    setting = EnvSetting(
        name=name.text,
        operation=operation,
        span=name.span(),
        flags=arguments.flags,
        dialect=FLAG_LIST_PROGRAM.dialect,
        open=arguments.open,
    )
    return Found(env=(setting,), notes=arguments.notes)
