"""The policy file `perfgate.yaml`: thresholds, reactions, owners and waivers of one repository."""

from __future__ import annotations

import datetime as dt
import math
import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
from msgspec import Meta

from perfgate.config.typed_yaml import Document, did_you_mean, read_typed
from perfgate.core.errors import UnusableError
from perfgate.core.metric import KNOWN_METRICS, Metric
from perfgate.gate.thresholds import (
    SUITE_KEYS,
    Answer,
    Level,
    Limit,
    Location,
    Method,
    PolicyRule,
    Suspicion,
    Waiver,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from perfgate.core.errors import PerfgateError

POLICY_PATH = "perfgate.yaml"
REVIEW = "review"  # the value of `acceptance` with which a change can bring its own new baseline
MAX_WAIVER_DAYS = 90
_PERCENT = re.compile(r"(\d{1,4}(?:\.\d{1,6})?)\s*%")
_QUANTITY = re.compile(r"(<=|>=)?\s*(\d{1,15}(?:\.\d{1,9})?)\s*([A-Za-z%/0-9]*)")
_UNITS = {
    "s": {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9},
    "B": {"B": 1.0, "kB": 1e3, "KB": 1024.0, "MB": 1024.0**2, "GB": 1024.0**3}
    | {"KiB": 1024.0, "MiB": 1024.0**2, "GiB": 1024.0**3},
    "J": {"J": 1.0, "mJ": 1e-3},
    "count": {"": 1.0},
    "cycles": {"": 1.0, "cycles": 1.0},
    "1/s": {"/s": 1.0, "1/s": 1.0, "fps": 1.0},
}

Text = Annotated[str, Meta(min_length=1)]


class PolicyEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One rule; the last rule that matches a benchmark and metric wins, key by key."""

    match: Text
    metric: Text = "*"
    alpha: Annotated[float, Meta(gt=0, le=0.5)] | None = None
    min_effect: str | None = None
    tail_effect: str | None = None
    equivalence: str | None = None
    relative: str | None = None
    absolute: str | None = None
    limit: str | None = None
    location: Location | None = None
    suspect: Suspicion | None = None
    max_runs: Annotated[int, Meta(ge=1, le=100)] | None = None
    bootstrap_veto: bool | None = None
    common_shift: Answer | None = None
    on_inconclusive: Answer | None = None
    on_missing: Answer | None = None
    on_new: Answer | None = None
    on_changed: Answer | None = None
    level: Level | None = None
    method: Method | None = None


class WaiverEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A dated, owned exception for one metric of one benchmark."""

    benchmark: Text
    metric: Text
    up_to: str
    owner: Text
    reason: Text
    expires: Text


class PolicyFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A whole policy file."""

    version: Annotated[int, Meta(ge=1, le=1)]
    policy: list[PolicyEntry] = []
    full_suite: Literal["ci", "always", "never"] = "never"
    acceptance: Literal["block", "review"] = "block"
    owners: dict[str, str] = {}
    removed: list[Text] = []
    waivers: list[WaiverEntry] = []


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """A loaded policy; `waivers` by benchmark (name or key) and metric."""

    rules: tuple[PolicyRule, ...] = ()
    removed: tuple[str, ...] = ()
    full_suite: str = "never"
    acceptance: str = "block"
    owners: dict[str, str] = {}
    waivers: dict[tuple[str, str], Waiver] = {}


def load_policy(data: bytes, path: str, *, today: dt.date) -> Policy:
    """Read the policy file.

    Raises:
        UnusableError: anything that cannot be taken as written, a threshold without `%`, a metric nobody
            measures, a waiver that is past its date or longer than 90 days; with file:line:column.
    """
    document = read_typed(data, path, PolicyFile, UnusableError)
    file = document.value
    rules = tuple(_rule(document, index, entry) for index, entry in enumerate(file.policy))
    waivers = {
        (entry.benchmark, entry.metric): _waiver(document, index, entry, today)
        for index, entry in enumerate(file.waivers)
    }
    return Policy(
        rules=rules,
        removed=tuple(file.removed),
        full_suite=file.full_suite,
        acceptance=file.acceptance,
        owners=file.owners,
        waivers=waivers,
    )


def suite_rules(
    benchmarks: Iterable[str], thresholds: Mapping[str, str], limits: Mapping[str, str], place: str
) -> tuple[PolicyRule, ...]:
    """The rules that a suite's own `thresholds` and `limits` stand for.

    A threshold is the smallest effect of a sampled metric, and the relative tolerance of an exact one.

    Raises:
        UnusableError: a metric nobody measures, or a value that cannot be read.
    """
    rules = []
    for name in benchmarks:
        for metric, text in thresholds.items():
            known = _metric(metric, place)
            key = "min_effect" if known.is_sampled else "relative"
            rules.append(
                PolicyRule(match=name, metric=metric, values={key: percentage(text, place)}, origin=place)
            )
        for metric, text in limits.items():
            values = {"limit": Limit(value=quantity(text, metric, place))}
            rules.append(PolicyRule(match=name, metric=metric, values=values, origin=place))
    return tuple(rules)


def percentage(text: str, where: str, error: type[PerfgateError] = UnusableError) -> float:
    """A share from a text such as `1%` or `0.5 %`.

    Raises:
        PerfgateError: no `%`, another form, or more than 100 % (which people read in two ways).
    """
    match = _PERCENT.fullmatch(text.strip())
    if match is None:
        raise error(f"{text!r} is no percentage", where, "write a number and %, such as '1%'")
    value = float(match[1])
    if value > 100:  # noqa: PLR2004 - percent
        what = f"{text!r} can be read as {1 + value / 100:g} times or {value / 100:g} times the baseline"
        raise error(what, where, "use at most 100%, or an absolute `limit`")
    return value / 100


def quantity(text: str, metric: str, where: str) -> float:
    """A value in the metric's unit from a text such as `<=33ms` or `4096 B`.

    Raises:
        UnusableError: no such metric, a unit that is missing or not of the metric, a sign of the wrong side.
    """
    known = _metric(metric, where)
    units = _UNITS.get(known.unit, {known.unit: 1.0})
    match = _QUANTITY.fullmatch(text.strip())
    if match is None or match[3] not in units:
        wanted = ", ".join(unit or "(no unit)" for unit in units)
        raise UnusableError(
            f"{text!r} is no value of {metric}", where, f"write a number and one of: {wanted}"
        )
    expected = "<=" if known.sign > 0 else ">="
    if match[1] not in {None, expected}:
        raise UnusableError(f"{text!r} limits the better side of {metric}", where, f"write {expected}")
    value = float(match[2]) * units[match[3]]
    if not math.isfinite(value):
        raise UnusableError(f"{text!r} is too large", where, "write a smaller value")
    return value


def _metric(name: str, where: str) -> Metric:
    known = KNOWN_METRICS.get(name)
    if known is None:
        remedy = did_you_mean(name, KNOWN_METRICS)
        raise UnusableError(f"unknown metric {name!r}", where, remedy)
    return known


def _rule(document: Document[PolicyFile], index: int, entry: PolicyEntry) -> PolicyRule:
    values: dict[str, object] = {}
    for key in PolicyEntry.__struct_fields__:
        value = getattr(entry, key)
        where = document.where("policy", index, key)
        if key in {"match", "metric"} or value is None:
            continue
        if key in SUITE_KEYS and (entry.match != "*" or entry.metric != "*"):
            remedy = 'move it to a rule with `match: "*"` and without `metric`'
            raise UnusableError(f"{key!r} holds for the whole suite", where, remedy)
        if key in {"min_effect", "tail_effect", "equivalence", "relative"}:
            values[key] = percentage(value, where)
        elif key in {"limit", "absolute"}:
            number = quantity(value, entry.metric, where)
            values[key] = Limit(value=number) if key == "limit" else number
        else:
            values[key] = value
    if entry.metric != "*" and not any(fnmatchcase(name, entry.metric) for name in KNOWN_METRICS):
        _metric(entry.metric, document.where("policy", index, "metric"))
    place = document.where("policy", index)
    return PolicyRule(match=entry.match, metric=entry.metric, values=values, origin=place)


def _waiver(document: Document[PolicyFile], index: int, entry: WaiverEntry, today: dt.date) -> Waiver:
    where = document.where("waivers", index)
    _metric(entry.metric, document.where("waivers", index, "metric"))
    try:
        last_day = dt.date.fromisoformat(entry.expires)
    except ValueError:
        place = document.where("waivers", index, "expires")
        raise UnusableError(f"{entry.expires!r} is no date", place, "write YYYY-MM-DD") from None
    if last_day < today:
        what = f"the waiver for {entry.benchmark} expired on {entry.expires}"
        raise UnusableError(what, where, "remove it, or renew it with a new reason")
    if (last_day - today).days > MAX_WAIVER_DAYS:
        what = f"the waiver for {entry.benchmark} lasts longer than {MAX_WAIVER_DAYS} days"
        raise UnusableError(what, where, "choose an earlier date")
    up_to = percentage(entry.up_to, document.where("waivers", index, "up_to"))
    return Waiver(up_to=up_to, owner=entry.owner, reason=entry.reason, expires=entry.expires, origin=where)
