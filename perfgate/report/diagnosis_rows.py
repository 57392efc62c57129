"""A diagnosis in words and numbers, once for all forms: text, Markdown, comment and HTML draw these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.core.diagnosis import LEAST_FOUND, OWN_COPIES, RowKind
from perfgate.core.difference import DifferenceKind
from perfgate.core.units import readable
from perfgate.report.amount_column import AmountColumn, amount_column, largest_remainder
from perfgate.report.inert import inert

if TYPE_CHECKING:
    from perfgate.core.diagnosis import (
        Attribution,
        AttributionRow,
        Cause,
        Diagnosis,
        Fix,
        MetricDelta,
        OperatorRef,
    )
    from perfgate.core.difference import Difference

SHORT_NAMES = {"p99_latency": "p99", "p95_latency": "p95", "p50_latency": "p50", "copied_bytes": "copies"}
SHORT_DIGEST = 12  # digits of a digest that people compare
_DIGESTS = frozenset({DifferenceKind.FILE, DifferenceKind.MODEL, DifferenceKind.DEVICE})
_NUMBERS = {2: "both", 3: "all three", 4: "all four", 5: "all five"}
_PERMILLE = 1000
ALMOST_SURE = 0.999
_CROSSING = 2  # copies: down and up again
WHERE = {"ps": "WHERE THE TIME WENT", "B": "WHERE THE BYTES WENT", "nJ": "WHERE THE ENERGY WENT"}


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaRow:
    """A row of the attribution as printed, "" where it has no such number. `is_part`: of the row above."""

    label: str
    before: str = ""
    after: str = ""
    delta: str = ""
    share: str = ""
    is_part: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FixRow:
    """A fix as printed; `gain` and `relative` are empty where nothing was simulated."""

    number: int
    severity: str
    title: str
    gain: str
    relative: str
    risk: str
    edits: tuple[str, ...]


def metric_rows(found: Diagnosis) -> list[tuple[str, str, str, str]]:
    """Name, `before -> after` pieces and change of the metrics that changed, sampled ones first."""
    rows = []
    for item in sorted(found.metrics, key=lambda row: not row.metric.is_sampled):
        if item.before == item.after:
            continue
        name = SHORT_NAMES.get(item.metric.name, item.metric.name)
        unit = item.metric.unit
        values = inert(readable(item.before, unit)), inert(readable(item.after, unit))
        rows.append((inert(name), *values, change(item)))
    return rows


def change(item: MetricDelta) -> str:
    """`+309 %  (+305..+313, 5 runs against 5)`; the sign is that of worse."""
    if item.relative is None:
        return "from zero" if not item.before else ""
    text = relative(item.relative)
    inside = []
    if item.low is not None and item.high is not None:
        inside.append(f"{relative(item.low)[:-2]}..{relative(item.high)[:-2]}")
    if item.runs_before and item.runs_after:
        inside.append(f"{item.runs_after} runs against {item.runs_before}")
    return f"{text}  ({', '.join(inside)})" if inside else text


def relative(value: float) -> str:
    """`+309 %`, `-75.6 %`: no decimals from 100 % on."""
    size = abs(value * 100)
    return f"{value * 100:+.0f} %" if size >= 99.95 else f"{value * 100:+.1f} %"  # noqa: PLR2004 - as `percent`


def delta_rows(found: Attribution) -> list[DeltaRow]:
    """The rows of the attribution, the unexplained and the total; printed deltas and shares add up."""
    column = amount_column(found.unit, max(abs(found.total), abs(found.after), abs(found.before)))
    deltas = [row.delta for row in found.rows] + [found.residual]
    printed = column.parts(deltas, found.total)
    shares = _shares(deltas, found.total)
    rows: list[DeltaRow] = []
    for row, delta, share in zip(found.rows, printed, shares, strict=False):
        is_quiet = row.kind is RowKind.OTHER and found.unit == "ps"
        rows.append(
            DeltaRow(
                label=_label(row, found),
                before="" if is_quiet else _amount(column, row.before),
                after="" if is_quiet else _amount(column, row.after),
                delta=delta,
                share=share,
            )
        )
        rows += [
            DeltaRow(
                label=f"of it: {_label(part, found)}",
                before=_amount(column, part.before),
                after=_amount(column, part.after),
                is_part=True,
            )
            for part in row.parts
        ]
    rows.append(DeltaRow(label="unexplained", delta=printed[-1], share=shares[-1]))
    rows.append(DeltaRow(label="total", delta=column.text(found.total, signed=True), share=_total(found)))
    return rows


def _amount(column: AmountColumn, amount: int) -> str:
    return column.text(amount) if amount else "0"


def _total(found: Attribution) -> str:
    return "100.0 %" if found.total else "0.0 %"


def _shares(deltas: list[int], total: int) -> list[str]:
    """Shares of the total with one decimal that sum to 100.0."""
    if not total:
        return ["0.0 %"] * len(deltas)
    exact = [delta * _PERMILLE * (1 if total > 0 else -1) for delta in deltas]
    return [f"{steps / 10:.1f} %" for steps in largest_remainder(exact, abs(total) * _PERMILLE, abs(total))]


def _label(row: AttributionRow, found: Attribution) -> str:
    """`implicit host copies elsewhere, 7 per step`, or the operator with its number."""
    if row.kind is RowKind.OPERATOR and row.operator is not None:
        return operator_text(row.operator)
    per_step = found.steps * (_CROSSING if row.kind is RowKind.COPIES else 1)
    count = -(-row.count // per_step)  # a copy that only goes down is one, too
    if row.kind not in {RowKind.COPIES, RowKind.CONVERSIONS} or not count:
        return inert(row.label)
    if row.label == OWN_COPIES:
        return f"{count} {row.label if count > 1 else row.label.replace('copies', 'copy')} per step"
    return f"{row.label}, {count} per step"


def operator_text(operator: OperatorRef) -> str:
    """`#447 UNet.mid_block.conv2`; what stands for no operator of the model has no number."""
    return inert(operator.name if operator.number < 0 else f"#{operator.number} {operator.name}")


def headline(found: Diagnosis) -> str:
    """The words above the causes."""
    if not found.causes:
        return (
            "none: both traced executions take the same time" if has_equal_traces(found) else "no cause found"
        )
    first = found.causes[0]
    if first.confidence < LEAST_FOUND:
        where = "" if first.operator is None else f" at {inert(first.operator.name)}"
        return f"no cause found; the strongest suspect is {first.rule}{where} ({first.confidence:.2f})"
    right, cases = first.frequency
    inside = f"  (of {cases} planted faults with this score {right} were right)" if cases else ""
    return f"confidence {first.confidence:.2f}{inside}"


def flag_text(difference: Difference) -> str:
    """`deploy/convert.sh:14   --optypelayout=NCHW   (baseline: NHWC)`; digests are cut."""
    now = f"{difference.name} is gone"
    if difference.after is not None:
        now = assignment(difference, difference.after)
    before = "not set"
    if difference.before is not None:
        before = shown_value(difference, difference.before) or "set"
    pieces = [place_of(difference), now, f"(baseline: {before})"]
    return inert("   ".join(piece for piece in pieces if piece))


def shown_value(difference: Difference, value: str) -> str:
    """A value of it as people compare it: of a digest the first digits."""
    return value[:SHORT_DIGEST] if difference.kind in _DIGESTS else value


def assignment(difference: Difference, value: str) -> str:
    """`--optypelayout=NCHW`, or the name alone for a bare flag."""
    shown = shown_value(difference, value)
    return f"{difference.name}={shown}" if shown else difference.name


def place_of(difference: Difference) -> str:
    """`deploy/convert.sh:14`, without the column."""
    return difference.place.rpartition(":")[0] if difference.place.count(":") > 1 else difference.place


def has_equal_traces(found: Diagnosis) -> bool:
    """The profiles are equal in the focus metric, so all of the difference lies in the samples."""
    attribution = found.attribution
    if attribution is None or found.causes or not attribution.rows:
        return False
    return attribution.unit == "ps" and attribution.residual == attribution.total


def unexplained_text(found: Diagnosis) -> str:
    """`12 % unexplained` where much of the delta is not in the profiles, else ""."""
    if found.attribution is None or found.attribution.residual_share <= 0.1:  # noqa: PLR2004 - DIAGNOSIS 1.2
        return ""
    if has_equal_traces(found):
        return "the samples differ by what no trace shows"
    return f"{found.attribution.residual_share:.0%} of the delta is unexplained".replace("%", " %")


def hidden_texts(found: Attribution) -> list[str]:
    """`NAME +1.81 s` of operators that take longer where parallel work hides it."""
    return [
        f"{inert(row.label)} {amount_column(found.unit, row.after).text(row.delta, signed=True)}"
        for row in found.hidden
    ]


def hit_texts(cause: Cause, found: Diagnosis) -> list[str]:
    """`resnet50 on ascend-310p-like: latency +26.0 %`: the worst effect on each other benchmark."""
    worst: dict[tuple[str, str], str] = {}
    for item in cause.effects:  # they come worst first
        change_of = "from zero" if item.relative is None else relative(item.relative)
        text = f"{item.benchmark} on {item.device}: {item.metric} {change_of}"
        worst.setdefault((item.benchmark, item.device), inert(text))
    return [text for key, text in worst.items() if key != (found.benchmark, found.device)]


def without_effect_text(found: Diagnosis) -> str:
    """The words before a difference that is no cause; nothing was found only where something was tried."""
    return "also changed, no effect found" if found.simulations else "also changed, its effect is not known"


def proof_text(cause: Cause, found: Diagnosis) -> str:
    """`re-simulated with NHWC restored: 2.23 s, recovers 100.0 % of the delta`."""
    if cause.proof is None:
        return ""
    difference = cause.difference
    what = "the baseline's model" if difference is None else f"{difference.name} as it was"
    if difference is not None and difference.before and difference.kind not in _DIGESTS:
        what = difference.before
    column = amount_column(found.unit, cause.proof.undone)
    amount = column.text(cause.proof.undone)
    share = f"{cause.proof.recovered * 100:.1f} %"
    return inert(f"re-simulated with {what} restored: {amount}, recovers {share} of the delta")


def fix_rows(found: Diagnosis) -> list[FixRow]:
    """Fixes in order, gains against now."""
    rows = []
    for number, fix in enumerate(found.fixes, 1):
        gain = share = ""
        if fix.after is not None and found.amount:
            gained = fix.after - found.amount
            column = amount_column(found.unit, found.amount)
            gain, share = column.text(gained, signed=True), relative(gained / found.amount)
        rows.append(
            FixRow(
                number=number,
                severity=str(fix.severity),
                title=inert(fix.title),
                gain=gain,
                relative=share,
                risk=_risk(fix, found),
                edits=_edits(fix),
            )
        )
    return rows


def together_text(found: Diagnosis) -> str:
    """`each re-simulated alone from now; all three together: 2.02 s, -77.9 %`."""
    simulated = [fix for fix in found.fixes if fix.after is not None]
    if not simulated:
        return "estimated, nothing could be re-simulated" if found.fixes else ""
    if found.together is None or not found.amount:
        return "each re-simulated alone from now"
    amount = amount_column(found.unit, found.together).text(found.together)
    share = relative((found.together - found.amount) / found.amount)
    count = _NUMBERS.get(len(simulated), f"all {len(simulated)}")
    return f"each re-simulated alone from now; {count} together: {amount}, {share}"


def _risk(fix: Fix, found: Diagnosis) -> str:
    words = [inert(fix.risk)] if fix.risk else []
    before = next((row.after for row in found.metrics if row.metric.name == "peak_memory"), None)
    if fix.peak_memory is not None and before:
        growth = fix.peak_memory / before - 1
        if growth > 0.005:  # noqa: PLR2004 - what rounds to a percent
            words.append(f"peak memory +{growth:.0%}".replace("%", " %"))
    return ", ".join(words)


def _edits(fix: Fix) -> tuple[str, ...]:
    lines = []
    for item in fix.taken:
        before = "remove it" if item.before is None else assignment(item, item.before)
        now = "" if item.after is None else f"{assignment(item, item.after)} -> "
        place = place_of(item)
        lines.append(inert(f"{place}  {now}{before}" if place else f"{now}{before}"))
    for setting in fix.settings:
        value = f"={setting.value}" if setting.value else ""
        lines.append(inert(f"remove {setting.name}" if setting.value is None else f"{setting.name}{value}"))
    if fix.advice:
        lines.append(inert(fix.advice))
    return tuple(lines)


def probability_text(value: float) -> str:
    """Three decimals, and never certainty."""
    return f"{value:.3f}" if value < ALMOST_SURE else f"> {ALMOST_SURE}"
