"""The record: everything one measurement of one benchmark on one device produced.

The *ruler* says how it was measured (a different one means the numbers are not comparable), the *subject*
what was measured (that is being judged), the *context* where. Raw samples per run are kept; no derived
statistic is stored.
"""

from __future__ import annotations

import msgspec

from perfgate.core.metric import Metric  # noqa: TC001 - msgspec reads the annotations at run time
from perfgate.core.setting import Setting  # noqa: TC001 - the same

SCHEMA = "perfgate/record/1"


class Ruler(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What must be equal for two records to be comparable; its hash is the definition hash.

    `inputs`: name -> `dtype[d0,d1,...]`. `protocol`: samples per run, warm-up, noise preset, iterations, as
    text. `device_digest` and `cost_model` change for a whole suite at once and make it invalid, not changed.
    """

    inputs: dict[str, str]
    metrics: tuple[Metric, ...]
    protocol: dict[str, str]
    device_digest: str = ""
    cost_model: str = ""


class Subject(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is being judged: model, compile flags and runtime keys with their places; never the ruler.

    `files`: SHA-256 by path of the files that flags name, such as a fusion switch file. `pipeline`: the
    settings of a pipeline's stages; its `model_digest` is that of the models of all of them.
    """

    model: str
    model_digest: str
    compile: tuple[Setting, ...] = ()
    runtime: tuple[Setting, ...] = ()
    files: dict[str, str] = {}
    pipeline: tuple[Setting, ...] = ()

    @property
    def settings(self) -> tuple[Setting, ...]:
        """All of them."""
        return (*self.compile, *self.runtime, *self.pipeline)


class Run(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The samples of one process (drawn ones for the simulator), by metric name, in order of acquisition.

    Values are in the metric's unit. `started` is UTC, ISO 8601, or "" when a clock would say nothing.
    `is_fresh`: taken after the first judgement because a benchmark was suspect (STATISTICS section 5, stage
    2).
    """

    id: int
    seed: int
    samples: dict[str, tuple[float, ...]]
    warmup: dict[str, tuple[float, ...]] = {}
    started: str = ""
    is_fresh: bool = False


class Hotspot(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An operator in the profile's summary: time of an execution, implicit copies it owns in bytes."""

    number: int
    name: str
    op: str
    scope: str
    total_ps: int
    copied_bytes: int = 0
    copies: int = 0


class ProfileSummary(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The part of a profile that a baseline keeps; times are picoseconds of the whole execution.

    `parts` are dispatch, transfer, compute, sync and wait of the critical stream; `operators` the worst by
    time.
    """

    total_ps: int
    parts: dict[str, int] = {}
    operators: tuple[Hotspot, ...] = ()
    digest: str = ""


class Provenance(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who accepted a baseline, when and why; empty in a fresh record."""

    commit: str = ""
    author: str = ""
    date: str = ""
    reason: str = ""
    version: str = ""
    accepted_regression: str = ""
    previous: dict[str, float] = {}


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One benchmark on one device; see the module's text. `exact` holds the exact metrics by name."""

    schema: str = SCHEMA
    benchmark: str
    device: str
    backend: str
    ruler: Ruler
    subject: Subject
    runs: tuple[Run, ...]
    exact: dict[str, float]
    context: dict[str, str] = {}
    notes: tuple[str, ...] = ()
    profile: ProfileSummary | None = None
    provenance: Provenance = Provenance()

    @property
    def key(self) -> str:
        """`benchmark[device]`, as reports and pytest name it."""
        return f"{self.benchmark}[{self.device}]"
