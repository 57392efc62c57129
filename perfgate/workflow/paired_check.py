"""A check against a revision that is measured in the same job instead of read from baselines."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from perfgate.baseline.store import Baselines
from perfgate.workflow.measuring import Measured
from perfgate.workflow.side_by_side import LEAST_PAIRS, PairRequest, measure_side_by_side

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from perfgate.measure.benchmark import Benchmark
    from perfgate.workflow.ground import Ground
    from perfgate.workflow.options import GateOptions


def pair_request(options: GateOptions, expression: str) -> PairRequest:
    """What the options ask; fewer than five pairs prove nothing (STATISTICS section 5)."""
    selection = [*(["-k", expression] if expression else [])]
    for device in options.devices:
        selection += ["--device", device]
    return PairRequest(
        root=options.root,
        revision=options.against or "HEAD",
        set_up=options.set_up,
        selection=tuple(selection),
        pairs=max(options.runs or LEAST_PAIRS, LEAST_PAIRS),
        seed=options.seed,
    )


def paired_with(  # noqa: PLR0913, PLR0917 - one argument per outside thing
    ground: Ground,
    selected: Sequence[Benchmark],
    blocked: Mapping[str, str],
    request: PairRequest,
    environment: Mapping[str, str],
    announce: Callable[[int, int, str], None],
) -> tuple[Ground, Measured]:
    """The ground with the other side's records for baselines, and what was measured of the working tree.

    Policy and guardrails stay those of the base commit.

    Raises:
        PerfgateError: a side cannot be built or measured.
    """
    paired = measure_side_by_side(request, environment, announce)
    wanted = {item.key for item in selected} - blocked.keys()
    records = {key: record for key, record in paired.head.items() if key in wanted}
    base = msgspec.structs.replace(
        ground.base, commit=paired.base_commit, reason=f"--against {request.revision}, in turns"
    )
    beside = replace(ground, base=base, baselines=Baselines(dict(paired.base), {}))
    failed = dict.fromkeys(wanted - records.keys(), "it left no record")
    return beside, Measured(records=records, failed=failed, skipped=dict(blocked), is_paired=True)
