"""Verdicts as rows of a Markdown table; every foreign text stands in one inert code span."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.metric import KNOWN_METRICS
from perfgate.core.units import percent, readable
from perfgate.core.verdict import Verdict
from perfgate.report.code_span import code_span
from perfgate.report.failure_text import OVER_BUDGET, deciding, headline

if TYPE_CHECKING:
    from perfgate.core.verdict import BenchmarkVerdict, Comparison

TABLE_HEAD = (
    "| | benchmark | device | metric | baseline | now | change (95 % interval) |\n"
    "|---|---|---|---|--:|--:|--:|"
)
_COLUMNS_AFTER_NAME = 4
_UNITS = frozenset({"s", "B", "J", "count", "cycles", "1/s"})
_SAID_BY_THE_NUMBER = frozenset({Verdict.REGRESSED, Verdict.IMPROVED, Verdict.UNCHANGED})


def verdict_row(item: BenchmarkVerdict) -> str:
    """One row: mark, benchmark, device, deciding metric, baseline, now, change."""
    worst = deciding(item)
    cells = [mark(item), code_span(item.benchmark), code_span(item.device)]
    if worst is None:
        cells += [""] * (_COLUMNS_AFTER_NAME - 1) + [verdict_word(item)]
    else:
        cells += [
            metric_name(worst),
            value_text(worst.baseline, worst.metric.unit),
            value_text(worst.now, worst.metric.unit),
            _change_cell(item, worst),
        ]
    return _row(cells)


def skipped_row(key: str) -> str:
    """The row of a benchmark that was not measured on purpose."""
    return _row(["❌", code_span(key), *[""] * _COLUMNS_AFTER_NAME, "not measured"])


def mark(item: BenchmarkVerdict) -> str:
    """The sign that says whether the policy fails, warns or is content."""
    if item.is_failure:
        return "❌"
    return "⚠️" if item.is_warning else "✅"


def verdict_word(item: BenchmarkVerdict) -> str:
    """The verdict, or `over budget` where only that makes it red."""
    return OVER_BUDGET.partition(":")[0] if headline(item).startswith(OVER_BUDGET) else str(item.verdict)


def metric_name(comparison: Comparison) -> str:
    """A metric of perfgate's own as it is, a foreign one as code."""
    name = comparison.metric.name
    return name if name in KNOWN_METRICS else code_span(name)


def value_text(value: float | None, unit: str) -> str:
    """A value for people; a unit that perfgate does not know may hold anything."""
    if value is None:
        return ""
    text = readable(value, unit)
    return text if unit in _UNITS else code_span(text)


def change_text(relative: float) -> str:
    """`+309 %` or `−7.7 %`; plus is worse."""
    return percent(relative).replace("-", "−")


def _change_cell(item: BenchmarkVerdict, worst: Comparison) -> str:
    word = verdict_word(item)
    words = [] if word in _SAID_BY_THE_NUMBER else [word]
    if worst.worse_by is not None:
        words.append(change_text(worst.worse_by))
    elif not words:
        words.append("no percentage")  # from zero nothing can be put in percent
    if worst.low is not None and worst.high is not None:
        words.append(f"({_bare(worst.low)}..{_bare(worst.high)})")
    return " ".join(words)


def _bare(relative: float) -> str:
    return change_text(relative).removesuffix(" %")


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
