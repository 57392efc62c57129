"""The diagnosis: a ranked explanation of a delta, as one frozen value that every report draws.

Amounts are whole numbers in the unit of their `Attribution` (picoseconds for times, bytes, nanojoules), so
that parts sum exactly. Deltas are after minus before: positive is worse.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from perfgate.core.difference import Difference, NewSetting  # noqa: TC001 - msgspec reads the annotations
from perfgate.core.metric import Metric  # noqa: TC001 - the same

SCHEMA = "perfgate/diagnosis/1"


class Focus(StrEnum):
    """Which metric is explained."""

    LATENCY = "latency"
    TAIL = "tail"
    MEMORY = "memory"
    ENERGY = "energy"
    COPIES = "copies"


class OperatorRef(msgspec.Struct, frozen=True, kw_only=True):
    """An operator as people find it: `number` is its index in the model (#447)."""

    number: int
    name: str
    op: str
    scope: str = ""
    place: str = ""


class MetricDelta(msgspec.Struct, frozen=True, kw_only=True):
    """A judged metric on both sides, in its unit; relative change, positive is worse, with 95 % interval.

    None: from zero, or an exact metric without interval. Runs count 0 for exact metrics.
    """

    metric: Metric
    before: float
    after: float
    relative: float | None = None
    low: float | None = None
    high: float | None = None
    runs_before: int = 0
    runs_after: int = 0


class ScopeDelta(msgspec.Struct, frozen=True, kw_only=True):
    """The smallest scope that holds most of the delta; amounts and shares of the whole on each side."""

    scope: str
    before: int
    after: int
    share_before: float
    share_after: float


class RowKind(StrEnum):
    """What a row of the attribution counts."""

    OPERATOR = "operator"
    COPIES = "copies"  # implicit host copies
    CONVERSIONS = "conversions"  # layout conversions on the device
    OTHER = "other"
    WAIT = "wait"


class AttributionRow(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the delta. `parts` are pieces of this row, already counted in it; `count` is per step."""

    kind: RowKind
    label: str
    operator: OperatorRef | None = None
    before: int
    after: int
    count: int = 0
    parts: tuple[AttributionRow, ...] = ()

    @property
    def delta(self) -> int:
        """After minus before."""
        return self.after - self.before


class Attribution(msgspec.Struct, frozen=True, kw_only=True):
    """Where the delta went: `rows` and `residual` sum to `after - before` exactly.

    `before` and `after` are the gate's own, untraced values; `residual` is what the traced profiles cannot
    explain of their difference. `hidden` grew off the critical path and adds nothing. `four_parts` is the
    delta of dispatch, transfer, compute, sync and wait over all of it.
    """

    unit: str
    before: int
    after: int
    rows: tuple[AttributionRow, ...]
    residual: int
    hidden: tuple[AttributionRow, ...] = ()
    four_parts: dict[str, int] = {}
    steps: int = 1
    paired: int = 0

    @property
    def total(self) -> int:
        """The delta to be explained."""
        return self.after - self.before

    @property
    def residual_share(self) -> float:
        """Unexplained share of the total; 0 when there is no delta."""
        return abs(self.residual) / abs(self.total) if self.total else 0.0


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """One observation that speaks for a cause; `step` is one of the order of evidence (1 to 6)."""

    step: int
    label: str
    text: str


class Proof(msgspec.Struct, frozen=True, kw_only=True):
    """A re-simulation: the amount with the difference undone, and the share of the delta that recovers."""

    undone: int
    recovered: float


class Commit(msgspec.Struct, frozen=True, kw_only=True):
    """The commit behind a cause: `relation` is `bisection` (with its probability) or `touched by`."""

    commit: str
    subject: str
    author: str
    date: str
    relation: str
    probability: float | None = None


class Effect(msgspec.Struct, frozen=True, kw_only=True):
    """What a cause does to one benchmark and metric; `delta` in the unit of its attribution."""

    benchmark: str
    device: str
    metric: str
    before: float
    after: float
    relative: float | None


class Severity(StrEnum):
    """High: at least 20 % of the delta; medium: 10 %; low: less."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Cause(msgspec.Struct, frozen=True, kw_only=True):
    """One explanation. `confidence` is a frequency: of planted faults with this score, how many it named.

    `cost` is its part of the delta. `frequency` is (right, cases) of the calibration's bin. `sentence` says
    what happened and why, in one line; `difference` is the configuration behind it, if one was found.
    `rules` are those whose matches it explains, `features` what the confidence follows from.
    """

    rule: str
    sentence: str
    operator: OperatorRef | None = None
    difference: Difference | None = None
    evidence: tuple[Evidence, ...] = ()
    cost: int
    proof: Proof | None = None
    confidence: float
    frequency: tuple[int, int] = (0, 0)
    commit: Commit | None = None
    effects: tuple[Effect, ...] = ()
    rules: tuple[str, ...] = ()
    features: dict[str, float] = {}


class Fix(msgspec.Struct, frozen=True, kw_only=True):
    """A change with its simulated gain, alone, from now. `after` is the amount with the fix, None: unknown.

    `taken` differences go back to the baseline's value, `settings` are put. `is_estimated`: not simulated.
    `advice` is what a person has to do where no setting does it.
    """

    title: str
    severity: Severity
    risk: str
    cause: int
    taken: tuple[Difference, ...] = ()
    settings: tuple[NewSetting, ...] = ()
    after: int | None = None
    peak_memory: int | None = None
    is_estimated: bool = False
    advice: str = ""


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a report says about one benchmark's delta; the same inputs give the same bytes.

    `causes` are all, best first; reports print the first five. `before` and `after` are short commits or "".
    `without_effect`: differences that no re-simulation connects to the delta. `together` is the amount with
    all fixes applied. `guardrail` is a line for `guardrails.yaml`, "" when no flag is to blame.
    `amount` is the focus metric of the profile now, in `unit`: gains count from it, not from noisy samples.
    `not_applicable`: rules whose signals are absent, with the signal. `seen_before`: case names.
    `traces` are the trace ids of the records before and after, "" where there is none.
    """

    schema: str = SCHEMA
    benchmark: str
    device: str
    focus: Focus
    before: str
    after: str
    unit: str = "ps"
    amount: int = 0
    metrics: tuple[MetricDelta, ...] = ()
    scope: ScopeDelta | None = None
    attribution: Attribution | None = None
    causes: tuple[Cause, ...] = ()
    without_effect: tuple[Difference, ...] = ()
    fixes: tuple[Fix, ...] = ()
    together: int | None = None
    guardrail: str = ""
    interaction: str = ""
    coverage: float = 1.0
    not_applicable: dict[str, str] = {}
    seen_before: tuple[str, ...] = ()
    simulations: int = 0
    traces: tuple[str, str] = ("", "")
    notes: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """`benchmark[device]`, as reports and pytest name it."""
        return f"{self.benchmark}[{self.device}]"

    @property
    def found(self) -> Cause | None:
        """The first cause, if it is more likely right than not."""
        return self.causes[0] if self.causes and self.causes[0].confidence >= LEAST_FOUND else None


OWN_COPIES = "implicit host copies"  # the label of those that one operator causes
LEAST_FOUND = 0.5  # below it the headline says that no cause was found
SHOWN_CAUSES = 5
