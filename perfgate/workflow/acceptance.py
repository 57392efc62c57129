"""An intended slow-down: a new baseline in the change itself counts, where base lets reviewers decide.

Only with `acceptance: review` in the policy of base and of the change. perfgate cannot see a review: it
checks that GitHub has to ask for one, and that the new baseline is what was measured.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from perfgate.baseline.code_owners import code_owners
from perfgate.baseline.slug import baseline_path
from perfgate.baseline.store import decode_record
from perfgate.baseline.trusted import TrustedTree
from perfgate.core.errors import PerfgateError
from perfgate.core.verdict import Verdict
from perfgate.gate.stages import decide_in_stages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from perfgate.core.record import Record
    from perfgate.core.verdict import BenchmarkVerdict
    from perfgate.gate.decision import Decision, JudgeOptions
    from perfgate.gate.stages import TakeRuns
    from perfgate.workflow.ground import Ground


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """A regression that the change accepts: its new baseline with the reason, and who is asked to review."""

    record: Record
    owners: tuple[str, ...]

    @property
    def text(self) -> str:
        """`accepted by this change: safety checker (review by @org/perf)`."""
        reason = self.record.provenance.accepted_regression
        return f"accepted by this change: {reason} (review by {', '.join(self.owners)})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Acceptance:
    """The accepted regressions by record key, and why other new baselines do not count."""

    accepted: Mapping[str, Accepted]
    refused: tuple[str, ...] = ()


_DOES_NOT_COUNT = "the new baseline of {} does not count"
NOTHING = Acceptance(accepted={})


def decide_with_acceptance(
    ground: Ground, records: Mapping[str, Record], take_runs: TakeRuns | None, options: JudgeOptions
) -> tuple[Decision, list[BenchmarkVerdict], tuple[str, ...]]:
    """The decision, its verdicts, and why new baselines of the change do not count.

    Where the change accepts a regression, the suite is decided against the new baseline, and the benchmark
    shows the verdict against the old one.
    """
    stored = ground.baselines.records

    def decide(baselines: Mapping[str, Record], candidates: Mapping[str, Record]) -> Decision:
        return decide_in_stages(baselines, candidates, ground.policy, take_runs, options=options)

    decision = decide(stored, records)
    acceptance = _accept_regressions(
        ground, decision.benchmarks, lambda new: decide(new, {key: records[key] for key in new})
    )
    if not acceptance.accepted:
        return decision, list(decision.benchmarks), acceptance.refused
    shown = {
        item.key: _with_acceptance(item, acceptance.accepted.get(item.key)) for item in decision.benchmarks
    }
    renewed = {key: item.record for key, item in acceptance.accepted.items()}
    decision = decide({**stored, **renewed}, records)
    verdicts = [shown[item.key] if item.key in renewed else item for item in decision.benchmarks]
    return decision, verdicts, acceptance.refused


def _accept_regressions(
    ground: Ground, verdicts: Iterable[BenchmarkVerdict], judge: Callable[[Mapping[str, Record]], Decision]
) -> Acceptance:
    """Which failed regressions the change accepts in a way that counts.

    `judge` decides the measured records against other baselines. A new baseline counts only if what was
    measured is unchanged against it: with head room in it, later slow-downs would pass.
    """
    if not ground.accepts_in_review:
        return NOTHING
    found: dict[str, Accepted] = {}
    refused = []
    for item in verdicts:
        if item.verdict is not Verdict.REGRESSED or not item.is_failure:
            continue
        path = f"{ground.baselines_folder}/{baseline_path(item.benchmark, item.device)}"
        if not any(edit.path == path for edit in ground.edits):
            continue
        try:
            answer = _candidate(ground, path, item.key)
        except PerfgateError as problem:
            answer = problem.line
        if isinstance(answer, Accepted):
            found[item.key] = answer
        else:
            refused.append(f"{_DOES_NOT_COUNT.format(item.key)}: {answer}")
    again = judge({key: accepted.record for key, accepted in found.items()}).benchmarks if found else ()
    confirmed = {item.key for item in again if item.verdict is Verdict.UNCHANGED}
    refused += [
        f"{_DOES_NOT_COUNT.format(item.key)}: against it the change is {item.verdict}, {item.reason}"
        for item in again
        if item.key not in confirmed
    ]
    accepted = {key: item for key, item in found.items() if key in confirmed}
    return Acceptance(accepted=accepted, refused=tuple(refused))


def _candidate(ground: Ground, path: str, key: str) -> Accepted | str:
    """The change's new baseline with its owners, or why it does not count.

    Raises:
        PerfgateError: the file, or base's CODEOWNERS file, cannot be used.
    """
    record = decode_record(ground.tree.read_gate_file(path, what="baseline"), path)
    if record.key != key:
        return f"{path} holds {record.key}"
    if not record.provenance.accepted_regression.strip():
        return f"{path} carries no accepted regression (perfgate baseline update --accept-regression REASON)"
    if ground.tree.repository is None:
        return "not a git repository"
    top = TrustedTree(ground.tree.repository, ground.base.commit, "")
    full = f"{ground.tree.prefix}/{path}" if ground.tree.prefix else path
    owners = code_owners(top, full)
    if not owners:
        return f"CODEOWNERS of base names nobody for {full}"
    return Accepted(record=record, owners=owners)


def _with_acceptance(verdict: BenchmarkVerdict, accepted: Accepted | None) -> BenchmarkVerdict:
    """The verdict as it was, still `regressed`, that no longer fails because the change accepts it."""
    if accepted is None:
        return verdict
    return msgspec.structs.replace(
        verdict,
        is_failure=False,
        is_warning=True,
        is_accepted=True,
        reason=f"{verdict.reason}; {accepted.text}",
    )
