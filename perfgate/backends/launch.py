"""How a command is started and where its numbers stand: what a suite says, checked."""

from __future__ import annotations

import shlex

import msgspec


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """Where the values of one metric stand in what a command left behind.

    Exactly one of `regex` (with one group, or one named `value`), `pointer` (RFC 6901; "" is the whole
    document, None none) and `format` (a known tool's, `name` the benchmark in it) is given; `file` is
    relative to the command's folder, "" its standard output. A stored value is `factor` times the one that
    is read, in `unit`; the values of a format are in the stored unit already.
    """

    metric: str
    unit: str
    factor: float = 1.0
    regex: str = ""
    pointer: str | None = None
    file: str = ""
    format: str = ""
    name: str = ""

    @property
    def text(self) -> str:
        """As it is compared with a baseline: another source is another definition of the metric."""
        if self.format:
            source = f"format {self.format} {self.name}".rstrip()
        else:
            source = f"regex {self.regex}" if self.pointer is None else f"pointer {self.pointer or '/'}"
        return f"{source} of {self.file or 'the output'}, {self.factor:g} {self.unit}"


class Launch(msgspec.Struct, frozen=True, kw_only=True):
    """`argv` without a shell, in a folder relative to the root; `environment` comes on top of the gate's.

    Metrics without a reading are the process's own.
    """

    argv: tuple[str, ...]
    folder: str = "."
    environment: dict[str, str] = {}
    exit_code: int = 0
    readings: tuple[Reading, ...] = ()

    @property
    def text(self) -> str:
        """The command as a person would type it."""
        return shlex.join(self.argv)
