"""Rule files as a rule set: strict, complete, and with the place of every rule.

A file that is present and cannot be used is an error, never "no rules".
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

from perfgate.core.errors import UnusableError
from perfgate.core.finding import Answer, Finding, Place, Severity
from perfgate.guardrails import shape
from perfgate.guardrails.document import read_document
from perfgate.guardrails.entries import cut_lines, merged_short, metric_rules, target_rules
from perfgate.guardrails.metric_names import METRIC_NAMES, canonical_metric
from perfgate.guardrails.rule import LEGACY_FILE, ROOT_FILE, Rule, RuleSet, RuleSource, Settings
from perfgate.guardrails.rule_node import Names, read_rule
from perfgate.guardrails.schema import RESERVED, RESERVED_NAMES
from perfgate.guardrails.settings_node import read_settings
from perfgate.guardrails.targets import builtin_targets, read_targets
from perfgate.guardrails.waiver_node import read_waivers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from perfgate.guardrails.document import Node
    from perfgate.guardrails.rule import Target

MAX_RULES = 2_000  # of all files together; more is a mistake, and judging would take minutes
LEGACY_NOTE = "guardrails-legacy-name"


def load_rules(sources: Sequence[RuleSource]) -> RuleSet:
    """The rules of all files together; no file gives an empty set.

    Raises:
        UnusableError: a file that cannot be used; names file:line:column and what to write.
    """
    parts = [_load(source) for source in sources]
    long = [rule for part in parts for rule in part.rules if not rule.written]
    short = merged_short([rule for part in parts for rule in part.rules if rule.written])
    _refuse_repeats(long)
    settings = next((part.settings for part in parts if part.settings.places), Settings())
    rules = (*short, *long, *shipped_alerts(settings))
    if len(rules) > MAX_RULES:
        raise UnusableError(
            f"{len(rules)} rules", sources[0].path, f"at most {MAX_RULES} are judged; remove some"
        )
    return RuleSet(
        rules=rules,
        settings=settings,
        targets=tuple(dict(target for part in parts for target in part.targets).items()),
        waivers=tuple(waiver for part in parts for waiver in part.waivers),
        remarks=tuple(remark for part in parts for remark in part.remarks),
        sources=tuple(source.path for source in sources),
    )


def _load(source: RuleSource) -> RuleSet:
    root = read_document(source)
    remarks = [_legacy_note(source.path)] if source.path.rpartition("/")[2] == LEGACY_FILE else []
    if root is None or root.is_null:
        return RuleSet(remarks=tuple(remarks), sources=(source.path,))
    if root.pairs is None:
        raise UnusableError(
            "a rule file is a mapping", str(root.place), "write atc_convert: require --optypelayout=NHWC"
        )
    reserved = _reserved(root, is_legacy=bool(remarks))
    own = read_targets(reserved.get("targets"), builtin_targets())
    targets = builtin_targets() | own
    rules: list[Rule] = []
    for key, value in root.pairs:
        if key.text in RESERVED_NAMES:
            continue
        rules.extend(_entry(key, value, targets))
        remarks.extend(cut_lines(value))
    names = Names(targets=targets)
    long = reserved.get("rules")
    rules.extend(read_rule(node, names) for node in (long.items or () if long else ()))
    return RuleSet(
        rules=tuple(rules),
        settings=read_settings(reserved.get("settings")),
        targets=tuple(own.items()),
        waivers=read_waivers(reserved.get("waivers")),
        remarks=tuple(remarks),
        sources=(source.path,),
    )


def _reserved(root: Node, *, is_legacy: bool) -> dict[str, Node]:
    found: dict[str, Node] = {}
    for key, value in root.pairs or ():
        field = next((field for field in RESERVED if field.name == key.text), None)
        if key.text is None:
            raise UnusableError(
                "a name at the top is not a text", str(key.place), "write the name of a target or metric"
            )
        if field is None:
            continue
        if field.name in found:
            first = found[field.name].place.line
            raise UnusableError(
                f"{field.name!r} stands twice", str(key.place), f"join it with the one near line {first}"
            )
        if is_legacy and field.name in {"settings", "waivers"}:
            raise UnusableError(
                f"{field.name!r} outside {ROOT_FILE}", str(key.place), f"move it to {ROOT_FILE}"
            )
        shape.check(value, field.shape, field.name)
        found[field.name] = value
    return found


def _entry(key: Node, value: Node, targets: dict[str, Target]) -> Iterator[Rule]:
    name = key.scalar()
    if name in targets:
        yield from target_rules(targets[name], value)
    elif canonical_metric(name) is not None:
        yield from metric_rules(key, value)
    else:
        raise shape.unknown_name(key, (*targets, *METRIC_NAMES, *RESERVED_NAMES), "target or metric")


def _refuse_repeats(rules: Sequence[Rule]) -> None:
    seen: dict[str, Place] = {}
    for rule in rules:
        if rule.id in seen:
            raise UnusableError(
                f"rule id {rule.id!r} stands twice",
                str(rule.place),
                f"rename one; the first is at {seen[rule.id]}",
            )
        seen[rule.id] = rule.place


def _legacy_note(path: str) -> Finding:
    return Finding(
        rule=LEGACY_NOTE,
        severity=Severity.NOTE,
        answer=Answer.PASS,
        message=f"rules are read from here too; `perfgate guard add` writes to {ROOT_FILE}",
        span=Place(path=path, line=1, column=1, end_line=1, end_column=1),
    )


@lru_cache(maxsize=1)
def alert_rules() -> tuple[Rule, ...]:
    """The shipped alert rules, off until `settings.alerts` names them."""
    path = "builtin/alerts.yaml"
    text = files("perfgate.guardrails").joinpath(path).read_bytes()
    return _load(RuleSource(path=path, text=text)).rules


def shipped_alerts(settings: Settings) -> tuple[Rule, ...]:
    """The shipped alert rules that the settings switch on.

    Raises:
        UnusableError: a name that is not shipped.
    """
    known = {rule.id: rule for rule in alert_rules()}
    place = dict(settings.places).get("alerts")
    for name in settings.alerts:
        if name not in known and name != "all":
            raise UnusableError(f"unknown alert {name!r}", str(place), f"known: all, {', '.join(known)}")
    chosen = known if "all" in settings.alerts else settings.alerts
    return tuple(replace(known[name], place=place or known[name].place) for name in chosen)
