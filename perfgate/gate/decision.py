"""The decision for a suite, and what it still wants to know."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from perfgate.core.verdict import BenchmarkVerdict, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perfgate.core.errors import ExitCode
    from perfgate.core.record import Run
    from perfgate.gate.thresholds import Waiver


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """Fresh runs wanted of one benchmark: a suspect, or a control that shows what the host does."""

    key: str
    runs: int
    is_control: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeOptions:
    """What the caller knows and the records do not.

    `fresh_allowed`: suspects may ask for fresh runs. `runs_are_free`: fresh runs cost nothing, so one test is
    enough for a suspicion and improvements are confirmed too; None: they are when every record is simulated.
    `confirm_improvements`: spend fresh runs on improvements as well. `is_interleaved`: run r of both sides
    were taken as a pair (ABBA). `waivers`: by benchmark (record key or name) and metric. `not_selected`: keys
    of baselines that this session left out on purpose; they are not missing. `anchors`: record keys of
    workloads without project code, which tell the machine from the change.
    """

    fresh_allowed: bool = False
    runs_are_free: bool | None = None
    confirm_improvements: bool = False
    is_interleaved: bool = False
    seed: int = 0
    waivers: Mapping[tuple[str, str], Waiver] = field(default_factory=dict)
    not_selected: frozenset[str] = frozenset()
    anchors: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """All benchmarks judged once.

    `wanted` is empty when the decision is final; otherwise the verdicts of the suspects are provisional.
    `common_mode` are the lines about the suite as a whole, `common_verdict` what they amount to. `reasons`
    are all exit codes that apply with their sentences, the first one is `exit_code`. `evidence` holds one
    JSON object per comparison. `fresh` are the runs that were taken on request, by record key. `used_waivers`
    are the keys of the waivers that turned a failure into a warning.
    """

    benchmarks: tuple[BenchmarkVerdict, ...]
    exit_code: ExitCode
    family_error: float
    common_verdict: Verdict = Verdict.UNCHANGED
    wanted: tuple[RunRequest, ...] = ()
    common_mode: str = ""
    notes: tuple[str, ...] = ()
    reasons: tuple[tuple[ExitCode, str], ...] = ()
    evidence: tuple[Mapping[str, object], ...] = ()
    fresh: Mapping[str, tuple[Run, ...]] = field(default_factory=dict)
    used_waivers: tuple[tuple[str, str], ...] = ()

    def count(self, verdict: Verdict) -> int:
        """How many benchmarks got this verdict."""
        return sum(1 for item in self.benchmarks if item.verdict is verdict)
