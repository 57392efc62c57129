"""Operators compute in a wider type than before, or pay for casts and quantisation around them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.diagnosis import Evidence
from perfgate.core.difference import DifferenceKind, NewSetting
from perfgate.core.item_types import item_bytes
from perfgate.diagnose.evidence import Step, and_more, time_text, worst_first
from perfgate.diagnose.labels import QUANTISE, name_of
from perfgate.diagnose.signals import Matched, Signal, Signals
from perfgate.diagnose.suspect import Limits, Remedy, Rule, Suspect
from perfgate.diagnose.timeline import COMPUTE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from perfgate.core.execution_profile import KernelRow, OperatorRow

_CASTS = frozenset({"Cast", "CastLike", "QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear"})
# The flag that asks for a type.
_FLAGS = {"int8": ("quantize", "int8"), "float16": ("--precision_mode", "force_fp16")}


def _match(signals: Signals, limits: Limits) -> Sequence[Suspect]:
    wider: dict[tuple[str, str], list[Matched]] = {}
    casts: list[tuple[Matched, int]] = []
    for matched in signals.matched:
        types = _types(matched)
        if types is not None and item_bytes(types[1]) > item_bytes(types[0]) and _body_delta(matched) > 0:
            wider.setdefault(types, []).append(matched)
            continue
        time = _cast_time(signals.kernels_after, matched.after) - _cast_time(
            signals.kernels_before, matched.before
        )
        if time > 0:
            casts.append((matched, time))
    found = [_wider(signals, types, group) for types, group in wider.items()]
    if casts:
        found.append(_casting(signals, casts))
    return worst_first(signals, found, limits)


def _types(matched: Matched) -> tuple[str, str] | None:
    """Element type of the arithmetic on both sides, of the operator that takes most of the time."""
    if not matched.before or not matched.after:
        return None
    before, after = (max(rows, key=lambda row: row.flops) for rows in (matched.before, matched.after))
    return (before.dtype, after.dtype) if before.dtype and after.dtype else None


def _body_delta(matched: Matched) -> int:
    """Arithmetic and movement: how often something is launched does not depend on its type."""
    before, after = (
        sum(row.parts.compute_ps + row.parts.transfer_ps - row.copies_ps for row in rows)
        for rows in (matched.before, matched.after)
    )
    return after - before


def _cast_time(kernels: Mapping[int, tuple[KernelRow, ...]], rows: tuple[OperatorRow, ...]) -> int:
    return sum(
        kernel.duration_ps * kernel.times
        for row in rows
        for kernel in kernels.get(row.number, ())
        if kernel.op in _CASTS and kernel.engine in COMPUTE
    )


def _wider(signals: Signals, types: tuple[str, str], group: list[Matched]) -> Suspect:
    worst = max(group, key=_body_delta)
    text = f"{len(group)} operators left {types[0]} for {types[1]}"
    reason = _reason(signals, group)
    return Suspect(
        rule="quantisation",
        sentence=f"{text}: {and_more(worst.ref, group)}{reason and f' ({reason})'}",
        cost=signals.cost(sum(map(_body_delta, group))),
        operator=worst.ref,
        evidence=(Evidence(step=Step.OPERATORS, label="element type", text=text),),
        remedies=_remedies(types[0]),
    )


def _reason(signals: Signals, group: list[Matched]) -> str:
    """Why one of them is not quantised, by the pass log."""
    names = {row.name for matched in group for row in matched.after}
    for entry in signals.after.pass_log:
        is_refusal = entry.pass_name == QUANTISE and not entry.applied and entry.before
        if is_refusal and name_of(entry.before[0]) in names:
            return entry.reason
    return ""


def _casting(signals: Signals, casts: list[tuple[Matched, int]]) -> Suspect:
    worst, _ = max(casts, key=lambda item: item[1])
    time = sum(spent for _, spent in casts)
    text = f"casts and quantisation at {and_more(worst.ref, casts)}, {time_text(time)} more"
    advice = Remedy(
        title="keep neighbours in one type",
        risk="check the output difference",
        advice="calibrate the operators on both sides of a cast, or list both as excluded",
    )
    return Suspect(
        rule="quantisation",
        sentence=text,
        cost=signals.cost(time),
        operator=worst.ref,
        evidence=(Evidence(step=Step.OPERATORS, label="casts", text=text),),
        remedies=(advice,),
    )


def _remedies(narrow: str) -> tuple[Remedy, ...]:
    risk = "check the output difference"
    advice = f"calibrate these operators for {narrow}, or accept them as a listed exception"
    calibrate = Remedy(title="calibrate or list them", risk=risk, advice=advice)
    if narrow not in _FLAGS:
        return (calibrate,)
    name, value = _FLAGS[narrow]
    setting = NewSetting(kind=DifferenceKind.FLAG, name=name, value=value)
    return Remedy(title=f"compute in {narrow}", risk=risk, settings=(setting,)), calibrate


RULE = Rule(
    id="quantisation",
    about="Operators compute in a wider type than before, or pay for casts and quantisation around them.",
    needs=frozenset({Signal.BASELINE, Signal.KERNELS}),
    match=_match,
)
