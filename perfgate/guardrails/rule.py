"""Rules, targets, settings and waivers as frozen values; what a rule file means once it is read."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from perfgate.core.finding import Finding, Place, Severity

if TYPE_CHECKING:
    from datetime import date
    from fractions import Fraction

    from perfgate.guardrails.quantity import Quantity
    from perfgate.guardrails.value_test import Sign, ValueTest

ROOT_FILE = "guardrails.yaml"
LEGACY_FILE = ".cann_guardrails.yaml"
DEFAULT_MAX_FILE_SIZE = 1024 * 1024
DEFAULT_WAIVER_DAYS = 90


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSource:
    """A rule file as the caller read it: path below the root and its bytes."""

    path: str
    text: bytes


class Kind(StrEnum):
    """What a rule asks; the keyword of the long form."""

    REQUIRE = "require"
    FORBID = "forbid"
    VALUES = "values"
    RANGE = "range"
    AT_MOST_ONE = "at_most_one"
    ALL_OR_NONE = "all_or_none"
    KEYS = "keys"
    CONSISTENT = "consistent"
    BUDGET = "budget"
    TARGETS_MATRIX = "targets_matrix"
    ALERT = "alert"


RECORD_KINDS = frozenset({Kind.BUDGET, Kind.TARGETS_MATRIX, Kind.ALERT})  # need a measurement


class Origin(StrEnum):
    """Which side of a change a rule comes from."""

    BASE = "base"
    HEAD = "head"
    BOTH = "both"


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """A `when`: all parts must hold, each tuple means any of its entries; an empty tuple asks nothing.

    `has` holds when one of its flags is there, `shows` when one is written here, whatever may follow, `lacks`
    when none is there. `is_open` asks whether more arguments follow than the file shows.
    """

    flags: tuple[tuple[str, tuple[str, ...]], ...] = ()
    has: tuple[str, ...] = ()
    shows: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    device: tuple[str, ...] = ()
    model: tuple[str, ...] = ()
    precision: tuple[str, ...] = ()
    path: tuple[str, ...] = ()
    is_open: bool | None = None
    any_of: tuple[Condition, ...] = ()
    excluded: Condition | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What a rule watches: calls of programs, settings of variables, keys of files, or flags under a key."""

    name: str
    programs: tuple[str, ...] = ()
    dialect: str = ""
    env: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    flags_key: str = ""
    paths: tuple[str, ...] = ()
    applies: Condition | None = None
    flags_known: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagTest:
    """All tests on one flag or key; without a test any value does. `is_required`: absence fails as well."""

    flag: str
    tests: tuple[ValueTest, ...] = ()
    is_required: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagTests:
    """Body of `require`, `forbid`, `values`, `range` and `keys`."""

    tests: tuple[FlagTest, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagGroup:
    """Body of `at_most_one` and `all_or_none`."""

    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Selector:
    """One side of `consistent`: a flag, a key or a variable of a target."""

    target: Target
    name: str
    is_env: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Consistency:
    """Body of `consistent`."""

    selectors: tuple[Selector, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetRow:
    """A limit on a metric; globs choose benchmark, device, operator; `warn_band` 0.08 is 8 %."""

    metric: str
    sign: Sign
    limit: Quantity
    benchmark: str = "*"
    device: str = "*"
    op: str = ""
    warn_band: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Budgets:
    """Body of `budget` (one row) and `targets_matrix`."""

    rows: tuple[BudgetRow, ...]


class Reading(StrEnum):
    """What an alert takes from a series of values."""

    NOW = "now"
    RATE = "rate"
    SWING = "swing"
    TIME_TO_OOM = "time_to_oom"


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertCondition:
    """`metric.reading sign limit for seconds`; the limit of a rate is per second."""

    metric: str
    reading: Reading
    sign: Sign
    limit: Quantity
    for_seconds: Fraction
    written: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """Body of `alert`: the conditions that must hold, all or any, and what to do then."""

    conditions: tuple[AlertCondition, ...]
    needs_all: bool
    action: str


Body = FlagTests | FlagGroup | Consistency | Budgets | Alert


@dataclass(frozen=True, slots=True, kw_only=True)
class Examples:
    """Texts that must pass and texts that must fail, each with its place in the rule file."""

    valid: tuple[tuple[str, Place], ...] = ()
    invalid: tuple[tuple[str, Place], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule. `written` is its short line or "", `fix_set` what its author says to write instead.

    `variant` tells a changed rule from the base rule of the same id where both count.
    """

    id: str
    kind: Kind
    body: Body
    place: Place
    target: Target | None = None
    when: Condition | None = None
    paths: tuple[str, ...] = ()
    severity: Severity = Severity.ERROR
    message: str = ""
    link: str = ""
    fix_set: tuple[tuple[str, str], ...] = ()
    min_matches: int = 0
    unresolved: Severity | None = None
    examples: Examples = Examples()
    written: str = ""
    origin: Origin = Origin.HEAD
    variant: str = ""

    @property
    def key(self) -> str:
        """The id as test reports name it: `guardrails.yaml::atc_convert/require/--x`."""
        name = f"{self.id} ({self.variant})" if self.variant else self.id
        return f"{self.place.path}::{name}"

    @property
    def needs_record(self) -> bool:
        """Judged on a measurement, not on files."""
        return self.kind in RECORD_KINDS


@dataclass(frozen=True, slots=True, kw_only=True)
class PathChoice:
    """Which files are judged: those that fit `include` (empty: all) and not `exclude`."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Settings of a rule set. `paths`: a file is judged when one of the choices selects it."""

    fail_on: Severity = Severity.ERROR
    unresolved: Severity = Severity.WARN
    unknown_flag: Severity = Severity.NOTE
    weakening: Severity = Severity.ERROR
    waiver_max_days: int = DEFAULT_WAIVER_DAYS
    paths: tuple[PathChoice, ...] = (PathChoice(),)
    max_file_size: int = DEFAULT_MAX_FILE_SIZE
    alerts: tuple[str, ...] = ()
    places: tuple[tuple[str, Place], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiver:
    """A dated, owned exception for one finding; `expires` is its last valid day."""

    rule: str
    path: str
    fingerprint: str
    owner: str
    reason: str
    expires: date
    ticket: str = ""
    place: Place

    @property
    def identity(self) -> tuple[str, str, str]:
        """What it covers; two waivers with the same identity are the same waiver."""
        return self.rule, self.path, self.fingerprint


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    """All rules of a commit. `remarks` are findings on the rule files themselves.

    `waivers` count; those of `held_waivers` stand in the change itself and do not.
    """

    rules: tuple[Rule, ...] = ()
    settings: Settings = Settings()
    targets: tuple[tuple[str, Target], ...] = ()
    waivers: tuple[Waiver, ...] = ()
    held_waivers: tuple[Waiver, ...] = ()
    remarks: tuple[Finding, ...] = ()
    sources: tuple[str, ...] = ()

    def rule(self, identifier: str) -> Rule | None:
        """The first rule with this id or key."""
        return next((rule for rule in self.rules if identifier in {rule.id, rule.key}), None)
