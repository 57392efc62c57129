"""The body of each kind of rule, read from its checked node."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from perfgate.core.errors import UnusableError
from perfgate.guardrails.alert_text import read_alert_condition
from perfgate.guardrails.metric_names import (
    METRIC_NAMES,
    canonical_metric,
    number_types,
    unit_hint,
    without_unit,
)
from perfgate.guardrails.quantity import NumberType, read_quantity
from perfgate.guardrails.rule import (
    Alert,
    BudgetRow,
    Budgets,
    Consistency,
    FlagGroup,
    FlagTest,
    FlagTests,
    Kind,
    Selector,
)
from perfgate.guardrails.shape import shown, unknown_name
from perfgate.guardrails.shortline import LineError, number_bound, parse_line, read_band
from perfgate.guardrails.value_test import Bound, Each, Fits, OfType, OneOf, Sign

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from perfgate.guardrails.document import Node
    from perfgate.guardrails.quantity import Quantity
    from perfgate.guardrails.rule import Body, Target
    from perfgate.guardrails.value_test import ValueTest


def read_body(kind: Kind, node: Node, target_of: Callable[[Node], Target]) -> Body:
    """The body of a rule.

    Raises:
        UnusableError: a limit, condition or metric that cannot be read.
    """
    if kind in {Kind.AT_MOST_ONE, Kind.ALL_OR_NONE}:
        return FlagGroup(flags=tuple(dict.fromkeys(node.texts())))
    if kind is Kind.CONSISTENT:
        return Consistency(selectors=tuple(_selector(item, target_of) for item in node.entries()))
    if kind in {Kind.BUDGET, Kind.TARGETS_MATRIX}:
        return Budgets(rows=tuple(_budget_row(item) for item in node.entries()))
    if kind is Kind.ALERT:
        return _alert(node)
    if kind is Kind.FORBID:
        return FlagTests(tests=tuple(test for item in node.entries() for test in _forbidden(item)))
    reader = {Kind.REQUIRE: _required, Kind.VALUES: _values, Kind.RANGE: _range, Kind.KEYS: _key}[kind]
    return FlagTests(tests=tuple(reader(key.scalar(), value) for key, value in node.pairs or ()))


def _required(flag: str, node: Node) -> FlagTest:
    tests = () if node.is_null else (OneOf(values=node.texts()),)
    return FlagTest(flag=flag, tests=tests, is_required=True)


def _forbidden(node: Node) -> Iterator[FlagTest]:
    try:
        line = parse_line(f"forbid {node.scalar()}")
    except LineError as error:
        raise UnusableError(error.what, str(node.place), error.remedy) from None
    for spec in line.specs:
        yield FlagTest(flag=spec.flag, tests=spec.tests)


def _values(flag: str, node: Node) -> FlagTest:
    if node.pairs is None:
        return FlagTest(flag=flag, tests=(OneOf(values=node.texts()),))
    tests: list[ValueTest] = []
    each, separator, glob = node.get("each"), node.get("sep"), node.get("glob")
    if each is not None:
        tests.append(Each(values=each.texts(), separator="," if separator is None else separator.scalar()))
    if glob is not None:
        tests.append(Fits(patterns=glob.texts()))
    if not tests:
        raise UnusableError(
            f"{flag} has no values", str(node.place), "write a list, each: [...] or glob: PATTERN"
        )
    return FlagTest(flag=flag, tests=tuple(tests))


def _range(flag: str, node: Node) -> FlagTest:
    tests = _limits(flag, node)
    if not tests:
        raise UnusableError(f"the range of {flag} asks nothing", str(node.place), "give min, max or type")
    return FlagTest(flag=flag, tests=tests)


def _limits(name: str, node: Node) -> tuple[ValueTest, ...]:
    type_node = node.get("type")
    wanted = None if type_node is None else NumberType(type_node.scalar())
    low, high = _number(node.get("min"), wanted), _number(node.get("max"), wanted)
    if low is not None and high is not None and low.value > high.value:
        raise UnusableError(
            f"{name}: no number is both >={low} and <={high}", str(node.place), "swap min and max"
        )
    tests: list[ValueTest] = []
    for sign, limit in ((Sign.AT_LEAST, low), (Sign.AT_MOST, high)):
        if limit is not None:
            bound = number_bound(sign, limit)
            tests.append(Bound(sign=sign, limit=limit, type=wanted or bound.type, is_typed=True))
    if wanted is not None and not tests:
        tests.append(OfType(type=wanted))
    return tuple(tests)


def _number(node: Node | None, wanted: NumberType | None) -> Quantity | None:
    if node is None:
        return None
    quantity = read_quantity(node.scalar())
    is_plain = quantity is not None and quantity.type in {NumberType.INT, NumberType.FLOAT}
    fits = wanted in {None, NumberType.INT, NumberType.FLOAT} if is_plain else wanted is None
    if quantity is None or not (fits or wanted is quantity.type):
        remedy = (
            "write it with a unit, such as 2GB or 33ms" if wanted else "write a number such as 3, 2GB or 33ms"
        )
        raise UnusableError(f"{shown(node.scalar())} is no {wanted or 'number'}", str(node.place), remedy)
    return quantity


def _key(path: str, node: Node) -> FlagTest:
    equals, values, required = node.get("equals"), node.get("values"), node.get("required")
    tests: list[ValueTest] = [OneOf(values=item.texts()) for item in (equals, values) if item is not None]
    tests.extend(_limits(path, node))
    is_required = required is not None and required.scalar() == "true"
    if not tests and not is_required:
        raise UnusableError(
            f"{path} asks nothing", str(node.place), "give equals, values, min, max, type or required"
        )
    return FlagTest(flag=path, tests=tuple(tests), is_required=is_required)


def _selector(node: Node, target_of: Callable[[Node], Target]) -> Selector:
    target = node.get("target")
    assert target is not None  # noqa: S101 - required by the field table
    env = node.get("env")
    name = env or node.get("flag") or node.get("key")
    return Selector(target=target_of(target), name=name.scalar() if name else "", is_env=env is not None)


def _budget_row(node: Node) -> BudgetRow:
    metric = node.get("metric")
    assert metric is not None  # noqa: S101 - required by the field table
    high, low = node.get("max"), node.get("min")
    limit = high or low
    assert limit is not None  # noqa: S101 - one of the two is required by the field table
    text = limit.scalar().strip()
    sign = Sign.AT_MOST if high is not None else Sign.AT_LEAST
    if text.startswith(("<", ">")):
        written = next(
            item for item in (Sign.AT_MOST, Sign.AT_LEAST, Sign.BELOW, Sign.ABOVE) if text.startswith(item)
        )
        if written.is_upper is not sign.is_upper:
            raise UnusableError(
                f"{shown(text)} turns the limit around", str(limit.place), "write < with max, > with min"
            )
        sign, text = written, text.removeprefix(written).strip()
    band = node.get("warn_band")
    options = {name: value.scalar() for name in ("benchmark", "device", "op") if (value := node.get(name))}
    try:
        share = read_band("0%" if band is None else band.scalar())
    except LineError as error:
        raise UnusableError(error.what, str((band or node).place), error.remedy) from None
    name = metric_of(metric)
    return BudgetRow(
        metric=name, sign=sign, limit=metric_limit(name, text, limit), warn_band=share, **options
    )


def metric_of(node: Node) -> str:
    """The metric a node names.

    Raises:
        UnusableError: nobody knows it; with the nearest name.
    """
    name = canonical_metric(node.scalar())
    if name is None:
        raise unknown_name(node, METRIC_NAMES, "metric")
    return name


def metric_limit(metric: str, text: str, node: Node) -> Quantity:
    """A limit in the metric's unit.

    Raises:
        UnusableError: no number, or a unit that the metric does not have.
    """
    quantity = read_quantity(without_unit(metric, text))
    if quantity is None or quantity.type not in number_types(metric):
        raise UnusableError(
            f"{shown(text)} is no limit for {metric}", str(node.place), f"write it {unit_hint(metric)}"
        )
    return replace(quantity, written=text.strip())


def _alert(node: Node) -> Alert:
    every, any_of, action = node.get("all"), node.get("any"), node.get("action")
    conditions = every or any_of
    return Alert(
        conditions=tuple(read_alert_condition(item) for item in (conditions.entries() if conditions else ())),
        needs_all=every is not None,
        action=action.scalar() if action else "",
    )
