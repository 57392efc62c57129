"""What `perfgate optimize` says: gain, fixes, every change, what was left out, and the next command."""

from __future__ import annotations

import msgspec

from perfgate.core.difference import DifferenceKind
from perfgate.plan.manifest import FilePlan, LeftOut, Manifest, PlannedFix, TextEdit
from perfgate.plan.plan_report import State, amount_text, change_text, gain_text, plan_lines
from perfgate.plan.prediction import Prediction
from tests.plans import edit, manifest


def planned(**changes: object) -> Manifest:
    """A plan of one edit; the amounts are those of the incident."""
    plan = FilePlan(path="deploy/convert.sh", before_sha256="", after_sha256="", edits=(edit(0),))
    found = msgspec.structs.replace(
        manifest(plan),
        prediction=Prediction(now=9_130_000_000_000, planned=2_230_000_000_000),
        fixes=(PlannedFix(number=1, title="restore", severity="high", risk="", after=1, gain=0.756),),
        left_out=(LeftOut(number=2, title="cache", reason="it belongs to no cause"),),
        notes=("look here",),
    )
    return msgspec.structs.replace(found, **changes)


def test_every_line_of_a_plan() -> None:
    found = planned()
    assert list(plan_lines(found, State.PLANNED)) == [
        f"plan {found.id} for b[d]: latency 9.13 s -> 2.23 s, -75.6 % (simulated)",
        "  fix 1  high  -75.6 %  restore (risk: not known)",
        "  deploy/convert.sh:1  --x NCHW -> NHWC",
        "  note: look here",
        "  left out: fix 2, cache: it belongs to no cause",
        "  add one by its number: --include N",
        "apply: perfgate optimize --apply -o optimization_plan",
    ]
    assert list(plan_lines(found, State.APPLIED))[-1] == (
        "applied; undo: perfgate optimize --rollback optimization_plan"
    )


def test_a_gain_that_was_not_simulated_is_not_made_up() -> None:
    assert gain_text(planned(prediction=Prediction())) == (
        "latency, the gain of these fixes together was not simulated"
    )
    assert gain_text(planned(files=())) == "nothing to change"
    unknown = PlannedFix(number=1, title="restore", severity="high", risk="none", after=None, gain=None)
    assert "gain not simulated" in list(plan_lines(planned(fixes=(unknown,)), State.PLANNED))[1]


def test_amounts_have_the_unit_of_their_metric() -> None:
    assert [amount_text(2_500_000_000, unit) for unit in ("ps", "B", "nJ")] == [
        "2.50 ms",
        "2.50 GB",
        "2.50 J",
    ]


def test_a_whole_file_is_not_told_as_a_value() -> None:
    whole = msgspec.structs.replace(edit(0), kind=str(DifferenceKind.FILE), after="32e5526de13b9b14")
    assert change_text(whole) == "the whole file, as the baseline's commit has it (32e5526de13b)"


def test_absent_and_bare_flags_are_told_apart() -> None:
    def text(before: str | None, after: str | None) -> str:
        return change_text(TextEdit(**{**msgspec.structs.asdict(edit(0)), "before": before, "after": after}))

    assert text(None, "") == "--x absent -> set"
    assert text("a", None) == "--x a -> absent"
