"""What the doctor says of git, clock and processor, on machines made of files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.baseline.revision import open_repository
from perfgate.workflow.machine_lines import clock_line, git_line, governor_line
from tests.repositories import Repository

if TYPE_CHECKING:
    from pathlib import Path

READINGS = [1.0, 1.0, 1.0 + 5e-8, 1.0 + 2e-7]  # a smallest step of 50 ns


def machine(folder: Path, source: str, *governors: str) -> Path:
    files = {"devices/system/clocksource/clocksource0/current_clocksource": source}
    for number, text in enumerate(governors):
        files[f"devices/system/cpu/cpu{number}/cpufreq/scaling_governor"] = text
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"{text}\n")
    return folder


def test_a_steady_clock_and_a_fixed_frequency_are_well(tmp_path: Path) -> None:
    system = machine(tmp_path, "tsc", "performance", "performance")
    assert str(clock_line(READINGS, system)) == "ok  clock: smallest step 50 ns (tsc)"
    assert str(governor_line(system)) == "ok  CPU governor: performance on 2 processors"


def test_another_clock_or_a_moving_frequency_has_its_remedy(tmp_path: Path) -> None:
    system = machine(tmp_path, "hpet", "performance", "powersave")
    assert "clock source tsc" in clock_line(READINGS, system).remedy
    assert "clock source tsc" in clock_line([0.0, 1e-3], tmp_path / "none").remedy  # a step of 1 ms
    line = governor_line(system)
    assert line.text == "performance, powersave on 2 processors"
    assert "cpupower frequency-set" in line.remedy
    assert line.is_well  # a simulated suite does not mind


def test_a_clock_that_stands_still_is_not_well_and_a_hidden_governor_is_said(tmp_path: Path) -> None:
    assert not clock_line([1.0, 1.0], tmp_path).is_well
    assert "not visible here" in governor_line(tmp_path).text


def test_a_shallow_clone_is_named_with_its_depth(tmp_path: Path) -> None:
    origin = Repository(tmp_path / "origin")
    for name in "abc":
        origin.commit(name, {name: name})
    clone = origin.clone(tmp_path / "clone", "--depth", "2")
    with open_repository(origin.folder) as whole, open_repository(clone.folder) as part:
        assert git_line(whole).text.endswith("whole history")
        line = git_line(part)
    assert "shallow clone of 2 commits" in line.text
    assert "git fetch --unshallow" in line.remedy
