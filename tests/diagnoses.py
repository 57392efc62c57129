"""Diagnoses made by hand, in the shape of the incident: a layout flag that a commit has turned."""

from __future__ import annotations

from perfgate.core.diagnosis import (
    Attribution,
    Cause,
    Diagnosis,
    Fix,
    Focus,
    MetricDelta,
    OperatorRef,
    Proof,
    ScopeDelta,
    Severity,
)
from perfgate.core.difference import Difference, DifferenceKind, NewSetting
from perfgate.core.metric import KNOWN_METRICS

BENCHMARK, DEVICE = "sd_unet", "ascend-310p-like"
NOW, BEFORE = 9_130_000_000_000, 2_230_000_000_000  # ps: the figures of the incident, 9.13 s and 2.23 s
CONV2 = OperatorRef(
    number=447, name="UNet.mid_block.resnet.1.conv2", op="Conv", scope="UNet.mid_block.resnet.1"
)
LAYOUT = Difference(
    kind=DifferenceKind.FLAG,
    name="--optypelayout",
    before="NHWC",
    after="NCHW",
    place_before="deploy/convert.sh:4:5",
    place_after="deploy/convert.sh:4:5",
)


def flag(name: str, value: str | None) -> NewSetting:
    """A flag to be set."""
    return NewSetting(kind=DifferenceKind.FLAG, name=name, value=value)


def key(name: str, value: str | None) -> NewSetting:
    """A runtime key to be set."""
    return NewSetting(kind=DifferenceKind.RUNTIME, name=name, value=value)


def fix(  # noqa: PLR0913 - keywords only, each with a default
    *,
    taken: tuple[Difference, ...] = (),
    settings: tuple[NewSetting, ...] = (),
    after: int | None = BEFORE,
    cause: int = 0,
    is_estimated: bool = False,
    title: str = "restore the layout flag",
    advice: str = "",
    severity: Severity = Severity.HIGH,
) -> Fix:
    """A fix of the incident; `after` is the simulated amount in picoseconds."""
    return Fix(
        title=title,
        severity=severity,
        risk="none, same numerics",
        cause=cause,
        taken=taken,
        settings=settings,
        after=after,
        is_estimated=is_estimated,
        advice=advice,
    )


def cause(confidence: float = 0.95, difference: Difference | None = LAYOUT) -> Cause:
    """The cause of the incident, or a less likely one."""
    return Cause(
        rule="config_flag",
        sentence="tensor layout changed, NHWC -> NCHW",
        operator=CONV2,
        difference=difference,
        cost=NOW - BEFORE,
        proof=Proof(undone=BEFORE, recovered=1.0),
        confidence=confidence,
        frequency=(201, 212),
    )


def diagnosis(
    *fixes: Fix,
    causes: tuple[Cause, ...] | None = None,
    before: str = "",
    after: str = "",
    together: int | None = None,
) -> Diagnosis:
    """The incident's diagnosis; without fixes, that which restores the layout."""
    return Diagnosis(
        benchmark=BENCHMARK,
        device=DEVICE,
        focus=Focus.LATENCY,
        before=before,
        after=after,
        metrics=(
            MetricDelta(
                metric=KNOWN_METRICS["latency"],
                before=2.23,
                after=9.13,
                relative=3.09,
                low=3.05,
                high=3.13,
                runs_before=5,
                runs_after=5,
            ),
        ),
        scope=ScopeDelta(
            scope="UNet.mid_block",
            before=190_000_000_000,
            after=5_630_000_000_000,
            share_before=0.085,
            share_after=0.617,
        ),
        amount=NOW,
        attribution=Attribution(unit="ps", before=BEFORE, after=NOW, rows=(), residual=NOW - BEFORE),
        causes=(cause(),) if causes is None else causes,
        fixes=fixes or (fix(taken=(LAYOUT,)),),
        together=together,
        guardrail="atc_convert: require --optypelayout=NHWC",
    )
