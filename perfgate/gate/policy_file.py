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
from perfgate.config.yaml_schema import means
from perfgate.core.errors import UnusableError
from perfgate.core.metric import KNOWN_METRICS, Metric, known_metric
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

    match: Annotated[Text, means("glob on benchmarks, `name` or `name[device]`")]
    metric: Annotated[Text, means("glob on metrics")] = "*"
    alpha: Annotated[
        Annotated[float, Meta(gt=0, le=0.5)] | None, means("error of the whole suite; 0.05 without it")
    ] = None
    min_effect: Annotated[
        str | None, means("change of a sampled metric below which nothing is called; 1% without it")
    ] = None
    tail_effect: Annotated[
        str | None, means("the same for a percentile; 5% for P99 and 3% for P95 without it")
    ] = None
    equivalence: Annotated[str | None, means("what `unchanged` promises not to miss; 3% without it")] = None
    relative: Annotated[str | None, means("tolerance of an exact metric; 0.5% without it")] = None
    absolute: Annotated[str | None, means("tolerance of an exact metric in its unit; 0 without it")] = None
    limit: Annotated[str | None, means("budget in the metric's unit, such as `<=33ms` or `>=30fps`")] = None
    location: Annotated[Location | None, means("what stands for a run; p25 without it")] = None
    suspect: Annotated[Suspicion | None, means("which tests raise a suspicion; by backend without it")] = None
    max_runs: Annotated[
        Annotated[int, Meta(ge=1, le=100)] | None,
        means("most candidate runs that a suspect gets; 9 without it"),
    ] = None
    bootstrap_veto: Annotated[
        bool | None, means("an interval that reaches zero makes a regression inconclusive; true without it")
    ] = None
    common_shift: Annotated[Answer | None, means("what a common shift does; fail without it")] = None
    on_inconclusive: Annotated[Answer | None, means("what the verdict does; warn without it")] = None
    on_missing: Annotated[Answer | None, means("what the verdict does; fail without it")] = None
    on_new: Annotated[Answer | None, means("what the verdict does; warn without it")] = None
    on_changed: Annotated[Answer | None, means("what the verdict does; fail without it")] = None
    level: Annotated[Level | None, means("what a regression does; fail without it")] = None
    method: Annotated[Method | None, means("test over runs; t without it")] = None


class WaiverEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A dated, owned exception for one metric of one benchmark."""

    benchmark: Annotated[Text, means("the benchmark, `name` or `name[device]`")]
    metric: Annotated[Text, means("the metric")]
    up_to: Annotated[str, means("largest change that is waived, such as `8%`")]
    owner: Annotated[Text, means("who answers for it")]
    reason: Annotated[Text, means("why it is accepted")]
    expires: Annotated[Text, means("its last day, at most 90 days ahead")]


class PolicyFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A whole policy file."""

    version: Annotated[Annotated[int, Meta(ge=1, le=1)], means("version of this format")]
    policy: Annotated[list[PolicyEntry], means("rules; the last one that matches wins, key by key")] = []
    full_suite: Annotated[
        Literal["ci", "always", "never"], means("where a green of a part of the suite is exit 11")
    ] = "never"
    acceptance: Annotated[
        Literal["block", "review"], means("whether a new baseline of the change itself can count")
    ] = "block"
    owners: Annotated[dict[str, str], means("who answers for benchmarks, by glob")] = {}
    removed: Annotated[
        list[Text], means("globs of benchmarks that may be gone; read from the base commit")
    ] = []
    waivers: Annotated[list[WaiverEntry], means("dated, owned exceptions; read from the base commit")] = []


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
    known = known_metric(name)
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
