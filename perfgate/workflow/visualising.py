"""`perfgate visualize`: two profiles, or a benchmark on both sides of a change, as one page."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from perfgate.baseline.revision import find_base
from perfgate.baseline.store import decode_record
from perfgate.core.errors import UsageError
from perfgate.core.machine import SIMULATED
from perfgate.report.html.largest import keep_largest
from perfgate.report.html.material import Material, pair_operators
from perfgate.workflow.baseline_history import BaselineFile, baseline_history
from perfgate.workflow.blame import Span
from perfgate.workflow.diagnosing import DiagnoseRequest, diagnose_pairs
from perfgate.workflow.diagnosis_file import read_diagnosis
from perfgate.workflow.diagnosis_side import TreeSides
from perfgate.workflow.explaining import commit_sides
from perfgate.workflow.measuring import PROFILE_SUFFIX
from perfgate.workflow.page_files import require_bokeh, write_page
from perfgate.workflow.profile_file import read_profile
from perfgate.workflow.recording import open_tree
from perfgate.workflow.suites import select

if TYPE_CHECKING:
    from pathlib import Path

    from perfgate.core.diagnosis import Diagnosis
    from perfgate.core.record import Record
    from perfgate.workflow.diagnosis_side import DiagnosisSide
    from perfgate.workflow.worktree import WorkTree

_ARTEFACT = "perfgate record --profile"


@dataclass(frozen=True, slots=True, kw_only=True)
class VisualiseRequest:
    """What a user asks. `profiles` are one or two files; without them a benchmark is measured on both sides.

    `diagnose` says what is measured, and how: selection, base, seed. `diagnosis` is a file of
    `perfgate diagnose --json`; without it a measured pair is diagnosed here.
    """

    output: Path
    profiles: tuple[Path, ...]
    diagnosis: Path | None
    diagnose: DiagnoseRequest


def visualise(request: VisualiseRequest) -> Material:
    """Write the page; what it was made of.

    Raises:
        PerfgateError: Bokeh is missing, a file cannot be used or written, or no single benchmark is meant.
    """
    require_bokeh("perfgate visualize")
    material = _of_files(request) if request.profiles else _of_tree(request)
    if request.diagnosis is not None:
        material = replace(material, diagnosis=_diagnosis(request.diagnosis, material))
    write_page(request.output, material)
    return material


def _of_files(request: VisualiseRequest) -> Material:
    paths = request.profiles
    profiles = [read_profile(path) for path in paths]
    records = [_record_beside(path) for path in paths]
    before = profiles[0] if len(profiles) > 1 else None
    after, record = profiles[-1], records[-1]
    return Material(
        benchmark=paths[-1].name.removesuffix(PROFILE_SUFFIX) if record is None else record.benchmark,
        device=after.device,
        before=before,
        after=after,
        diagnosis=None,
        operators=keep_largest(pair_operators(None if before is None else before.operators, after.operators)),
        records=(records[0] if before is not None else None, record),
    )


def _record_beside(path: Path) -> Record | None:
    """The record that a profile was written beside."""
    file = path.with_name(f"{path.name.removesuffix(PROFILE_SUFFIX)}.json")
    if not path.name.endswith(PROFILE_SUFFIX) or not file.is_file():
        return None
    return decode_record(file.read_bytes(), str(file))


def _of_tree(request: VisualiseRequest) -> Material:
    """The one selected benchmark, as the base commit and as the working tree give it."""
    asked = request.diagnose
    tree = open_tree(asked.options.root)
    if tree.repository is None:
        raise UsageError(
            "no git repository", str(asked.options.root), "run it inside one, or name two profiles"
        )
    now = TreeSides(tree, "", seed=asked.options.seed)
    key = _only_one(now, asked)
    base = find_base(tree.repository, asked.options.base, asked.environment)
    after = now.measured(key)
    with commit_sides(tree, base.commit, asked.options.seed) as sides:
        if sides.benchmark(key) is None:
            new = material_of(None, after, notes=(f"new: {base.short} has no benchmark {key}",))
            return with_history(new, tree, asked.options.baselines)
        before = sides.measured(key)
        found = diagnose_pairs({key: (before, after)}, asked, Span(tree=tree, base=base.commit))
    verdict = next((str(item.verdict) for item in found.verdicts if item.key == key), "")
    diagnosis = found.diagnoses[0] if found.diagnoses else None
    made = material_of(before, after, diagnosis=diagnosis, verdict=verdict, notes=found.notes)
    return with_history(made, tree, asked.options.baselines)


def with_history(material: Material, tree: WorkTree, folder: str, revision: str = "HEAD") -> Material:
    """The material with the accepted baselines of the benchmark's past, as of a revision."""
    if tree.repository is None:
        return material
    file = BaselineFile(
        repository=tree.repository,
        prefix=tree.prefix,
        folder=folder,
        benchmark=material.benchmark,
        device=material.device,
    )
    found = baseline_history(file, revision)
    return replace(material, history=found.points, notes=(*material.notes, *found.notes))


def _only_one(sides: TreeSides, asked: DiagnoseRequest) -> str:
    """The benchmark that is meant; a page shows one."""
    chosen = select(sides.benchmarks, expression=asked.expression, devices=asked.options.devices)
    if len(chosen) > 1:
        keys = ", ".join(item.key for item in chosen[:8])
        raise UsageError(
            f"{len(chosen)} benchmarks are selected, and a page shows one", keys, "choose by -k and --device"
        )
    if chosen[0].backend != SIMULATED:
        remedy = "record profiles on both sides and name the two files"
        raise UsageError(f"{chosen[0].key} runs code, which a commit's files alone cannot", "-k", remedy)
    return chosen[0].key


def material_of(
    before: DiagnosisSide | None,
    after: DiagnosisSide,
    *,
    diagnosis: Diagnosis | None = None,
    verdict: str = "",
    notes: tuple[str, ...] = (),
) -> Material:
    """The material of two sides.

    Raises:
        UsageError: the benchmark has no profile.
    """
    record, profile = after.observation.record, after.observation.profile
    if profile is None:
        raise UsageError(f"{record.key} has no profile", record.backend, "choose a simulated benchmark")
    old = None if before is None else before.observation.profile
    return Material(
        benchmark=record.benchmark,
        device=record.device,
        before=old,
        after=profile,
        diagnosis=diagnosis,
        operators=keep_largest(pair_operators(None if old is None else old.operators, profile.operators)),
        records=(None if before is None else before.observation.record, record),
        verdict=verdict,
        notes=(*notes, *(() if before is None else before.notes), *after.notes),
    )


def _diagnosis(path: Path, material: Material) -> Diagnosis:
    """The diagnosis of the page's benchmark; another one's would be drawn on the wrong operators."""
    return read_diagnosis(path, f"{material.benchmark}[{material.device}]").diagnosis
