"""`make scenarios [DIR=folder]`: diagnose planted faults, and say how often the right cause came first."""

from __future__ import annotations

import statistics
import sys
from pathlib import Path

from perfgate.core.errors import PerfgateError
from tests.planted.answer import NONE, Answer, answer
from tests.planted.scenario import NamedScenario, read_scenarios

FOLDER = Path(__file__).parents[1] / "scenarios" / "faults"
FIRST, FIRST_THREE, BRIER, GAIN, UNCHANGED = 0.90, 0.97, 0.08, 0.05, 0.02  # the design's bounds
_BINS = ((0.0, 0.5), (0.5, 0.7), (0.7, 0.85), (0.85, 0.95), (0.95, 1.01))


def say(text: str) -> None:
    """A line of the table."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def run(folder: Path) -> int:
    """Print a row for each scenario and the totals; 0 when every bound is met."""
    scenarios = read_scenarios(folder)
    answers: list[tuple[NamedScenario, Answer]] = []
    broken = 0
    for named in scenarios:
        try:
            found = answer(named)
        except PerfgateError as problem:
            say(f"MISS {named.name:<44}       cannot be planted: {problem.line}")
            broken += 1
            continue
        answers.append((named, found))
        mark = "ok  " if not found.wrong else "MISS"
        say(f"{mark} {named.name:<44} {found.confidence:.2f}  {found.wrong}")
    return max(_totals(answers), int(broken > 0))


def _totals(answers: list[tuple[NamedScenario, Answer]]) -> int:
    faults = [found for named, found in answers if named.scenario.expect.rule != NONE]
    quiet = [found for named, found in answers if named.scenario.expect.rule == NONE]
    first = sum(found.rank == 1 for found in faults) / max(1, len(faults))
    three = sum(0 < found.rank <= 3 for found in faults) / max(1, len(faults))
    brier = (
        statistics.fmean((found.confidence - (found.rank == 1)) ** 2 for found in faults) if faults else 0.0
    )
    gains = [found.gain_error for found in faults if found.gain_error is not None]
    gain = statistics.median(gains) if gains else 0.0
    loud = sum(found.confidence >= 0.5 for found in quiet) / max(1, len(quiet))
    say(f"\n{len(faults)} planted faults, {len(quiet)} unchanged or harmless pairs")
    say(f"right cause first        {first:6.1%}   bound >= {FIRST:.0%}")
    say(f"right in the first three {three:6.1%}   bound >= {FIRST_THREE:.0%}")
    say(f"Brier score              {brier:6.3f}   bound <= {BRIER}")
    say(f"median error of gain     {gain:6.1%}   bound <= {GAIN:.0%}   ({len(gains)} fixes)")
    say(f"unchanged with a cause   {loud:6.1%}   bound <= {UNCHANGED:.0%}")
    _reliability(faults)
    is_met = first >= FIRST and three >= FIRST_THREE and brier <= BRIER and gain <= GAIN and loud <= UNCHANGED
    missed = [found.name for _, found in answers if found.wrong]
    say("every bound is met" if is_met else "a bound is MISSED")
    if missed:
        say(f"expectations not met: {', '.join(missed)}")
    return 0 if is_met else 1


def _reliability(faults: list[Answer]) -> None:
    say("stated      observed   cases")
    for low, high in _BINS:
        inside = [found for found in faults if low <= found.confidence < high]
        if inside:
            stated = statistics.fmean(found.confidence for found in inside)
            observed = sum(found.rank == 1 for found in inside) / len(inside)
            say(f"{stated:9.2f}   {observed:8.2f}   {len(inside):5}")


if __name__ == "__main__":
    sys.exit(run(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER))
