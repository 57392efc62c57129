"""`perfgate optimize`: from a diagnosis to a plan on disk, its application, and the way back."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from perfgate.baseline.revision import open_repository, resolve
from perfgate.core.errors import UnusableError, UsageError
from perfgate.diagnose.amounts import METRICS
from perfgate.plan.application import apply_plan, roll_back
from perfgate.plan.choice import choose
from perfgate.plan.config_documents import PlannedEdits, layout_config
from perfgate.plan.disk import RealDisk
from perfgate.plan.journal import BACKUPS, read_journal
from perfgate.plan.package import TREE, Origin, build_plan, read_plan
from perfgate.plan.setting_edit import Ground
from perfgate.workflow.drafted_tree import DraftedTree
from perfgate.workflow.measuring import Measurer
from perfgate.workflow.policies import file_of_tree, with_suites
from perfgate.workflow.suites import find_suites
from perfgate.workflow.whole_file import write_file
from perfgate.workflow.worktree import WorkTree

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from git import Repo

    from perfgate.core.diagnosis import Diagnosis
    from perfgate.core.execution_profile import Profile
    from perfgate.measure.benchmark import Benchmark
    from perfgate.plan.config_documents import LayoutConfig
    from perfgate.plan.manifest import FilePlan, Manifest
    from perfgate.plan.package import Plan
    from perfgate.workflow.diagnosis_file import DiagnosisFile

OUTPUT = Path("optimization_plan")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRequest:
    """What the user asks for: the repository, where the plan goes, and fixes to add by number."""

    root: Path
    output: Path
    include: tuple[int, ...] = ()


def make_plan(request: PlanRequest, file: DiagnosisFile) -> Plan:
    """The plan of a diagnosis for the working tree; nothing is written.

    Raises:
        UsageError: a suite cannot be read, or `include` names no fix.
        UnusableError: the policy cannot be used.
    """
    tree = _tree(request.root)
    benchmarks = [item for items in find_suites(tree).values() for item in items]
    diagnosis = file.diagnosis
    least = _least_gain(tree, benchmarks, diagnosis)
    origin = Origin(
        diagnosis_sha256=file.sha256,
        folder=request.output.as_posix(),
        commit_of=lambda plans: _commit_of(tree, plans),
        simulate=_simulator(tree, diagnosis.key),
        least_gain=least,
    )
    choices = choose(diagnosis, least, request.include)
    return build_plan(ground_of(tree, benchmarks, diagnosis), diagnosis, choices, origin)


def flags_of(plan: Plan) -> LayoutConfig:
    """What `--flags-only` prints."""
    edits = tuple((item.path, edit) for item in plan.manifest.files for edit in item.edits)
    return layout_config(PlannedEdits(edits=edits, files={}))


def write_plan(request: PlanRequest, plan: Plan) -> None:
    """Write the plan's folder; an older plan in it is replaced.

    Raises:
        UsageError: the folder holds something else, or a plan that is applied; or it cannot be written.
    """
    folder = request.output
    if folder.is_dir():
        _refuse_others(folder)
        _refuse_applied(request)
    for name, data in plan.documents.items():
        write_file(folder / name, data)


def _refuse_others(folder: Path) -> None:
    """What a plan consists of is written over, also when an earlier run left only a part of it."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix().removesuffix(".part")
        if not path.is_dir() and name not in TREE:
            raise UsageError("the folder holds other files than a plan", str(path), "name another with -o")


def _refuse_applied(request: PlanRequest) -> None:
    """The manifest of an applied plan has to stay: it is the way back."""
    try:
        old = read_folder(request.output)
    except UsageError:
        return  # no plan that could be applied
    if read_journal(RealDisk(request.root), old.id) is not None:
        where = str(request.output)
        raise UsageError("the plan there is applied", where, "roll it back first, or name another with -o")


def read_folder(folder: Path) -> Manifest:
    """The manifest of a plan's folder, all of whose files are as they were written.

    Raises:
        UsageError: there is no plan, or it was changed.
    """

    def read(name: str) -> bytes | None:
        path = folder / PurePosixPath(name)
        return path.read_bytes() if path.is_file() else None

    return read_plan(read, str(folder))


def apply_folder(request: PlanRequest, file: DiagnosisFile | None) -> tuple[Manifest, tuple[str, ...]]:
    """Apply the plan of a folder; with a diagnosis and no folder the plan is made first.

    Raises:
        UsageError: the plan was changed, is of another diagnosis, or of files that have changed since.
    """
    if file is not None and not request.output.exists():
        write_plan(request, make_plan(request, file))
    manifest = read_folder(request.output)
    if file is not None and manifest.diagnosis_sha256 != file.sha256:
        remedy = "write it again, or leave --diagnosis out"
        raise UsageError("the plan is of another diagnosis", str(request.output), remedy)
    return manifest, apply_plan(RealDisk(request.root), manifest)


def roll_back_folder(root: Path, folder: Path) -> tuple[str, tuple[str, ...]]:
    """Roll back the plan of a folder, or of a folder below `.perfgate/backup`; its id and the files.

    Raises:
        UsageError: the plan is not applied, or a file has been changed since.
    """
    disk = RealDisk(root)
    backups = (root / BACKUPS).resolve()
    plan = folder.name if folder.resolve().parent == backups else read_folder(folder).id
    if read_journal(disk, plan) is None:
        roll_back(disk, plan)  # what an application left that was killed before it had changed anything
        raise UsageError("the plan is not applied", str(folder), "there is nothing to roll back")
    return plan, roll_back(disk, plan)


def _tree(root: Path) -> WorkTree:
    try:
        return WorkTree(root, open_repository(root))
    except UnusableError:
        return WorkTree(root, None)


def _simulator(tree: WorkTree, key: str) -> Callable[[Mapping[str, bytes]], Profile | None]:
    """Simulates drafts, the same ones once."""
    known: dict[tuple[tuple[str, bytes], ...], Profile | None] = {}

    def simulate(drafts: Mapping[str, bytes]) -> Profile | None:
        content = tuple(sorted(drafts.items()))
        if content not in known:
            known[content] = _simulated(tree, key, drafts)
        return known[content]

    return simulate


def _simulated(tree: WorkTree, key: str, drafts: Mapping[str, bytes]) -> Profile | None:
    """The benchmark's profile with the drafts in place; None for one that no suite has, or a timed one.

    Raises:
        UsageError: a suite, or what the benchmark is made of, cannot be used with the drafts.
    """
    drafted = DraftedTree(tree, drafts)
    benchmarks = [item for items in find_suites(drafted).values() for item in items]
    benchmark = next((item for item in benchmarks if item.key == key), None)
    if benchmark is None:
        return None
    found = Measurer(drafted, seed=0, runs=None).simulation_input(benchmark)
    return None if found is None else found.profile()


def _least_gain(tree: WorkTree, benchmarks: list[Benchmark], diagnosis: Diagnosis) -> float:
    today = dt.datetime.now(dt.UTC).date()
    policy = with_suites(file_of_tree(tree, today), benchmarks)
    return policy.for_metric(diagnosis.key, METRICS[diagnosis.focus]).min_effect


def ground_of(tree: WorkTree, benchmarks: list[Benchmark], diagnosis: Diagnosis) -> Ground:
    """The repository as a plan for this diagnosis sees it."""
    commit = "" if tree.repository is None else resolve(tree.repository, diagnosis.before or "") or ""
    return Ground(
        read=tree.read,
        read_before=lambda path: _content_at(tree, commit, path),
        benchmark=next((item for item in benchmarks if item.key == diagnosis.key), None),
        files={},
    )


def _content_at(tree: WorkTree, commit: str, path: str) -> bytes | None:
    """A file of a commit; None where it holds no plain file of that path."""
    repository: Repo | None = tree.repository
    if repository is None or not commit:
        return None
    try:
        blob = repository.commit(commit).tree[f"{tree.prefix}/{path}" if tree.prefix else path]
    except KeyError:
        return None
    return bytes(blob.data_stream.read()) if blob.type == "blob" else None


def _commit_of(tree: WorkTree, plans: tuple[FilePlan, ...]) -> str:
    """The checked-out commit, if it holds every planned file as it is in the working tree."""
    if tree.repository is None:
        return ""
    head = resolve(tree.repository, "HEAD") or ""
    for plan in plans:
        data = _content_at(tree, head, plan.path)
        if data is None or sha256(data).hexdigest() != plan.before_sha256:
            return ""
    return head
