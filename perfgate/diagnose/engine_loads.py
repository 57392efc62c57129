"""How evenly like engines share the work: several of one name, or the cores that a product is dealt to."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perfgate.core.execution_profile import KernelRow, Profile

_DIGITS = "0123456789"
_MATRIX = "matrix"


def like_engines(profile: Profile) -> dict[str, dict[str, int]]:
    """Busy time of engines that differ in their number only: `gpu0`, `gpu1`; single ones are left out."""
    groups: dict[str, dict[str, int]] = {}
    for name, busy in profile.hardware.busy_ps.items():
        stem = name.rstrip(_DIGITS)
        if stem and stem != name:
            groups.setdefault(stem, {})[name] = busy
    return {stem: loads for stem, loads in groups.items() if len(loads) > 1}


def core_loads(profile: Profile, cores: int) -> dict[str, int]:
    """Busy time of each matrix core: tiles are dealt in turn, so the last wave may leave some without one.

    A kernel of t tiles in w waves keeps t - (w - 1) * cores of them busy to the end, the others for w - 1
    waves of equal length. Edge tiles are shorter: an upper bound of the difference.
    """
    loads = [0] * cores
    for row in profile.kernels:
        if row.engine != _MATRIX or not row.tiles or cores < 1:
            continue
        waves = -(-row.tiles // cores)
        whole = row.parts.compute_ps * row.times
        short, last = whole * (waves - 1) // waves, row.tiles - (waves - 1) * cores
        for core in range(cores):
            loads[core] += whole if core < last else short
    return {f"core {core}": load for core, load in enumerate(loads)}


def lost_in_last_wave(row: KernelRow, cores: int) -> int:
    """Time that a product would save if its tiles were dealt evenly to all cores."""
    if row.engine != _MATRIX or not row.tiles or cores < 1:
        return 0
    waves = -(-row.tiles // cores)
    whole = row.parts.compute_ps * row.times
    return whole - whole * row.tiles // (waves * cores)


def balance(loads: Mapping[str, int]) -> float:
    """Least over most busy: 1 is even; 1 when nothing runs."""
    most = max(loads.values(), default=0)
    return min(loads.values()) / most if most else 1.0
