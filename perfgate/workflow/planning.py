"""`perfgate bisect --dry-run`: everything that is known before the first build."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from perfgate.bisection.builder import KEPT_TREES
from perfgate.core.metric import Kind
from perfgate.report.bisect_plan import BisectPlan
from perfgate.workflow.bisect_subject import history_of
from perfgate.workflow.bisecting import prepare_bisection, range_notes

if TYPE_CHECKING:
    from perfgate.bisection.gitrun import Git
    from perfgate.workflow.bisect_request import BisectRequest

_ENDS = 2  # builds


def plan_bisection(request: BisectRequest) -> list[BisectPlan]:
    """One plan per benchmark.

    Raises:
        PerfgateError: the range or a benchmark cannot be used.
    """
    grounds, subjects = prepare_bisection(request)
    git = grounds.mirror.git
    plans = []
    for subject in subjects:
        history = history_of(git, (grounds.ends.good, grounds.ends.bad), request, subject)
        count = len(history.candidates) - 1
        plans.append(
            BisectPlan(
                benchmark=subject.benchmark.key,
                metric=subject.metric.name,
                candidates=history.candidates,
                commits=len(history.trees) - 1,
                builds=math.ceil(math.log2(max(count, 1))) + _ENDS,
                samples=2 + count.bit_length() if subject.metric.kind is Kind.EXACT else 0,
                checkout_bytes=_tree_bytes(git, grounds.ends.bad),
                trees=min(KEPT_TREES + request.measuring.jobs - 1, count + 1),
                set_up=request.measuring.set_up,
                definition=subject.overlay.digest,
                placed=tuple(item.path for item in subject.overlay.files),
                former=subject.overlay.former,
                notes=range_notes(request, grounds, history),
            )
        )
    return plans


def _tree_bytes(git: Git, commit: str) -> int:
    """Sizes of all files of a commit."""
    rows = git.run("ls-tree", "-r", "-l", "-z", "--full-tree", commit).split(b"\0")
    sizes = [row.partition(b"\t")[0].split()[-1] for row in rows if row]
    return sum(int(size) for size in sizes if size.isdigit())
