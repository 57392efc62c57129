"""The exit code of a decision.

It is the first that applies of 1, 12, 11, 10 and 0, with every reason (STATISTICS section 1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.errors import ExitCode
from perfgate.core.verdict import Verdict
from perfgate.gate.evidence import Side
from perfgate.gate.thresholds import Answer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.gate.answers import AnsweredBenchmark
    from perfgate.gate.common_line import CommonLine
    from perfgate.gate.pairing import Pair

PRECEDENCE = (ExitCode.FAIL, ExitCode.UNUSABLE, ExitCode.NOTHING, ExitCode.INCONCLUSIVE)
_RED = (Verdict.REGRESSED, Verdict.MISSING, Verdict.CHANGED, Verdict.NEW)


def exit_reasons(
    pairs: Sequence[Pair], answered: Sequence[AnsweredBenchmark], failing_lines: Sequence[CommonLine]
) -> tuple[tuple[ExitCode, str], ...]:
    """Every exit code that applies with its sentence, in order of precedence; empty means pass."""
    reasons = [
        reason
        for pair, item in zip(pairs, answered, strict=True)
        if item.verdict.is_failure
        for reason in _benchmark_reasons(pair, item)
    ]
    reasons += [(ExitCode.FAIL, line.text) for line in failing_lines]
    sentence = device_sentence(pairs)
    if sentence:
        reasons = [item for item in reasons if not item[1].startswith(DEVICE_MARK)]
        reasons.append((ExitCode.UNUSABLE, sentence))
    if not any(pair.flaw is None for pair in pairs):
        reasons.append((ExitCode.NOTHING, "nothing was compared"))
    return tuple(reason for code in PRECEDENCE for reason in reasons if reason[0] is code)


DEVICE_MARK = "device or cost model: "


def device_sentence(pairs: Sequence[Pair]) -> str:
    """One sentence for the suite when simulated devices or the cost model differ; empty otherwise."""
    moved = [pair for pair in pairs if pair.is_device_flaw and pair.flaw is not None]
    if not moved:
        return ""
    causes = sorted({pair.flaw.reason for pair in moved if pair.flaw is not None})
    return (
        f"{DEVICE_MARK}{len(moved)} of {len(pairs)} benchmarks cannot be compared, because the simulated "
        f"machine is another one than the baseline's ({'; '.join(causes)}): record new baselines"
    )


def _benchmark_reasons(pair: Pair, item: AnsweredBenchmark) -> list[tuple[ExitCode, str]]:
    verdict = item.verdict
    text = f"{verdict.key}: {verdict.verdict}: {verdict.reason}"
    if pair.flaw is not None:
        if pair.flaw.verdict is Verdict.INVALID:
            mark = DEVICE_MARK if pair.is_device_flaw else ""
            return [(_invalid_code(pair.flaw.side), mark + text)]
        return [(ExitCode.FAIL, text)]
    found = [(_invalid_code(flaw.side), f"{verdict.key}: invalid: {flaw.reason}") for flaw in pair.flaws]
    for answered in item.comparisons:
        comparison = answered.comparison
        if answered.answer is not Answer.FAIL or not answered.is_gated:
            continue
        sentence = f"{verdict.key}: {comparison.verdict}: {comparison.reason}"
        if comparison.verdict in _RED:
            found.append((ExitCode.FAIL, sentence))
        elif comparison.verdict is Verdict.INCONCLUSIVE:
            found.append((ExitCode.INCONCLUSIVE, sentence))
    return found


def _invalid_code(side: Side) -> ExitCode:
    return ExitCode.NOTHING if side is Side.CANDIDATE else ExitCode.UNUSABLE
