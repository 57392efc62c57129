"""The two sides of a diagnosis: what was measured of a benchmark in a tree, or stands in record files."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import msgspec

from perfgate.core.errors import PerfgateError, UsageError
from perfgate.diagnose.engine import Observation
from perfgate.diagnose.summary_profile import profile_of_summary
from perfgate.workflow.measuring import PROFILE_SUFFIX, Measurer, read_records
from perfgate.workflow.profile_file import profile_beside
from perfgate.workflow.suites import find_suites

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from perfgate.core.execution_profile import Profile
    from perfgate.core.record import Record
    from perfgate.measure.benchmark import Benchmark
    from perfgate.measure.simulation_input import SimulationInput
    from perfgate.workflow.worktree import Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagnosisSide:
    """One side; `simulation` None: it cannot be simulated again here. `notes` say what stands for it."""

    observation: Observation
    simulation: SimulationInput | None = None
    notes: tuple[str, ...] = ()


class TreeSides:
    """Sides out of one tree: a working tree, or the files of a commit."""

    def __init__(self, tree: Tree, revision: str, *, seed: int = 0, runs: int | None = None) -> None:
        self._measurer = Measurer(tree, seed=seed, runs=runs)
        self._benchmarks = {item.key: item for items in find_suites(tree).values() for item in items}
        self._revision = revision

    @property
    def benchmarks(self) -> tuple[Benchmark, ...]:
        """All benchmarks of the tree's suites."""
        return tuple(self._benchmarks.values())

    def benchmark(self, key: str) -> Benchmark | None:
        """The benchmark of the tree, if it has one of that name."""
        return self._benchmarks.get(key)

    def measured(self, key: str) -> DiagnosisSide:
        """The side as this tree measures it.

        Raises:
            UsageError: the tree has no such benchmark, or it cannot be measured.
        """
        benchmark = self._known(key)
        return self.of_record(self._measurer.measure(benchmark))

    def of_record(self, record: Record) -> DiagnosisSide:
        """The side of a record that was measured in this tree.

        Raises:
            UsageError: the tree has no such benchmark, or a file of it cannot be read.
        """
        benchmark = self._known(record.key)
        profile = self._measurer.profile(benchmark) or profile_of_summary(record)
        return DiagnosisSide(
            observation=Observation(record=record, profile=profile, revision=self._revision),
            simulation=self._measurer.simulation_input(benchmark),
        )

    def of_baseline(self, baseline: Record) -> DiagnosisSide:
        """The side of a baseline: this tree's model and files with the settings that the baseline recorded.

        A baseline whose model is not this tree's has only the summary of its profile.
        """
        try:
            simulation = self._with_settings(baseline)
            profile = None if simulation is None else simulation.profile()
        except PerfgateError as problem:
            return _from_summary(
                baseline, self._revision, f"the baseline cannot be simulated: {problem.what}"
            )
        if profile is None:
            return _from_summary(baseline, self._revision, "")
        off = sorted(
            name for name, value in baseline.exact.items() if profile.exact.get(name, value) != value
        )
        if off:
            note = f"the base's files give another {off[0]} than its baseline holds: the baseline is older"
            return DiagnosisSide(
                observation=Observation(record=baseline, profile=profile, revision=self._revision),
                simulation=simulation,
                notes=(note,),
            )
        return DiagnosisSide(
            observation=Observation(record=baseline, profile=profile, revision=self._revision),
            simulation=simulation,
        )

    def _with_settings(self, record: Record) -> SimulationInput | None:
        """What the record was simulated from, if this tree has its model.

        Raises:
            PerfgateError: the tree cannot give it.
        """
        benchmark = self._known(record.key)
        found = self._measurer.simulation_input(benchmark)
        if found is None:
            return None
        if model_digest(found) != record.subject.model_digest:
            raise UsageError("its model is another one than the base's", record.subject.model, "")
        request = msgspec.structs.replace(
            found.request,
            compile=record.subject.compile,
            runtime=record.subject.runtime,
            pipeline=record.subject.pipeline,
        )
        return replace(found, request=request)

    def _known(self, key: str) -> Benchmark:
        benchmark = self._benchmarks.get(key)
        if benchmark is None:
            known = ", ".join(sorted(self._benchmarks)[:5]) or "none"
            raise UsageError(f"no benchmark {key}", self._revision or "suites", f"choose from {known}")
        return benchmark


def sides_of_files(path: Path, here: TreeSides | None) -> Mapping[str, DiagnosisSide]:
    """Sides of record files below a folder, or of one file, by key; profiles lie beside them.

    `here` gives what is needed to simulate again, where its model is the one that was recorded.

    Raises:
        UsageError: nothing is there.
        UnusableError: a record or a profile cannot be used.
    """
    found = {}
    for key, (record, profile) in _read(path).items():
        side = DiagnosisSide(
            observation=Observation(
                record=record,
                profile=profile or profile_of_summary(record),
                revision=record.provenance.commit[:7],
            ),
            notes=() if profile is not None else (_summary_note(record),),
        )
        if here is not None and here.benchmark(key) is not None:
            side = _simulated_again(side, here.of_baseline(record))
        found[key] = side
    return found


def _simulated_again(side: DiagnosisSide, again: DiagnosisSide) -> DiagnosisSide:
    """The side with what simulates it here, unless that gives other numbers than were recorded."""
    if again.simulation is None:
        return side
    if again.notes:
        note = "cannot be simulated again: the files here give other numbers than the record holds"
        return replace(side, notes=(*side.notes, f"{side.observation.record.key} {note}"))
    return replace(again, observation=replace(again.observation, revision=side.observation.revision))


def _read(path: Path) -> dict[str, tuple[Record, Profile | None]]:
    if path.is_file():
        from perfgate.baseline.store import decode_record  # noqa: PLC0415 - only here

        record = decode_record(path.read_bytes(), str(path))
        return {record.key: (record, profile_beside(path.with_name(f"{path.stem}{PROFILE_SUFFIX}")))}
    from perfgate.baseline.slug import baseline_path  # noqa: PLC0415 - the same

    found = {}
    for key, record in read_records(path).items():
        file = path / baseline_path(record.benchmark, record.device)
        found[key] = (record, profile_beside(file.with_name(f"{file.stem}{PROFILE_SUFFIX}")))
    return found


def model_digest(simulation: SimulationInput) -> str:
    """As a record keeps it."""
    return hashlib.sha256(simulation.request.model).hexdigest()


def _from_summary(record: Record, revision: str, reason: str) -> DiagnosisSide:
    profile = profile_of_summary(record)
    notes = [reason] if reason else []
    if profile is not None:
        notes.append(_summary_note(record))
    return DiagnosisSide(
        observation=Observation(record=record, profile=profile, revision=revision), notes=tuple(notes)
    )


def _summary_note(record: Record) -> str:
    if record.profile is None:
        return f"the record of {record.key} has no profile"
    return "operators of the baseline under 0.1 % of the time are not told apart: it keeps a summary"
