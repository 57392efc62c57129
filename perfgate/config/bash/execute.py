"""Control flow of a shell script: every branch is followed, and what they leave behind is joined again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from perfgate.config.bash.conditions import (
    EITHER,
    FAILS,
    SUCCEEDS,
    constant_status,
    pipeline_tests,
    tested_name,
)
from perfgate.config.bash.expand import Expander
from perfgate.config.bash.loops import LoopRunner
from perfgate.config.bash.scope import UNSET, Scope, Variable, join_scopes, unknown
from perfgate.config.bash.syntax import (
    Case,
    Chain,
    Command,
    For,
    Function,
    Group,
    If,
    Pipeline,
    Sequence,
    Simple,
    Substitution,
    Test,
    While,
)

__all__ = ["Runner"]
