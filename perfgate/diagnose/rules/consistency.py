"""What a profile states contradicts itself: a tensor's bytes, its strides, or parts that do not sum."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.diagnosis import Evidence, OperatorRef
from perfgate.diagnose.evidence import Step, time_text
from perfgate.diagnose.signals import operator_ref, sum_of
from perfgate.diagnose.suspect import Limits, Remedy, Rule, Suspect
from perfgate.diagnose.tensor_facts import expected_bytes, stated_layout, stated_type, strides_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.core.execution_profile import Profile, TensorRow
    from perfgate.diagnose.signals import Signals


def _match(signals: Signals, limits: Limits) -> Sequence[Suspect]:
    """Only what the profile before did not state as well: an old fault explains no change."""
    known = frozenset[str]() if signals.before is None else frozenset(_faults(signals.before, limits))
    found = _faults(signals.after, limits)
    return [
        _suspect(signals, text, operator) for text, operator in found.items() if text not in known
    ]  # fmt: skip


def _faults(profile: Profile, limits: Limits) -> dict[str, OperatorRef | None]:
    """Contradictions in words, with the operator of each."""
    rows = {row.number: row for row in profile.operators}
    found: dict[str, OperatorRef | None] = {}
    for tensor in profile.tensors:
        text = _tensor_fault(tensor)
        if text:
            row = rows.get(tensor.owner)
            found[text] = None if row is None else operator_ref(row)
    difference = _missing_time(profile)
    if abs(difference) > profile.application.total_ps * limits["most_missing"]:
        found[f"operators and kernels differ by {time_text(abs(difference))}"] = None
    return found


def _tensor_fault(tensor: TensorRow) -> str:
    size, strides = expected_bytes(tensor), strides_in(tensor.layout, tensor.shape)
    wrong_size = size is not None and size != tensor.size
    wrong_strides = bool(strides) and bool(tensor.strides) and strides != tensor.strides
    if not wrong_size and not wrong_strides:
        return ""
    dtype = stated_type(tensor) if wrong_size else tensor.dtype
    layout = (stated_layout(tensor) or "another layout") if wrong_strides else tensor.layout
    return (
        f"tensor {tensor.name} says {tensor.dtype} {tensor.layout}, is {dtype} {layout}"
        f" ({tensor.size} B, strides {list(tensor.strides)})"
    )


def _missing_time(profile: Profile) -> int:
    """Time of all operators less that of all kernels with their waits; 0 where there are no kernels."""
    if not profile.kernels:
        return 0
    kernels = sum((row.duration_ps + row.parts.wait_ps) * row.times for row in profile.kernels)
    return sum_of(profile.operators, "total_ps") - kernels


def _suspect(signals: Signals, text: str, operator: OperatorRef | None) -> Suspect:
    return Suspect(
        rule="consistency",
        sentence=text,
        cost=signals.cost(0),
        operator=operator,
        evidence=(Evidence(step=Step.OPERATORS, label="contradiction", text=text),),
        remedies=(
            Remedy(
                title="correct the model or its exporter",
                risk="none",
                advice="what the profile says cannot be true: trust no number about this tensor or operator",
            ),
        ),
    )


RULE = Rule(
    id="consistency",
    about="A tensor's bytes or strides contradict its type, shape and layout, or parts do not sum.",
    needs=frozenset(),
    match=_match,
)
