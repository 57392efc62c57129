"""The diagnosis of one benchmark: the order of evidence, nothing else.

Configuration, then what the compiler and the machine did with it, then the counterfactuals that decide.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from perfgate.core.diagnosis import Cause, Diagnosis, Focus
from perfgate.diagnose.amounts import UNITS, amount_of, attribute_amount
from perfgate.diagnose.attribute import attribute_latency
from perfgate.diagnose.causes import draft_causes
from perfgate.diagnose.confidence import Calibration, Features, confidence, shipped_calibration
from perfgate.diagnose.config_diff import differences
from perfgate.diagnose.fixes import Proposal, all_together, simulate_fixes
from perfgate.diagnose.guardrail_line import guardrail_for
from perfgate.diagnose.limits import shipped_limits
from perfgate.diagnose.matched import match_operators
from perfgate.diagnose.opportunities import opportunities
from perfgate.diagnose.rules.registry import RULES
from perfgate.diagnose.scope_delta import regressed_scope
from perfgate.diagnose.signals import Signals
from perfgate.diagnose.stage_view import stage_opportunities
from perfgate.diagnose.what_if import Simulations, interaction, undo_each

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from perfgate.core.diagnosis import Attribution, Fix, MetricDelta
    from perfgate.core.difference import Difference
    from perfgate.core.execution_profile import Profile
    from perfgate.core.record import Record
    from perfgate.diagnose.causes import Draft
    from perfgate.diagnose.signals import Matched, Undone
    from perfgate.diagnose.suspect import Limits, Suspect
    from perfgate.diagnose.what_if import Resimulate

LEAST_RECOVERED = 0.05  # of the delta: a difference that brings back less explains nothing
_STEPS = 6  # of the order of evidence
_PS_PER_SECOND = 1e12
_TIMES = frozenset({Focus.LATENCY, Focus.TAIL})


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """One side: its record, its profile where there is one, and the commit it was made at ("" unknown)."""

    record: Record
    profile: Profile | None = None
    revision: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What a diagnosis takes besides the two sides.

    `metrics`: the gate's answers, which a diagnosis does not judge again. `suite`: ratio after over before of
    other benchmarks. `resimulate` None: gains are estimated, confidence is capped. `guarded`: the guardrail
    target of the compile command.
    """

    focus: Focus = Focus.LATENCY
    resimulate: Resimulate | None = None
    metrics: tuple[MetricDelta, ...] = ()
    suite: Mapping[str, float] | None = None
    guarded: str = "atc_convert"
    limits: Mapping[str, Limits] = field(default_factory=shipped_limits)
    calibration: Calibration = field(default_factory=shipped_calibration)
    clock: Callable[[], float] = time.process_time  # a busy machine must not change the answer


def diagnose(before: Observation | None, after: Observation, setting: Setting) -> Diagnosis:
    """Explain what makes the after side slower than the before side, or what holds it back (no before side).

    Raises:
        ArithmeticError: parts of the attribution do not sum to the total; a fault of a profile or of ours.
    """
    return _Diagnosing(before, after, setting).run()


class _Diagnosing:
    """One diagnosis on its way through the steps."""

    def __init__(self, before: Observation | None, after: Observation, setting: Setting) -> None:
        self.before, self.after, self.setting = before, after, setting
        self.notes: list[str] = []
        self.differences = () if before is None else differences(before.record, after.record)
        has_profiles = after.profile is not None and (before is None or before.profile is not None)
        self.simulations = (
            Simulations(setting.resimulate, setting.focus, setting.clock)
            if setting.resimulate is not None and has_profiles
            else None
        )

    def run(self) -> Diagnosis:
        """All steps, in order."""
        if self.after.profile is None or (self.before is not None and self.before.profile is None):
            return self._without_profile()
        profile = self.after.profile
        old = None if self.before is None else self.before.profile
        matched, coverage = ((), 1.0) if old is None else match_operators(old, profile)
        amounts = (
            0 if old is None else amount_of(old, self.setting.focus),
            amount_of(profile, self.setting.focus),
        )
        attribution = None if old is None else self._attribute(old, profile, matched)
        undone = self._undo(amounts)
        signals = self._signals(profile, matched, amounts, undone)
        suspects, not_applicable = self._suspects(signals)
        drafts = draft_causes(suspects, undone, self._blame(suspects, undone, amounts))
        causes = self._causes(drafts, attribution, coverage, signals)
        fixes = self._fixes(drafts, amounts)
        return self._diagnosis(
            amount=amounts[1],
            scope=None if old is None else regressed_scope(old, profile),
            attribution=attribution,
            causes=causes,
            without_effect=self._without_effect(causes, undone),
            fixes=fixes,
            together=all_together(fixes, self.simulations),
            guardrail=guardrail_for(causes, self.setting.guarded),
            interaction=interaction(undone, amounts, self.simulations) if self.simulations else "",
            coverage=coverage,
            not_applicable=not_applicable,
        )

    def _attribute(self, old: Profile, new: Profile, matched: Sequence[Matched]) -> Attribution:
        if self.setting.focus not in _TIMES:
            return attribute_amount(old, new, matched, self.setting.focus)
        gate = next((item for item in self.setting.metrics if item.metric.name == "latency"), None)
        if gate is None:
            return attribute_latency(old, new, matched, (old.application.total_ps, new.application.total_ps))
        picoseconds = round(gate.before * _PS_PER_SECOND), round(gate.after * _PS_PER_SECOND)
        return attribute_latency(old, new, matched, picoseconds)

    def _undo(self, amounts: tuple[int, int]) -> tuple[Undone, ...]:
        if self.simulations is None or self.before is None:
            return ()
        return undo_each(self.differences, amounts, self.simulations)

    def _signals(
        self,
        profile: Profile,
        matched: tuple[Matched, ...],
        amounts: tuple[int, int],
        undone: tuple[Undone, ...],
    ) -> Signals:
        return Signals(
            before=None if self.before is None else self.before.profile,
            after=profile,
            matched=matched,
            differences=self.differences,
            undone=undone,
            focus=self.setting.focus,
            amount=amounts[1],
            delta=amounts[1] - amounts[0],
            suite=self.setting.suite,
            is_simulated=self.simulations is not None,
        )

    def _suspects(self, signals: Signals) -> tuple[list[Suspect], dict[str, str]]:
        """Matches of all rules, and the rules that could not look, with the signal they miss."""
        suspects: list[Suspect] = []
        missing: dict[str, str] = {}
        if signals.before is not None and signals.delta <= 0:
            return [], {}  # nothing got worse, so nothing is to blame
        for rule in RULES:
            absent = sorted(rule.needs - signals.present)
            if absent:
                missing[rule.id] = ", ".join(absent)
            else:
                suspects += rule.match(signals, self.setting.limits.get(rule.id, {}))
        return suspects, missing

    def _blame(
        self, suspects: Sequence[Suspect], undone: Sequence[Undone], amounts: tuple[int, int]
    ) -> dict[int, Difference]:
        """The difference with which each suspect goes away: its rule no longer names its operator."""
        blamed: dict[int, Difference] = {}
        if self.before is None or self.before.profile is None:
            return blamed
        effective = [item for item in undone if item.recovered >= LEAST_RECOVERED]
        for item in sorted(effective, key=lambda each: -each.recovered):
            matched, _ = match_operators(self.before.profile, item.profile)
            left = amounts[0], item.amount
            still = self._suspects(self._signals(item.profile, matched, left, ()))[0]
            stays = {_identity(suspect) for suspect in still}
            for position, suspect in enumerate(suspects):
                if position not in blamed and _identity(suspect) not in stays:
                    blamed[position] = item.difference
        return blamed

    def _causes(
        self,
        drafts: Sequence[Draft],
        attribution: Attribution | None,
        coverage: float,
        signals: Signals,
    ) -> tuple[Cause, ...]:
        whole = signals.delta if self.before is not None else signals.amount
        shares = [draft.lead.cost / whole if whole else 0.0 for draft in drafts]
        causes = []
        for position, draft in enumerate(drafts):
            rest = shares[position + 1] if position + 1 < len(drafts) else 0.0
            features = Features(
                recovered=shares[position],
                gap=max(0.0, shares[position] - rest) if position == 0 else 0.0,
                residual=0.0 if attribution is None else min(1.0, attribution.residual_share),
                steps=len({piece.step for piece in draft.evidence}) / _STEPS,
                coverage=coverage,
                is_proven=draft.proof is not None,
            )
            stated, frequency = confidence(features, self.setting.calibration)
            causes.append(
                Cause(
                    rule=draft.lead.rule,
                    sentence=draft.sentence,
                    operator=draft.operator,
                    difference=draft.lead.difference,
                    evidence=draft.evidence,
                    cost=draft.lead.cost,
                    proof=draft.proof,
                    confidence=stated,
                    frequency=frequency,
                    features=features.named(),
                    rules=tuple(dict.fromkeys(item.rule for item in draft.explains)),
                )
            )
        return tuple(causes)

    def _fixes(self, drafts: Sequence[Draft], amounts: tuple[int, int]) -> tuple[Fix, ...]:
        subject = self.after.record.subject
        proposals = [
            Proposal(remedy=remedy, cause=position)
            for position, draft in enumerate(drafts)
            for suspect in (draft.lead, *draft.explains)
            for remedy in suspect.remedies
        ]
        if self.simulations is not None and (drafts or self.before is None):
            stages = () if self.after.profile is None else self.after.profile.stages
            changed = {item.name for item in self.differences}  # going back is their fix
            found = (
                stage_opportunities(stages, changed)
                if stages
                else opportunities(subject.compile, subject.runtime)
            )
            proposals += [Proposal(remedy=remedy) for remedy in found]
        return simulate_fixes(proposals, amounts, self.simulations)

    def _without_effect(self, causes: Sequence[Cause], undone: Sequence[Undone]) -> tuple[Difference, ...]:
        if self.simulations is None:
            acting = {cause.difference for cause in causes}
        else:
            acting = {item.difference for item in undone if item.recovered >= LEAST_RECOVERED}
        return tuple(item for item in self.differences if item not in acting)

    def _without_profile(self) -> Diagnosis:
        """A record alone says what changed, not what it did."""
        side = "baseline" if self.after.profile is not None else "measurement"
        self.notes.append(
            f"the {side} has no profile: what changed is listed, where the time went cannot be told"
        )
        return self._diagnosis(without_effect=self.differences)

    def _diagnosis(self, **found: Any) -> Diagnosis:  # noqa: ANN401 - fields of the value
        simulations = self.simulations
        notes = (*self.notes, *(() if simulations is None else simulations.notes))
        return Diagnosis(
            benchmark=self.after.record.benchmark,
            device=self.after.record.device,
            focus=self.setting.focus,
            unit=UNITS[self.setting.focus],
            before="" if self.before is None else self.before.revision,
            after=self.after.revision,
            metrics=self.setting.metrics,
            simulations=0 if simulations is None else simulations.count,
            notes=tuple(dict.fromkeys(notes)),
            **found,
        )


def _identity(suspect: Suspect) -> tuple[str, int]:
    return suspect.rule, -1 if suspect.operator is None else suspect.operator.number
