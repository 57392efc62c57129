"""The grammar of short lines: `[warn|note] require|forbid spec+`, `max|min|<= quantity [warn %]`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.config.suggest import near_names
from perfgate.core.finding import Severity
from perfgate.guardrails.quantity import NumberType, Quantity, read_quantity
from perfgate.guardrails.rule import Kind
from perfgate.guardrails.value_test import Bound, NoneOf, OneOf, Sign, ValueTest

if TYPE_CHECKING:
    from fractions import Fraction

WHOLE = 100  # percent
_SPEC = re.compile(
    r"""(?P<flag>-{0,2}(?:[^\W\d]|\d)(?:[\w.\-:]|\[\d+\]|"[^"]*")*)   # --name, -name, name, a.b[0]."c d"
        (?:(?P<op>!=|<=|>=|=|<|>)(?P<value>"[^"]*"|'[^']*'|\{[^{}]*\}|[^\s"'{}]*))?""",
    re.VERBOSE,
)
_BUDGET = re.compile(
    r"(?P<sign><=|>=|<|>|max\b|min\b)\s*(?P<limit>[^\s=<>]+(?:\s+(?!warn\b)[^\s]+)?)(?:\s+warn\s+(?P<band>\S+))?"
)
_SIGNS = {"max": Sign.AT_MOST, "min": Sign.AT_LEAST} | {sign.value: sign for sign in Sign}


class LineError(Exception):
    """A short line that does not follow the grammar; `offset` is the character in the line."""

    def __init__(self, what: str, offset: int, remedy: str) -> None:
        self.what = what
        self.offset = offset
        self.remedy = remedy
        super().__init__(what)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """One flag of a line with its tests; `written` is the spec as it stands, at `offset`."""

    flag: str
    tests: tuple[ValueTest, ...]
    written: str
    offset: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A parsed short line: each spec is a rule of its own."""

    kind: Kind
    severity: Severity
    specs: tuple[Spec, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetLine:
    """A parsed budget; the limit's text is read by the metric's unit later."""

    sign: Sign
    limit: str
    warn_band: Fraction


def parse_line(text: str) -> Line:
    """A `require` or `forbid` line.

    Raises:
        LineError: what does not follow the grammar, and where.
    """
    offset = len(text) - len(text.lstrip())
    words = text.split()
    severity = Severity.ERROR
    if words and words[0] in {Severity.WARN, Severity.NOTE}:
        severity = Severity(words.pop(0))
        offset = _next_word(text, offset)
    if not words:
        raise LineError("empty line", offset, "write `require --flag=value` or `forbid --flag`")
    if words[0] not in {Kind.REQUIRE, Kind.FORBID}:
        near = near_names(words[0], ("require", "forbid", "warn", "note"))
        hint = f"did you mean {near[0]!r}?" if near else "begin with `require` or `forbid`"
        raise LineError(f"{words[0][:40]!r} is no action", offset, hint)
    kind = Kind(words[0])
    specs = []
    offset = _next_word(text, offset)
    while offset < len(text):
        spec = _spec(text, offset)
        specs.append(spec)
        offset = _next_word(text, offset + len(spec.written))
    if not specs:
        raise LineError(
            f"{kind.value!r} names no flag", len(text), "write a flag, such as --optypelayout=NHWC"
        )
    return Line(kind=kind, severity=severity, specs=tuple(specs))


def _next_word(text: str, offset: int) -> int:
    while offset < len(text) and not text[offset].isspace():
        offset += 1
    while offset < len(text) and text[offset].isspace():
        offset += 1
    return offset


def _spec(text: str, offset: int) -> Spec:
    match = _SPEC.match(text, offset)
    end = match.end() if match else offset
    if match is None or (end < len(text) and not text[end].isspace()):
        found = text[offset:].split(maxsplit=1)[0][:40]
        raise LineError(
            f"{found!r} is no flag", offset, "write --flag, --flag=value, --flag={A,B} or --flag>=2GB"
        )
    test = _test(match["op"], match["value"] or "", offset)
    return Spec(flag=match["flag"], tests=test, written=match[0], offset=offset)


def _test(op: str | None, raw: str, offset: int) -> tuple[ValueTest, ...]:
    if op is None:
        return ()
    if op in {"=", "!="}:
        values = read_values(raw)
        if raw.startswith("{") and not all(values):
            raise LineError("a value of the choice is empty", offset, "write {A,B}")
        return (OneOf(values=values) if op == "=" else NoneOf(values=values),)
    quantity = read_quantity(raw)
    if quantity is None:
        raise LineError(
            f"{raw[:40]!r} is no number",
            offset,
            f"write a number after {op}, with a unit such as 2GB or 33ms",
        )
    return (number_bound(Sign(op), quantity),)


def read_values(raw: str) -> tuple[str, ...]:
    """The values of `word`, `"quoted"` or `{A,B}`."""
    if raw.startswith("{"):
        return tuple(dict.fromkeys(item.strip().strip("\"'") for item in raw[1:-1].split(",")))
    if raw[:1] in {'"', "'"}:
        return (raw[1:-1],)
    return (raw,)


def number_bound(sign: Sign, limit: Quantity) -> Bound:
    """A bound whose numbers are of the limit's type; whole limits compare with any plain number."""
    is_plain = limit.type in {NumberType.INT, NumberType.FLOAT}
    return Bound(sign=sign, limit=limit, type=NumberType.FLOAT if is_plain else limit.type)


def parse_budget(text: str) -> BudgetLine:
    """A budget line: `<=33ms`, `min 30 warn 8%`.

    Raises:
        LineError: what does not follow the grammar.
    """
    match = _BUDGET.fullmatch(text.strip())
    if match is None:
        raise LineError(f"{text[:40]!r} is no budget", 0, "write `<=33ms`, `min 30` or `<4GB warn 8%`")
    return BudgetLine(
        sign=_SIGNS[match["sign"]], limit=match["limit"], warn_band=read_band(match["band"] or "0%")
    )


def read_band(text: str) -> Fraction:
    """A share of the target from a percentage: `8%` is 0.08.

    Raises:
        LineError: no percentage from 0 to 100.
    """
    band = read_quantity(text)
    if band is None or band.type is not NumberType.PERCENT or not 0 <= band.value <= WHOLE:
        raise LineError(f"{text[:40]!r} is no percentage", 0, "write the warn band such as 8%")
    return band.value / WHOLE
