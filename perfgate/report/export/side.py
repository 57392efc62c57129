"""What an export is made of: a profile and the word that tells it from the other one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfgate.core.execution_profile import KernelRow, OperatorRow, Profile

REST = "rest"  # kind of the row that stands for the kernels which a very large profile does not list
NOT_LISTED = -1  # stream of that row


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One profile of a trace: `label` is `before`, `now` or the name of its file."""

    label: str
    profile: Profile

    @property
    def programs(self) -> list[str]:
        """Names of the programs, with a number where the usual and the cached step have one name."""
        names = [step.program for step in self.profile.application.steps]
        return [f"{name} #{place + 1}" if names.count(name) > 1 else name for place, name in enumerate(names)]

    @property
    def operators(self) -> dict[int, OperatorRow]:
        """Operators by number."""
        return {row.number: row for row in self.profile.operators}

    @property
    def lanes(self) -> dict[tuple[int, int], list[KernelRow]]:
        """Kernels by program and stream, in order of their start."""
        found: dict[tuple[int, int], list[KernelRow]] = {}
        for row in sorted(self.profile.kernels, key=lambda row: (row.program, row.start_ps, row.index)):
            found.setdefault((row.program, row.stream), []).append(row)
        return found

    @property
    def streams(self) -> list[int]:
        """Streams of all programs; kernels that are not listed one by one come last."""
        return sorted({row.stream for row in self.profile.kernels}, key=lambda number: (number < 0, number))

    def critical_stream(self, program: int) -> int:
        """The stream that ends last, as in the profile's `parts`; the first of several that end together."""
        ends = [
            (row.start_ps + row.duration_ps, -row.index, row.stream)
            for row in self.profile.kernels
            if row.program == program and row.kind != REST
        ]
        return max(ends)[2] if ends else NOT_LISTED


def stream_name(stream: int) -> str:
    """As viewers show it."""
    return "kernels not listed one by one" if stream == NOT_LISTED else f"stream {stream}"
