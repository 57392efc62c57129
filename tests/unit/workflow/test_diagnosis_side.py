from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from perfgate.core.errors import UnusableError, UsageError
from perfgate.core.setting import Setting
from perfgate.workflow.diagnosis_side import TreeSides, sides_of_files
from perfgate.workflow.measuring import write_profile, write_record
from perfgate.workflow.profile_file import profile_beside
from perfgate.workflow.recording import open_tree
from tests.diagnosed_project import FILES, UNET
from tests.repositories import Repository

if TYPE_CHECKING:
    from pathlib import Path

    from perfgate.core.record import Record
    from perfgate.workflow.diagnosis_side import DiagnosisSide


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> TreeSides:
    repository = Repository(tmp_path_factory.mktemp("sides") / "repository")
    repository.commit("start", FILES)
    return TreeSides(open_tree(repository.folder), "3f2c1ab", runs=1)


@pytest.fixture(scope="module")
def unet(sides: TreeSides) -> DiagnosisSide:
    return sides.measured(UNET)


def with_subject(record: Record, **fields: object) -> Record:
    return msgspec.structs.replace(record, subject=msgspec.structs.replace(record.subject, **fields))


def test_a_measured_side_has_its_profile_and_what_simulates_it_again(unet: DiagnosisSide) -> None:
    assert unet.observation.revision == "3f2c1ab"
    assert unet.observation.profile is not None
    assert unet.simulation is not None
    assert unet.simulation.profile() == unet.observation.profile


def test_a_baseline_is_simulated_with_the_settings_that_it_recorded(
    sides: TreeSides, unet: DiagnosisSide
) -> None:
    flags = tuple(
        msgspec.structs.replace(item, value="NCHW") if item.name == "--optypelayout" else item
        for item in unet.observation.record.subject.compile
    )
    changed = sides.of_baseline(with_subject(unet.observation.record, compile=flags))
    assert changed.observation.profile is not None
    assert unet.observation.profile is not None
    ours, theirs = (item.observation.profile.application.total_ps for item in (unet, changed))  # type: ignore[union-attr]  # - asserted above
    assert theirs > ours
    assert changed.notes[0].startswith("the base's files give another")  # than the exact values of the record


def test_a_baseline_of_another_model_has_the_summary_of_its_record(
    sides: TreeSides, unet: DiagnosisSide
) -> None:
    found = sides.of_baseline(with_subject(unet.observation.record, model_digest="ff"))
    assert found.simulation is None
    assert found.observation.profile is not None
    assert found.observation.profile.kernels == ()
    assert found.notes == (
        "the baseline cannot be simulated: its model is another one than the base's",
        "operators of the baseline under 0.1 % of the time are not told apart: it keeps a summary",
    )


def test_a_benchmark_that_the_tree_does_not_have_is_an_error_or_a_summary(
    sides: TreeSides, unet: DiagnosisSide
) -> None:
    with pytest.raises(UsageError, match=r"no benchmark other\[x\]"):
        sides.measured("other[x]")
    other = msgspec.structs.replace(unet.observation.record, benchmark="other")
    with pytest.raises(UsageError):
        sides.of_record(other)
    assert sides.of_baseline(other).simulation is None


def kept(folder: Path, side: DiagnosisSide) -> Path:
    """The record with its profile beside it."""
    record, profile = side.observation.record, side.observation.profile
    assert profile is not None
    write_profile(folder, record, profile)
    return write_record(folder, record)


def test_records_are_read_with_the_profiles_beside_them_by_folder_and_by_file(
    tmp_path: Path, unet: DiagnosisSide
) -> None:
    file = kept(tmp_path, unet)
    for path in (tmp_path, file):
        (found,) = sides_of_files(path, None).values()
        assert found.observation.profile == unet.observation.profile
        assert (found.simulation, found.notes) == (None, ())


def test_without_the_profile_file_the_summary_of_the_record_stands_for_it(
    tmp_path: Path, unet: DiagnosisSide
) -> None:
    write_record(tmp_path, unet.observation.record)
    (found,) = sides_of_files(tmp_path, None).values()
    assert found.observation.profile is not None
    assert found.observation.profile.kernels == ()
    assert "keeps a summary" in found.notes[0]


def test_beside_its_project_a_record_can_be_simulated_again(
    tmp_path: Path, sides: TreeSides, unet: DiagnosisSide
) -> None:
    (found,) = sides_of_files(kept(tmp_path, unet), sides).values()
    assert found.simulation is not None
    assert found.observation.profile == unet.observation.profile


def test_a_recorded_profile_counts_more_than_files_that_give_other_numbers(
    tmp_path: Path, sides: TreeSides, unet: DiagnosisSide
) -> None:
    record = unet.observation.record
    other = msgspec.structs.replace(record, exact={**record.exact, "peak_memory": 1.0})
    path = kept(tmp_path, unet)
    write_record(tmp_path, other)
    (found,) = sides_of_files(path, sides).values()
    assert found.simulation is None
    assert found.observation.profile == unet.observation.profile
    assert found.notes == (
        f"{UNET} cannot be simulated again: the files here give other numbers than the record holds",
    )


def test_a_profile_of_chosen_levels_is_no_whole_one_and_a_broken_one_is_told(tmp_path: Path) -> None:
    path = tmp_path / "x.profile.json"
    assert profile_beside(path) is None
    path.write_text('{"schema": "perfgate/profile-part/1"}')
    assert profile_beside(path) is None
    for text in ("{", '{"schema": "perfgate/profile/1"}'):
        path.write_text(text)
        with pytest.raises(UsageError):
            profile_beside(path)


def test_what_is_no_record_is_told_with_its_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such folder of records"):
        sides_of_files(tmp_path / "none", None)
    (tmp_path / "x.json").write_text("{}")
    with pytest.raises(UnusableError):
        sides_of_files(tmp_path / "x.json", None)


def test_a_setting_of_a_record_may_be_one_that_the_simulator_refuses(
    sides: TreeSides, unet: DiagnosisSide
) -> None:
    bad = (Setting(name="--precision_mode", value="nonsense"),)
    found = sides.of_baseline(with_subject(unet.observation.record, compile=bad))
    assert found.simulation is None
    assert found.notes[0].startswith("the baseline cannot be simulated: ")
