"""`perfgate selftest`: the gate on unchanged code, with new runs for every set."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from perfgate.core.errors import NothingMeasuredError, PerfgateError
from perfgate.gate.selftest import selftest
from perfgate.workflow.measuring import Measurer
from perfgate.workflow.policies import file_of_tree, with_suites
from perfgate.workflow.recording import open_tree
from perfgate.workflow.suites import find_suites, select

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Sequence
    from pathlib import Path

    from perfgate.core.record import Run
    from perfgate.gate.decision import RunRequest
    from perfgate.gate.selftest import SelftestPlan, SelftestReport


def run_selftest(  # noqa: PLR0913 - one keyword per outside thing
    root: Path,
    plan: SelftestPlan,
    *,
    devices: tuple[str, ...],
    seed: int,
    today: dt.date,
    policy_file: Path | None = None,
) -> SelftestReport:
    """Measure the suite of the tree against itself.

    Raises:
        NothingMeasuredError: there is no benchmark, or one cannot be measured.
        UnusableError: the policy cannot be used.
    """
    tree = open_tree(root)
    selected = select([item for items in find_suites(tree).values() for item in items], devices=devices)
    by_key = {item.key: item for item in selected}
    measurer = Measurer(tree, seed=seed, runs=1)
    try:
        templates = {item.key: measurer.measure(item) for item in selected}
    except PerfgateError as problem:
        raise NothingMeasuredError(
            f"the suite cannot be measured, {problem}", "selftest", "mend it first"
        ) from None
    spent = Counter(dict.fromkeys(by_key, 1))

    def take_runs(requests: Sequence[RunRequest]) -> dict[str, tuple[Run, ...]]:
        wanted = {}
        for request in requests:
            first = spent[request.key]
            spent[request.key] += request.runs
            wanted[request.key] = range(first, first + request.runs)
        return measurer.further_runs(by_key, wanted)

    policy = with_suites(file_of_tree(tree, today, policy_file), by_key.values())
    report = selftest(templates, take_runs, policy, plan)
    if report is None:
        raise NothingMeasuredError("nothing to test", "selftest", "ask for at least one set")
    return report
