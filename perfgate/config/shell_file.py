"""Shell scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.config.shell import read_shell

if TYPE_CHECKING:
    from perfgate.config.found import Found
    from perfgate.config.spans import Source


def read_shell_file(source: Source) -> Found:
    """The facts of a shell script."""
    return read_shell(source.whole())
