"""The text of one red benchmark: at most 12 lines, the headline first, the next command last."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from perfgate.core.units import PS_PER_SECOND, percent, readable
from perfgate.core.verdict import PRECEDENCE, Verdict
from perfgate.report.cause_lines import cause_lines, has_plan
from perfgate.report.inert import inert

if TYPE_CHECKING:
    from perfgate.core.verdict import BenchmarkVerdict, Comparison
    from perfgate.diagnose.explanation import Explanation, OperatorChange

MAX_LINES = 12
_SHOWN_METRICS = 3
_SHOWN_SETTINGS = 3
OVER_BUDGET = "over budget: "  # how a note on a broken budget begins


def deciding(verdict: BenchmarkVerdict) -> Comparison | None:
    """The comparison that decided: of the worst verdict, sampled before exact, largest change first."""
    same = [item for item in verdict.comparisons if item.verdict is verdict.verdict]
    return min(same, key=lambda item: (not item.metric.is_sampled, -abs(item.worse_by or 0.0)), default=None)


def headline(verdict: BenchmarkVerdict) -> str:
    """One line: `regressed: latency +309 % (interval +305 %..+313 %, min effect 1 %) on ascend-310p-like`."""
    return inert(_headline(verdict))


def _headline(verdict: BenchmarkVerdict) -> str:
    over = next((note for note in verdict.notes if note.startswith(OVER_BUDGET)), "")
    if over and verdict.verdict not in {Verdict.REGRESSED, Verdict.INVALID, Verdict.CHANGED, Verdict.MISSING}:
        return over
    worst = deciding(verdict)
    if worst is not None and worst.reason.startswith(OVER_BUDGET):
        return f"{worst.reason.rpartition(' (')[0]} on {verdict.device}"  # where it is set: the JSON report
    word = f"{verdict.verdict}, accepted" if verdict.is_accepted else str(verdict.verdict)
    if worst is None or worst.worse_by is None:
        return f"{word} on {verdict.device}: {verdict.reason}"
    parts = []
    if worst.low is not None and worst.high is not None and worst.low < worst.high:
        parts.append(f"interval {percent(worst.low)}..{percent(worst.high)}")
    if worst.threshold:
        parts.append(worst.threshold.partition(" (")[0])  # which rule set it stands in the JSON report
    inside = f" ({', '.join(parts)})" if parts else ""
    return f"{word}: {worst.metric.name} {percent(worst.worse_by)}{inside} on {verdict.device}"


def warning_line(verdict: BenchmarkVerdict) -> str:
    """One line for a benchmark that passes with a word: headline, and the reason with any waiver in it."""
    reason = inert(verdict.reason)
    text = headline(verdict)
    return text if reason in text else f"{text}; {reason}"


def failure_text(verdict: BenchmarkVerdict, explanation: Explanation | None) -> str:
    """Headline; baseline and now; where the time went; what is copied; what changed; the next command."""
    lines = [headline(verdict)]
    ordered = sorted(verdict.comparisons, key=_by_weight)
    changed = [item for item in ordered if item.verdict is not Verdict.UNCHANGED and item.now is not None]
    lines += [_values(item) for item in changed[:_SHOWN_METRICS]]
    lines += [f"  {_budget(item)}" for item in ordered if item.is_over_budget and _is_slower_too(item)]
    is_said = inert(verdict.reason) in lines[0]
    if not is_said and (verdict.verdict not in {Verdict.REGRESSED, Verdict.INCONCLUSIVE} or not changed):
        lines.append(f"  {verdict.reason}")
    lines += [f"  {note}" for note in verdict.notes if note != lines[0]]
    if explanation is not None:
        lines += _evidence(explanation)
    last = f"  next: {next_command(verdict, explanation)}"
    return "\n".join(inert(line) for line in (*lines[: MAX_LINES - 1], last))


def _by_weight(item: Comparison) -> tuple[int, bool, float]:
    return PRECEDENCE[item.verdict], not item.metric.is_sampled, -abs(item.worse_by or 0.0)


def _values(item: Comparison) -> str:
    unit = item.metric.unit
    before = "?" if item.baseline is None else readable(item.baseline, unit)
    now = "?" if item.now is None else readable(item.now, unit)
    change = "" if item.worse_by is None else f"  {percent(item.worse_by)}"
    return f"  {item.metric.name}: {before} -> {now}{change}"


def _is_slower_too(item: Comparison) -> bool:
    """The headline speaks of the change, so the budget needs a line of its own."""
    return item.verdict is Verdict.REGRESSED and not item.reason.startswith(OVER_BUDGET)


def _budget(item: Comparison) -> str:
    """`over budget: latency 51.0 ms > 40.0 ms (perfgate.yaml:3:5)`, out of the comparison's reason."""
    return OVER_BUDGET + item.reason.rpartition(OVER_BUDGET)[2]


def _evidence(explanation: Explanation) -> list[str]:
    lines = []
    if explanation.operators and explanation.operators[0].delta_ps > 0:
        lines.append(f"  operator: {_operator(explanation.operators[0])}")
    if explanation.copied_now != explanation.copied_before:
        before, now = readable(explanation.copied_before, "B"), readable(explanation.copied_now, "B")
        lines.append(f"  copies between host and device: {before} -> {now}{_copier(explanation)}")
    found = explanation.diagnosis
    if found is not None and found.found is not None:
        return [*lines, *(f"  {line}" for line in cause_lines(found))]
    for change in explanation.settings[:_SHOWN_SETTINGS]:
        was, is_now = change.before or "(absent)", change.now or "(absent)"
        lines.append(f"  changed: {change.place} {change.name} {was} -> {is_now}")
    if explanation.model_changed:
        lines.append("  changed: the model itself")
    return lines


def _operator(change: OperatorChange) -> str:
    before, now = _seconds(change.before_ps), _seconds(change.now.total_ps)
    return f"#{change.now.number} {change.now.name} ({change.now.op}) {before} -> {now}"


def _copier(explanation: Explanation) -> str:
    copier = explanation.copier
    if copier is None:
        return ""
    share = readable(copier.now.copied_bytes, "B")
    return f", the largest share in #{copier.now.number} {copier.now.name} ({share})"


def _seconds(picoseconds: int) -> str:
    return readable(picoseconds / PS_PER_SECOND, "s")


def next_command(verdict: BenchmarkVerdict, explanation: Explanation | None = None) -> str:
    """What somebody who sees this verdict types next."""
    if explanation is not None and explanation.diagnosis_file and has_plan(explanation.diagnosis):
        return f"perfgate optimize --diagnosis {shlex.quote(explanation.diagnosis_file)} -o plan/"
    is_accepted_next = verdict.verdict in {Verdict.NEW, Verdict.CHANGED, Verdict.MISSING}
    if verdict.test:
        keep = " --perfgate-records new" if is_accepted_next else ""
        return f"pytest --perfgate{keep} {shlex.quote(verdict.test)}"
    if is_accepted_next:
        return f'perfgate baseline update -k {shlex.quote(verdict.benchmark)} --reason "..."'
    return f"perfgate check -k {shlex.quote(verdict.benchmark)}"
