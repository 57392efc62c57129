"""What `perfgate doctor` says of the machine: git, the clock, the processor."""

from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from perfgate.report.doctor_report import DoctorLine

if TYPE_CHECKING:
    from collections.abc import Iterable

    from git import Repo

SYSTEM = Path("/sys")  # where Linux shows its devices
COARSE = 1e-6  # seconds; a benchmark of a microsecond cannot be timed with a coarser step
STEADY_CLOCKS = frozenset({"tsc", "arch_sys_counter", "arch_mmio_timer"})  # read without a system call
_STEPS = 1000


def git_line(repository: Repo) -> DoctorLine:
    """The version of git, and how much of the history is here."""
    version = ".".join(map(str, repository.git.version_info))
    is_shallow = str(repository.git.rev_parse("--is-shallow-repository")).strip() == "true"
    if not is_shallow:
        return DoctorLine(topic="git", text=f"{version}, whole history")
    count = str(repository.git.rev_list("--count", "HEAD")).strip()
    remedy = "git fetch --unshallow; on CI set fetch-depth: 2, for a bisection fetch-depth: 0"
    return DoctorLine(topic="git", text=f"{version}, shallow clone of {count} commits", remedy=remedy)


def clock_line(readings: Iterable[float] = (), system: Path = SYSTEM) -> DoctorLine:
    """The smallest step of the clock that times benchmarks, and its source where the system tells."""
    seen = list(readings) or [time.perf_counter() for _ in range(_STEPS)]
    steps = [after - before for before, after in pairwise(seen) if after > before]
    source = _text(system / "devices/system/clocksource/clocksource0/current_clocksource")
    named = f" ({source})" if source else ""
    if not steps:
        remedy = "do not time benchmarks on this machine"
        return DoctorLine(topic="clock", text=f"it stands still{named}", is_well=False, remedy=remedy)
    text = f"smallest step {min(steps) * 1e9:.0f} ns{named}"
    is_coarse = min(steps) > COARSE or (source and source not in STEADY_CLOCKS)
    remedy = "time benchmarks on a machine with clock source tsc; simulated ones do not mind"
    return DoctorLine(topic="clock", text=text, remedy=remedy if is_coarse else "")


def governor_line(system: Path = SYSTEM) -> DoctorLine:
    """Whether the processor keeps its frequency."""
    files = sorted((system / "devices/system/cpu").glob("cpu[0-9]*/cpufreq/scaling_governor"))
    found = sorted({text for file in files if (text := _text(file))})
    if not found:
        text = "not visible here (a virtual machine or a container decides elsewhere)"
        return DoctorLine(topic="CPU governor", text=text)
    text = f"{', '.join(found)} on {len(files)} processors"
    if found == ["performance"]:
        return DoctorLine(topic="CPU governor", text=text)
    remedy = "sudo cpupower frequency-set -g performance, before timing; simulated benchmarks do not mind"
    return DoctorLine(topic="CPU governor", text=text, remedy=remedy)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""
