"""The plan as a set of files: exactly this tree, always complete."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from perfgate.core.errors import UsageError
from perfgate.core.units import percent
from perfgate.diagnose.amounts import METRICS, amount_of
from perfgate.plan.choice import gain
from perfgate.plan.config_documents import (
    CONVERT,
    LAYOUT,
    PIPELINE,
    RUNTIME,
    PlannedEdits,
    config_documents,
)
from perfgate.plan.draft import Yardstick, with_fixes
from perfgate.plan.manifest import LeftOut, Manifest, PlannedFix, sha256, tampered, with_id
from perfgate.plan.prediction import Prediction, prediction_of
from perfgate.plan.rollback_page import ROLLBACK, read_page, rollback_page
from perfgate.plan.validation_script import VALIDATION, validation_script

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from perfgate.core.diagnosis import Diagnosis
    from perfgate.core.execution_profile import Profile
    from perfgate.plan.choice import Choice
    from perfgate.plan.draft import Draft
    from perfgate.plan.manifest import FilePlan
    from perfgate.plan.setting_edit import Ground

DOCUMENTS = frozenset({CONVERT, LAYOUT, RUNTIME, PIPELINE, VALIDATION})
TREE = DOCUMENTS | {ROLLBACK}
SAME_GAIN = 0.01  # of now: a difference that no gate would call


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a plan comes from and goes to.

    `commit_of` gives the commit that holds the files as they are, or "". `simulate` gives the profile of the
    benchmark with drafts of files, None where it cannot be simulated. `least_gain` is a share of now.
    """

    diagnosis_sha256: str
    folder: str
    commit_of: Callable[[tuple[FilePlan, ...]], str]
    simulate: Callable[[Mapping[str, bytes]], Profile | None]
    least_gain: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The manifest, and the content of each file of the plan by its place in the folder."""

    manifest: Manifest
    documents: Mapping[str, bytes]


def build_plan(ground: Ground, diagnosis: Diagnosis, choices: tuple[Choice, ...], origin: Origin) -> Plan:
    """Put the chosen fixes into drafts of the repository's files and write down what that takes."""
    draft, answers = with_fixes(ground, choices, _yardstick(diagnosis, origin))
    taken = tuple(choice for choice in answers if not choice.reason)
    plans = draft.plans()
    prediction = _prediction(diagnosis, taken, draft, origin)
    manifest = with_id(
        Manifest(
            benchmark=diagnosis.benchmark,
            device=diagnosis.device,
            metric=METRICS[diagnosis.focus],
            unit=diagnosis.unit,
            prediction=prediction,
            commit=origin.commit_of(plans),
            folder=origin.folder,
            diagnosis_sha256=origin.diagnosis_sha256,
            files=plans,
            fixes=tuple(_planned(diagnosis, choice) for choice in taken),
            left_out=tuple(
                LeftOut(number=choice.number, title=choice.fix.title, reason=choice.reason)
                for choice in answers
                if choice.reason
            ),
            notes=_notes(diagnosis, taken, prediction),
        )
    )
    edits = PlannedEdits(edits=draft.edits, files=draft.files)
    documents = config_documents(ground, edits)
    documents[VALIDATION] = validation_script(manifest).encode()
    digests = {name: sha256(data) for name, data in documents.items()}
    manifest = msgspec.structs.replace(manifest, documents=digests)
    return Plan(
        manifest=manifest,
        documents={**documents, ROLLBACK: rollback_page(manifest).encode("utf-8", "surrogateescape")},
    )


def _yardstick(diagnosis: Diagnosis, origin: Origin) -> Yardstick:
    def amount(drafts: Mapping[str, bytes]) -> int | None:
        profile = origin.simulate(drafts)
        return None if profile is None else amount_of(profile, diagnosis.focus)

    return Yardstick(amount=amount, least=origin.least_gain)


def _prediction(diagnosis: Diagnosis, taken: tuple[Choice, ...], draft: Draft, origin: Origin) -> Prediction:
    """By simulating the files as they are and as planned; else what the diagnosis says."""
    if not taken:
        return Prediction(now=diagnosis.amount or None)
    now = origin.simulate({})
    planned = None if now is None else origin.simulate(draft.files)
    if now is not None and planned is not None:
        return prediction_of(diagnosis, now, planned)
    return Prediction(now=diagnosis.amount or None, planned=_promised(diagnosis, taken))


def _promised(diagnosis: Diagnosis, taken: tuple[Choice, ...]) -> int | None:
    """One fix: its own amount; all simulated ones: that of all together; another set was not simulated."""
    if len(taken) == 1:
        return taken[0].fix.after
    simulated = {number for number, fix in enumerate(diagnosis.fixes, 1) if fix.after is not None}
    return diagnosis.together if {choice.number for choice in taken} == simulated else None


def _notes(diagnosis: Diagnosis, taken: tuple[Choice, ...], prediction: Prediction) -> tuple[str, ...]:
    """Where the planned files do not give what the diagnosis promised, both are said."""
    promised = gain(diagnosis, _promised(diagnosis, taken))
    if promised is None or prediction.gain is None or abs(promised - prediction.gain) < SAME_GAIN:
        return ()
    shown = f"{percent(-promised)} was promised, the planned files simulate to {percent(-prediction.gain)}"
    return (f"the repository is not as it was diagnosed: {shown}",)


def _planned(diagnosis: Diagnosis, choice: Choice) -> PlannedFix:
    fix = choice.fix
    return PlannedFix(
        number=choice.number,
        title=fix.title,
        severity=str(fix.severity),
        risk=fix.risk,
        after=fix.after,
        gain=gain(diagnosis, fix.after),
    )


def read_plan(read: Callable[[str], bytes | None], where: str) -> Manifest:
    """The manifest of a plan's folder, all of whose files are as they were written.

    Raises:
        UsageError: a file is missing or was changed.
    """
    page = read(ROLLBACK)
    if page is None:
        raise UsageError(f"there is no {ROLLBACK}", where, "name the folder that `perfgate optimize` wrote")
    manifest = read_page(page.decode("utf-8", "surrogateescape"), f"{where}/{ROLLBACK}")
    if manifest.documents.keys() != DOCUMENTS:
        raise tampered(f"{where}/{ROLLBACK}")
    for name, digest in sorted(manifest.documents.items()):
        data = read(name)
        if data is None or sha256(data) != digest:
            raise tampered(f"{where}/{name}")
    return manifest
