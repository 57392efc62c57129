"""Substitutions and arithmetic whose effect can be told without running anything."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from perfgate.config.bash.syntax import Simple

if TYPE_CHECKING:
    from perfgate.config.bash.syntax import Substitution, WordText

_LOOK_UPS = ({"which"}, {"command", "-v"}, {"type", "-P"}, {"type", "-p"})
_ASSIGNED = re.compile(
    r"([A-Za-z_]\w*)(?:\[[^\]]*\])?\s*(?:\+\+|--|(?:[-+*/%&|^]|<<|>>)?=(?!=))|(?:\+\+|--)\s*([A-Za-z_]\w*)"
)


def only_command(part: Substitution) -> Simple | None:
    """The one simple command that a substitution runs."""
    chains = part.body.chains
    if len(chains) != 1 or chains[0].links or len(chains[0].pipelines[0].commands) != 1:
        return None
    command = chains[0].pipelines[0].commands[0]
    return command if isinstance(command, Simple) and command.words else None


def looked_up_program(part: Substitution) -> WordText | None:
    """The name of the program whose path `$(which name)` or `$(command -v name)` gives."""
    command = only_command(part)
    if command is None:
        return None
    words = [word.literal for word in command.words]
    return command.words[-1] if set(words[:-1]) in _LOOK_UPS and words[-1] else None


def heredoc_text(part: Substitution) -> WordText | None:
    """The text of `$(cat <<END ...)`."""
    command = only_command(part)
    if command is None or [word.literal for word in command.words] != ["cat"] or len(command.redirects) != 1:
        return None
    redirect = command.redirects[0]
    return redirect.word if redirect.operator in {"<<", "<<-"} else None


def assigned_names(text: str) -> set[str]:
    """The variables that an arithmetic expression changes."""
    return {name for pair in _ASSIGNED.findall(text) for name in pair if name}
