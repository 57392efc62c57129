from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from perfgate.core.codec import readable_json
from perfgate.core.diagnosis import Diagnosis, Focus, MetricDelta
from perfgate.core.difference import DifferenceKind
from perfgate.core.errors import UsageError
from perfgate.core.metric import KNOWN_METRICS
from perfgate.core.setting import Setting as Flag
from perfgate.diagnose.confidence import WITHOUT_PROOF, Bin, Calibration
from perfgate.diagnose.engine import Observation, Setting, diagnose
from tests.diagnose_sides import profile_of, side
from tests.records import make_record

if TYPE_CHECKING:
    from perfgate.core.difference import Change
    from perfgate.core.execution_profile import Profile
    from tests.diagnose_sides import Side

NHWC, NCHW = (side("sd_unet", "tiny", flags={"--optypelayout": layout}) for layout in ("NHWC", "NCHW"))
# Not fitted: every proven cause is stated alike, so that no expectation hangs on the shipped table.
CALIBRATION = Calibration(
    intercept=0.0, weights=(0.0,) * 6, bins=(Bin(low=0.0, stated=0.9, right=90, cases=100),)
)


def observation(of: Side, **fields: Any) -> Observation:  # noqa: ANN401 - fields of the observation
    flags = tuple(
        Flag(name=name, value=value, place=f"deploy/convert.sh:{line}:5")
        for line, (name, value) in enumerate(of.flags, 3)
    )
    record = make_record(of.model, device=of.device, settings=flags)
    return Observation(**{"record": record, "profile": profile_of(of), **fields})


def setting(**fields: Any) -> Setting:  # noqa: ANN401 - fields of the setting
    return Setting(**{"calibration": CALIBRATION, "clock": lambda: 0.0, **fields})


def both_ways(change: Change) -> Profile:
    """The layout taken back is the before side; what is put makes no difference."""
    return profile_of(NHWC if change.taken else NCHW)


def proven(**fields: Any) -> Diagnosis:  # noqa: ANN401 - fields of the setting
    before, after = observation(NHWC, revision="3f2c1ab"), observation(NCHW, revision="a3f8d2c")
    return diagnose(before, after, setting(resimulate=both_ways, **fields))


def test_a_flag_is_found_with_operator_evidence_proof_fix_and_guardrail() -> None:
    found = proven()
    (cause,) = found.causes
    assert cause.difference is not None
    assert (cause.difference.name, cause.difference.place) == ("--optypelayout", "deploy/convert.sh:3:5")
    assert cause.proof is not None
    assert cause.proof.recovered == 1.0
    assert cause.proof.undone == profile_of(NHWC).application.total_ps
    assert cause.cost == found.amount - cause.proof.undone
    assert cause.operator is not None
    assert cause.confidence == 0.9
    assert found.found == cause
    assert found.fixes[0].taken == (cause.difference,)
    assert found.guardrail == "atc_convert: require --optypelayout=NHWC"
    assert (found.before, found.after) == ("3f2c1ab", "a3f8d2c")
    assert found.without_effect == ()


def test_the_attribution_splits_the_delta_of_the_gate_exactly() -> None:
    traced = proven().attribution
    assert traced is not None
    assert sum(row.delta for row in traced.rows) + traced.residual == traced.total
    assert traced.residual == 0
    latency = MetricDelta(metric=KNOWN_METRICS["latency"], before=1e-3, after=9e-3, relative=8.0)
    noisy = proven(metrics=(latency,)).attribution
    assert noisy is not None
    assert (noisy.before, noisy.after) == (1_000_000_000, 9_000_000_000)  # of the gate, in picoseconds
    assert sum(row.delta for row in noisy.rows) + noisy.residual == 8_000_000_000


def test_the_same_inputs_give_the_same_bytes() -> None:
    assert readable_json(proven()) == readable_json(proven())


def test_without_a_simulation_confidence_is_capped_and_gains_are_estimates() -> None:
    found = diagnose(observation(NHWC), observation(NCHW), setting())
    assert found.causes[0].confidence == WITHOUT_PROOF
    assert found.causes[0].difference is not None
    assert found.causes[0].proof is None
    assert all(fix.after is None and (fix.is_estimated or fix.advice) for fix in found.fixes)
    assert (found.simulations, found.together) == (0, None)


def test_a_difference_that_brings_nothing_back_is_told_without_effect() -> None:
    before = observation(NHWC)
    flags = (*before.record.subject.compile, Flag(name="--log", value="info", place="deploy/convert.sh:4:5"))
    subject = msgspec.structs.replace(before.record.subject, compile=flags)
    with_log = Observation(
        record=msgspec.structs.replace(before.record, subject=subject), profile=before.profile
    )

    def resimulate(change: Change) -> Profile:
        is_back = any(item.name == "--optypelayout" for item in change.taken)
        return profile_of(NHWC if is_back else NCHW)

    found = diagnose(with_log, observation(NCHW), setting(resimulate=resimulate))
    assert [item.name for item in found.without_effect] == ["--log"]
    assert found.causes[0].difference is not None
    assert found.causes[0].difference.name == "--optypelayout"


@pytest.mark.parametrize(("before", "after"), [(NHWC, NHWC), (NCHW, NHWC)], ids=["unchanged", "faster"])
def test_what_did_not_get_worse_has_no_cause_and_no_fix(before: Side, after: Side) -> None:
    found = diagnose(observation(before), observation(after), setting(resimulate=both_ways))
    assert (found.causes, found.fixes, found.guardrail, found.interaction) == ((), (), "", "")
    assert found.attribution is not None


@pytest.mark.parametrize(("missing", "word"), [("before", "baseline"), ("after", "measurement")])
def test_a_side_without_a_profile_is_said_and_what_changed_is_listed(missing: str, word: str) -> None:
    sides = {"before": observation(NHWC), "after": observation(NCHW)}
    sides[missing] = Observation(record=sides[missing].record)
    found = diagnose(sides["before"], sides["after"], setting(resimulate=both_ways))
    assert found.notes == (
        f"the {word} has no profile: what changed is listed, where the time went cannot be told",
    )
    assert [item.name for item in found.without_effect] == ["--optypelayout"]
    assert (found.attribution, found.causes, found.simulations) == (None, (), 0)


def test_without_a_baseline_absolute_limits_count_and_opportunities_are_simulated() -> None:
    asked = []

    def resimulate(change: Change) -> Profile:
        asked.append(change)
        return profile_of(NHWC if change.settings else NCHW)

    found = diagnose(None, observation(NCHW), setting(resimulate=resimulate))
    assert found.attribution is None
    assert found.amount == profile_of(NCHW).application.total_ps
    assert found.causes
    assert all(cause.difference is None for cause in found.causes)
    assert found.fixes
    assert all(change.settings for change in asked)


@pytest.mark.parametrize("focus", list(Focus))
def test_every_focus_is_explained_in_its_unit_and_its_parts_sum(focus: Focus) -> None:
    found = proven(focus=focus)
    assert found.attribution is not None
    assert found.attribution.unit == found.unit
    rows = sum(row.delta for row in found.attribution.rows)
    assert rows + found.attribution.residual == found.attribution.total
    assert bool(found.causes) is (found.attribution.total > 0)


def test_copied_bytes_are_explained_by_the_flag_that_brought_them() -> None:
    sides = [side("odd_stride", "odd", flags={"--optypelayout": layout}) for layout in ("NC1HWC0", "NCHW")]
    before, after = map(observation, sides)

    def resimulate(change: Change) -> Profile:
        return profile_of(sides[0] if change.taken else sides[1])

    found = diagnose(before, after, setting(resimulate=resimulate, focus=Focus.COPIES))
    assert found.attribution is not None
    assert (found.unit, found.attribution.before) == ("B", 0)
    assert found.attribution.after == profile_of(sides[1]).application.copied_bytes > 0
    assert found.found is not None
    assert found.found.proof is not None
    assert (found.found.proof.undone, found.found.proof.recovered) == (0, 1.0)


def test_rules_that_could_not_look_are_counted_with_what_they_miss() -> None:
    assert "an allocation log over iterations" in proven().not_applicable.values()


def test_notes_of_simulations_that_failed_reach_the_diagnosis() -> None:
    def refusing(_: Change) -> Profile:
        raise UsageError("cannot be compiled", "here", "there")

    found = diagnose(observation(NHWC), observation(NCHW), setting(resimulate=refusing))
    assert "cannot simulate --optypelayout undone: cannot be compiled" in found.notes
    assert found.fixes == tuple(fix for fix in found.fixes if fix.after is None)


def test_a_version_of_the_machine_is_told_and_never_simulated() -> None:
    old, new = observation(NHWC), observation(NHWC)
    record = msgspec.structs.replace(new.record, context={"onnx": "9"})
    other = Observation(record=record, profile=profile_of(NCHW))
    taken: list[DifferenceKind] = []

    def resimulate(change: Change) -> Profile:
        taken.extend(item.kind for item in change.taken)
        return profile_of(NCHW)

    found = diagnose(old, other, setting(resimulate=resimulate))
    assert DifferenceKind.CONTEXT not in taken
    assert [item.name for item in found.without_effect] == ["onnx"]
