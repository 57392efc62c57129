"""A finished check as Markdown, for pull-request comments and job summaries.

Bounded by construction: everything but the two tables has a fixed number of short entries, and the tables are
cut on whole rows.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate import __version__
from perfgate.core.finding import Severity
from perfgate.core.metric import Direction
from perfgate.core.units import readable
from perfgate.core.verdict import Verdict
from perfgate.report.code_span import MAX_SENTENCE, code_span
from perfgate.report.failure_text import deciding, headline, next_command
from perfgate.report.markdown_rows import (
    TABLE_HEAD,
    change_text,
    metric_name,
    skipped_row,
    verdict_row,
    verdict_word,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from perfgate.core.finding import Finding
    from perfgate.core.verdict import BenchmarkVerdict
    from perfgate.diagnose.explanation import Explanation
    from perfgate.report.check_report import CheckReport

_SHOWN_CAUSES = 3
_SHOWN_SETTINGS = 3
_SHOWN_LINES = 10
_SPARE = 200  # for the lines that say how many rows were left out
_SIGN = "plus signs mean worse, also for metrics of which more is better"
_MARKS = {Severity.ERROR: "❌", Severity.WARN: "⚠️"}
_NOTHING_TO_JUDGE = {
    2: "it could not start",
    11: "nothing was compared",
    12: "baselines, policy or guardrails cannot be used",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """Where the text will stand: how much fits by which measure, and what its foot says besides.

    `head` is the commit that was judged, or "". `remark` is a sentence of perfgate's own. `shows_all` shows
    the unchanged benchmarks too, even if everything is green.
    """

    limit: int
    size: Callable[[str], int]
    head: str = ""
    remark: str = ""
    shows_all: bool = False


def verdict_markdown(report: CheckReport, frame: Frame) -> str:
    """Headline, table worst first, evidence, next command, what the change does to the gate, foot.

    If everything is green and nothing else is to be said, the headline alone.
    """
    loud = [verdict_row(item) for item in report.verdicts if _is_loud(item)]
    loud += [skipped_row(key) for key in sorted(report.skipped)]
    parts = [headline_line(report), *_sections(report, frame)]
    if not loud and len(parts) == 1 and not frame.shows_all:
        return parts[0]
    quiet = [verdict_row(item) for item in report.verdicts if not _is_loud(item)]
    opening, closing = f"<details><summary>{_counts(report)}</summary>", "</details>"
    foot = f"<sub>{_foot(report, frame)}</sub>"
    fixed = (*parts, TABLE_HEAD, opening, *_notes(report), TABLE_HEAD, closing, foot)
    room = frame.limit - _SPARE - sum(frame.size(part) + 2 for part in fixed)
    first, room = _table(loud, room, frame.size)
    second, _ = _table(quiet, room, frame.size)
    blocks = [parts[0], *first, *parts[1:], opening, *_notes(report), *second, closing, foot]
    return "\n\n".join(blocks)


def headline_line(report: CheckReport) -> str:
    """The heading: how many failed how, and the worst one by name."""
    failing = [item for item in report.verdicts if item.is_failure]
    warned = [item for item in report.verdicts if item.is_warning]
    total = len(report.verdicts) + len(report.skipped)
    errors = sum(1 for item in report.guardrails.findings if item.severity is Severity.ERROR)
    if failing:
        text = f"{_failed(failing, total)} — {_worst(failing[0])}"
    elif report.skipped or (report.exit_code == 1 and errors):
        word = "error" if errors == 1 else "errors"
        text = f"{errors} guardrail {word}, {len(report.skipped)} of {total} benchmarks not measured"
    elif report.exit_code:
        text = f"{_NOTHING_TO_JUDGE.get(report.exit_code, report.word)} (exit {report.exit_code})"
    elif warned:
        return (
            f"### ⚠️ perfgate: passed, {len(warned)} of {total} benchmarks need a look — {_worst(warned[0])}"
        )
    elif report.not_judged:
        return f"### ✅ perfgate: {total} benchmarks green; {report.not_judged} others not selected"
    else:
        return f"### ✅ perfgate: all {total} benchmarks green"
    return f"### ❌ perfgate: {text}"


def _failed(failing: Sequence[BenchmarkVerdict], total: int) -> str:
    """`1 of 40 benchmarks regressed, 2 missing`; the worst one's verdict comes first."""
    counts = Counter(verdict_word(item) for item in failing)
    worst = verdict_word(failing[0])
    others = "".join(f", {count} {word}" for word, count in counts.items() if word != worst)
    return f"{counts[worst]} of {total} benchmarks {worst}{others}"


def _worst(item: BenchmarkVerdict) -> str:
    worst = deciding(item)
    where = f"on {code_span(item.device)}"
    if worst is None or worst.worse_by is None:
        return f"{code_span(item.benchmark)} {verdict_word(item)} {where}"
    return f"{code_span(item.benchmark)} {metric_name(worst)} **{change_text(worst.worse_by)}** {where}"


def _is_loud(item: BenchmarkVerdict) -> bool:
    return item.is_failure or item.is_warning or item.verdict is not Verdict.UNCHANGED


def _table(rows: Sequence[str], room: int, size: Callable[[str], int]) -> tuple[list[str], int]:
    """As many whole rows as there is room for, and the room that is left."""
    kept: list[str] = []
    for row in rows:
        room -= size(row) + 1
        if room < 0:
            break
        kept.append(row)
    left = len(rows) - len(kept)
    blocks = ["\n".join((TABLE_HEAD, *kept))] if kept else []
    if left:
        blocks.append(f"and {left} more rows; the JSON report holds them all")
    return blocks, max(room, 0)


def _sections(report: CheckReport, frame: Frame) -> list[str]:
    """What is shown between the tables; empty when there is nothing to say."""
    sections = [_evidence(item, report.explanations.get(item.key)) for item in _explained(report)]
    failing = [item for item in report.verdicts if item.is_failure]
    if failing:
        sections.append(f"**Next**: {code_span(next_command(failing[0]))}")
    least = Severity.WARN if report.exit_code or frame.shows_all else Severity.ERROR
    found = [item for item in report.guardrails.findings if item.severity.rank >= least.rank]
    sections += _bullets("**Guardrails**:", map(_finding, found))
    sections += _bullets(
        "**Not measured**:", (f"{code_span(key)} {_sentence(why)}" for key, why in report.skipped.items())
    )
    sections += _bullets(
        "**Unusable**:", (f"{code_span(path)} {_sentence(why)}" for path, why in report.unusable.items())
    )
    sections += _bullets(
        "**This change edits the gate**:",
        (f"{code_span(edit.path)} {code_span(edit.effect)}" for edit in report.edits),
    )
    sections += _bullets("**Looser than base, so not applied**:", map(_sentence, report.loosened))
    return [*sections, *([frame.remark] if frame.remark else [])]


def _explained(report: CheckReport) -> list[BenchmarkVerdict]:
    return [item for item in report.verdicts if item.is_failure][:_SHOWN_CAUSES]


def _evidence(item: BenchmarkVerdict, explanation: Explanation | None) -> str:
    name = f"{code_span(item.benchmark)} on {code_span(item.device)}"
    facts = [] if explanation is None else _facts(explanation)
    return (
        f"**Evidence** for {name}: {'; '.join(facts)}"
        if facts
        else f"**Why** {name}: {_sentence(headline(item))}"
    )


def _finding(item: Finding) -> str:
    mark = _MARKS[item.severity]
    return f"{mark} {code_span(str(item.span))} {_sentence(item.message)} {code_span(item.rule)}"


def _facts(explanation: Explanation) -> list[str]:
    facts = []
    for change in explanation.settings[:_SHOWN_SETTINGS]:
        was, now = change.before or "(absent)", change.now or "(absent)"
        facts.append(
            f"{code_span(change.place)} {code_span(change.name)} {code_span(was)} → {code_span(now)}"
        )
    if explanation.model_changed:
        facts.append("the model itself changed")
    if explanation.copied_now != explanation.copied_before:
        before, now = readable(explanation.copied_before, "B"), readable(explanation.copied_now, "B")
        facts.append(f"copies between host and device {before} → {now}{_copier(explanation)}")
    if explanation.operators and explanation.operators[0].delta_ps > 0:
        spot = explanation.operators[0].now
        facts.append(f"most time added at operator #{spot.number} {code_span(spot.name)}")
    return facts


def _copier(explanation: Explanation) -> str:
    copier = explanation.copier
    return (
        ""
        if copier is None
        else f", most of them at operator #{copier.now.number} {code_span(copier.now.name)}"
    )


def _sentence(text: str) -> str:
    return code_span(text, MAX_SENTENCE)


def _bullets(title: str, lines: Iterable[str]) -> list[str]:
    """A title with at most ten lines below it, as one block; nothing without lines."""
    rows = list(lines)
    if not rows:
        return []
    more = [f"- and {len(rows) - _SHOWN_LINES} more"] if len(rows) > _SHOWN_LINES else []
    return ["\n".join((title, "", *(f"- {row}" for row in rows[:_SHOWN_LINES]), *more))]


def _counts(report: CheckReport) -> str:
    """The line one opens for more: words and numbers only, for it stands inside a tag."""
    counts = Counter(item.verdict for item in report.verdicts)
    always = (Verdict.UNCHANGED, Verdict.INCONCLUSIVE, Verdict.MISSING)
    words = [f"{counts[verdict]} {verdict}" for verdict in always]
    if report.not_judged:
        words.append(f"{report.not_judged} not selected")
    gate = "edits the gate" if report.edits else "does not edit the gate"
    return f"{', '.join(words)} · this change {gate}"


def _notes(report: CheckReport) -> list[str]:
    lines = [report.guardrails.summary, report.common_mode, *report.notes]
    return _bullets("Notes:", (_sentence(line) for line in lines if line))


def _foot(report: CheckReport, frame: Frame) -> str:
    words = [f"baselines from {code_span(report.base.short)} ({code_span(report.base.reason)})"]
    if frame.head:
        words.append(f"head {code_span(frame.head[:7])}")
    words.append(f"family error {report.family_error:.0%}".replace("%", " %"))
    words.append(f"perfgate {__version__}")
    if any(
        comparison.metric.direction is Direction.HIGHER
        for item in report.verdicts
        if (comparison := deciding(item)) is not None
    ):
        words.append(_SIGN)
    return " · ".join(words)
