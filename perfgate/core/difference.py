"""What differs between the two sides of a diagnosis, and changes of a side that can be simulated again."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class DifferenceKind(StrEnum):
    """Where a difference lies. Those of `context` are shown, and cannot be undone by simulating."""

    FLAG = "flag"  # a word of the compile command
    RUNTIME = "runtime"  # a key of the runtime configuration
    STAGE = "stage"  # a setting of a pipeline: a stage's duration, order, priority, batch; or a whole stage
    FILE = "file"  # content of a file that a flag names; the flag itself is the same
    MODEL = "model"
    DEVICE = "device"  # the device's description
    CONTEXT = "context"  # versions and environment of the measuring machine


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """One input that is not the same on both sides.

    `name` is the flag, key or file; values None: absent there. Places are `file:line:column`, "" where there
    is none. A model's, device's and file's values are digests.
    """

    kind: DifferenceKind
    name: str
    before: str | None
    after: str | None
    place_before: str = ""
    place_after: str = ""

    @property
    def key(self) -> str:
        """Equal differences of several benchmarks have equal keys; the place is part of it."""
        return f"{self.kind}:{self.name}:{self.before}->{self.after}@{self.place_after or self.place_before}"

    @property
    def place(self) -> str:
        """Where it stands now, or stood."""
        return self.place_after or self.place_before


class Side(StrEnum):
    """The two sides of a diagnosis."""

    BEFORE = "before"
    AFTER = "after"


class NewSetting(msgspec.Struct, frozen=True, kw_only=True):
    """A flag or runtime key set to another value; None removes it. `kind` is FLAG, RUNTIME or STAGE."""

    kind: DifferenceKind
    name: str
    value: str | None


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """A side with something changed: what is simulated to see what a difference or a fix does.

    `taken`: differences whose value is that of the other side. `settings`: values put beyond both sides.
    """

    side: Side
    taken: tuple[Difference, ...] = ()
    settings: tuple[NewSetting, ...] = ()
