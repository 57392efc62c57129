"""Thresholds: what counts as a change, how sure the gate must be, and what each verdict does to the build.

A `SuitePolicy` is the list of rules of the policy file in order; the last rule that matches a benchmark and a
metric wins, key by key, and every value remembers which rule set it. The YAML loader builds it; nothing here
reads files.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from perfgate.core.metric import KNOWN_METRICS, Direction, Metric

if TYPE_CHECKING:
    from collections.abc import Mapping

DEFAULT_ORIGIN = "default"
TAIL_EFFECTS = ((0.99, 0.05), (0.95, 0.03))  # STATISTICS section 8: P99 and above 5 %, P95 and above 3 %
UNREPLICATED_EFFECT = 0.03  # STATISTICS section 4: one baseline run cannot show less


class Answer(StrEnum):
    """What a verdict does to the build."""

    PASS = "pass"  # noqa: S105 - a word of the policy file, not a password
    WARN = "warn"
    FAIL = "fail"


class Level(StrEnum):
    """How a regression of a metric is answered; `block` fails and asks to hold the merge."""

    WARN = "warn"
    FAIL = "fail"
    BLOCK = "block"


class Location(StrEnum):
    """The order statistic that stands for a run."""

    P25 = "p25"
    MEDIAN = "median"


class Method(StrEnum):
    """How test A controls the error over the suite: Holm on t tests, or max-T over run labels."""

    T = "t"
    PERMUTATION = "permutation"


class Suspicion(StrEnum):
    """Which of the tests A and B have to reject before fresh runs are taken."""

    BOTH = "both"
    EITHER = "either"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """An absolute budget in the metric's unit: a ceiling, or a floor where higher is better."""

    value: float
    warn_at: float = 0.9  # share of the budget from which on a warning is shown


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricPolicy:
    """The thresholds of one metric of one benchmark; relative ones are shares (.01 is 1 %).

    `origins` names for every key set by a rule the place of that rule (`perfgate.yaml:7`); other keys are
    defaults. `direction` None keeps the metric's own. `tail_effect` None takes the default of the quantile,
    `suspect` None `either` where runs are free and `both` elsewhere. `SUITE_KEYS` are read for the whole
    suite, from `SuitePolicy.suite`.
    """

    alpha: float = 0.05
    min_effect: float = 0.01
    equivalence: float = 0.03
    tail_effect: float | None = None
    location: Location = Location.P25
    suspect: Suspicion | None = None
    method: Method = Method.T
    max_runs: int = 9
    bootstrap_veto: bool = True
    common_shift: Answer = Answer.FAIL
    on_inconclusive: Answer = Answer.WARN
    on_missing: Answer = Answer.FAIL
    on_new: Answer = Answer.WARN
    on_changed: Answer = Answer.FAIL
    direction: Direction | None = None
    absolute: float = 0.0
    relative: float = 0.005
    limit: Limit | None = None
    level: Level = Level.FAIL
    is_gated: bool = True  # False: shown, never judged
    origins: Mapping[str, str] = field(default_factory=dict)

    def effect(self, metric: Metric) -> float:
        """The change below which nothing is called: `tail_effect` for P95 and above, else `min_effect`."""
        for quantile, default in TAIL_EFFECTS:
            if metric.quantile is not None and metric.quantile >= quantile:
                return default if self.tail_effect is None else self.tail_effect
        return self.min_effect

    def origin(self, key: str) -> str:
        """Which rule set this key."""
        return self.origins.get(key, DEFAULT_ORIGIN)


SUITE_KEYS = frozenset({"alpha", "suspect", "method", "max_runs", "common_shift"})
POLICY_KEYS = frozenset(item.name for item in fields(MetricPolicy)) - {"origins"}


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyRule:
    """One rule: globs of benchmarks and metrics, the values it sets, and where it stands.

    Raises:
        ValueError: an unknown key; the loader reports it with file and line before it gets here.
    """

    match: str = "*"
    metric: str = "*"
    values: Mapping[str, object] = field(default_factory=dict)
    origin: str = DEFAULT_ORIGIN

    def __post_init__(self) -> None:
        unknown = sorted(set(self.values) - POLICY_KEYS)
        if unknown:
            raise ValueError(f"unknown policy keys: {', '.join(unknown)}")

    def applies(self, benchmark: str, metric: str) -> bool:
        """Both globs match; a benchmark by its name or key, or literally (`[` is a glob character)."""
        return _names(self.match, benchmark) and (self.metric == metric or fnmatchcase(metric, self.metric))


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiver:
    """A dated, owned exception: a regression of one metric up to a share does not fail."""

    up_to: float
    owner: str
    reason: str
    expires: str
    origin: str = DEFAULT_ORIGIN


@dataclass(frozen=True, slots=True, kw_only=True)
class SuitePolicy:
    """The policy of a suite. `removed` are globs of benchmarks that may be missing without a failure."""

    default: MetricPolicy = field(default_factory=MetricPolicy)
    rules: tuple[PolicyRule, ...] = ()
    removed: tuple[str, ...] = ()

    def for_metric(self, benchmark: str, metric: str) -> MetricPolicy:
        """The thresholds of one metric of a benchmark, by name or `name[device]`; the last match wins."""
        values: dict[str, object] = {}
        origins = dict(self.default.origins)
        known = KNOWN_METRICS.get(metric)
        for rule in self.rules:
            if not rule.applies(benchmark, metric):
                continue
            chosen = dict(rule.values)
            # A rule that names a percentile and sets its `min_effect` means the percentile's own effect.
            if (
                "min_effect" in chosen
                and rule.metric != "*"
                and known is not None
                and known.quantile is not None
            ):
                chosen.setdefault("tail_effect", chosen["min_effect"])
            values.update(chosen)
            origins.update(dict.fromkeys(chosen, rule.origin))
        return replace(self.default, **values, origins=origins)  # type: ignore[arg-type]  # the rule checked its keys

    @property
    def suite(self) -> MetricPolicy:
        """The thresholds of the suite as a whole: those of the rules for every benchmark and metric."""
        rules = tuple(rule for rule in self.rules if rule.match == "*" and rule.metric == "*")
        return SuitePolicy(default=self.default, rules=rules).for_metric("*", "*")

    def is_removed(self, key: str) -> bool:
        """The policy says that this benchmark is gone on purpose."""
        return any(_names(glob, key) for glob in self.removed)


def _names(glob: str, key: str) -> bool:
    return glob == key or any(fnmatchcase(text, glob) for text in (key, key.partition("[")[0]))
