"""Diagnoses that are held as goldens: planted faults, measured by the seeded simulator and judged."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from perfgate.config.typed_yaml import read_typed
from perfgate.core.diagnosis import Commit, Diagnosis, MetricDelta
from perfgate.core.errors import UsageError
from perfgate.diagnose.confidence import Bin, Calibration
from perfgate.diagnose.engine import Setting, diagnose
from perfgate.gate.decision import JudgeOptions
from perfgate.gate.stages import decide_in_stages
from perfgate.gate.thresholds import SuitePolicy
from perfgate.report.diagnosis_markdown import diagnosis_markdown
from perfgate.report.diagnosis_text import diagnosis_lines
from perfgate.workflow.resimulation import Resimulator
from tests.planted.scenario import Plant, Scenario
from tests.planted.sides import planted

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfgate.core.record import Record

FAULTS = Path(__file__).parents[1] / "scenarios" / "faults"
NOW = dt.datetime(2026, 11, 29, tzinfo=dt.UTC)
# Its own table, so that a new fit of the shipped one changes no golden.
CALIBRATION = Calibration(
    intercept=-3.0,
    weights=(4.0, 1.0, -2.0, 1.0, 1.0, 1.0),
    bins=(
        Bin(low=0.0, stated=0.10, right=4, cases=40),
        Bin(low=0.6, stated=0.70, right=70, cases=100),
        Bin(low=0.9, stated=0.95, right=201, cases=212),
    ),
)
CULPRIT = Commit(
    commit="a3f8d2c" + "0" * 33,
    subject="tidy convert flags",
    author="Ada",
    date="2026-11-26T00:00:00+00:00",
    relation="bisection",
    probability=0.998,
)
LOG_LEVEL = Plant(runtime="log_level", from_="info", to="debug")


def scenario(name: str, *more: Plant) -> Scenario:
    """A planted fault of the collection, with harmless changes beside it."""
    path = FAULTS / f"{name}.yaml"
    found = read_typed(path.read_bytes(), str(path), Scenario, UsageError).value
    return msgspec.structs.replace(found, plant=[*found.plants, *more])


@cache
def diagnosed(
    name: str, *, has_profile: bool = True, has_proof: bool = True, has_decoy: bool = False
) -> Diagnosis:
    """The diagnosis of a planted fault between the two commits of the incident."""
    with planted(scenario(name, *([LOG_LEVEL] if has_decoy else []))) as sides:
        before, after = (
            replace(
                side.observation, profile=side.observation.profile if has_profile else None, revision=commit
            )
            for side, commit in zip(sides, ("3f2c1ab", "a3f8d2c"), strict=True)
        )
        resimulate = Resimulator(*(side.simulation for side in sides)) if has_proof else None
        return diagnose(
            before,
            after,
            Setting(
                resimulate=resimulate,
                metrics=judged(before.record, after.record),
                calibration=CALIBRATION,
                clock=lambda: 0.0,
            ),
        )


def judged(before: Record, after: Record) -> tuple[MetricDelta, ...]:
    """The gate's own answer; nothing where it says that the two sides cannot be compared."""
    key = before.key
    decision = decide_in_stages({key: before}, {key: after}, SuitePolicy(), None, options=JudgeOptions())
    return tuple(
        MetricDelta(
            metric=row.metric,
            before=row.baseline,
            after=row.now,
            relative=row.worse_by,
            low=row.low if row.metric.is_sampled else None,
            high=row.high if row.metric.is_sampled else None,
            runs_before=row.baseline_runs,
            runs_after=row.candidate_runs,
        )
        for row in decision.benchmarks[0].comparisons
        if row.baseline is not None and row.now is not None
    )


def incident() -> Diagnosis:
    """The layout flag, with its culprit and a harmless change."""
    found = diagnosed("layout_flag", has_decoy=True)
    first, *rest = found.causes
    return msgspec.structs.replace(found, causes=(msgspec.structs.replace(first, commit=CULPRIT), *rest))


def text_of(found: Diagnosis) -> str:
    """As the terminal shows it."""
    return "\n".join(diagnosis_lines(found, NOW))


DIAGNOSIS_TEXTS: dict[str, Callable[[], str]] = {
    "diagnosis-incident.txt": lambda: text_of(incident()),
    "diagnosis-incident.md": lambda: diagnosis_markdown(incident(), NOW).removesuffix("\n"),
    "diagnosis-alignment.txt": lambda: text_of(diagnosed("odd_stride")),
    "diagnosis-two-causes.txt": lambda: text_of(diagnosed("two_faults")),
    "diagnosis-no-cause.txt": lambda: text_of(diagnosed("nothing_changed")),
    "diagnosis-no-profile.txt": lambda: text_of(diagnosed("layout_flag", has_profile=False)),
    "diagnosis-estimated.txt": lambda: text_of(diagnosed("layout_flag", has_proof=False)),
}
