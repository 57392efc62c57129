"""A stage of a pipeline as a profile shows it: when it ran in the worst frame, and what it waited for."""

from __future__ import annotations

import msgspec


class Blocker(msgspec.Struct, frozen=True, gc=False):
    """A stage that held an engine while another one waited for it, and for how long."""

    stage: str
    frame: int
    priority: int
    time_ps: int


class StageRow(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A stage of a pipeline in its worst frame; times from the start of that frame.

    From `ready_ps` on it waited for an engine of its `resource`. `duration_ps` is that of its whole `batch`.
    `number` is that of its operator. `deadline_ps` 0: it has none. `load` is the share of its resource's
    time that it takes over all frames. `gather_ps` is what the frame waited for the others of its batch,
    `slack_ps` how much later it could end without moving the end of the frame.
    """

    number: int
    name: str
    resource: str
    kind: str
    ready_ps: int
    start_ps: int
    duration_ps: int
    priority: int = 0
    batch: int = 1
    deadline_ps: int = 0
    is_hard: bool = False
    critical: bool = False
    load: float = 0.0
    gather_ps: int = 0
    slack_ps: int = 0
    blockers: tuple[Blocker, ...] = ()

    @property
    def wait_ps(self) -> int:
        """Time without an engine though all else was there."""
        return self.start_ps - self.ready_ps
