"""A perception pipeline as data: stages on sensors, host, device and link, from capture to plan.

It is no graph: a stage is a fixed time or a model whose time the caller simulates. `zoo.frames` runs it.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

MS = 1_000_000_000  # picoseconds


class Resource(StrEnum):
    """What a stage occupies. Every sensor works for itself, the others are shared."""

    SENSOR = "sensor"
    HOST = "host"
    DEVICE = "device"
    LINK = "link"


class Stage(msgspec.Struct, frozen=True, kw_only=True):
    """One step of a frame; `duration_ps` for a fixed one, `model` (`zoo:name` or a path) for a simulated one.

    `after`: stages whose result it needs. `period_ps`: how often a sensor delivers (0: every frame).
    `deadline_ps`: latest end after the frame's start (0: none). A higher `priority` goes first. `batch`
    frames are worked on at once, when the last of them is there.
    """

    name: str
    resource: Resource
    duration_ps: int = 0
    model: str = ""
    after: tuple[str, ...] = ()
    branch: str = ""
    period_ps: int = 0
    deadline_ps: int = 0
    is_hard: bool = False
    priority: int = 0
    batch: int = 1


class Pipeline(msgspec.Struct, frozen=True, kw_only=True):
    """Stages in topological order; a frame starts every `period_ps`; `engines`: how many of each resource."""

    name: str
    stages: tuple[Stage, ...]
    period_ps: int
    engines: dict[Resource, int]


def _branch(
    branch: str,
    steps: tuple[tuple[str, Resource, int], ...],
    *,
    period_ms: int,
    deadline_ms: int,
    is_hard: bool,
) -> list[Stage]:
    """A chain of stages; the first one is the sensor, the last one carries the deadline."""
    stages: list[Stage] = []
    for position, (name, resource, duration) in enumerate(steps):
        is_last = position == len(steps) - 1
        stages.append(
            Stage(
                name=f"{branch}.{name}",
                resource=resource,
                duration_ps=duration * MS,
                after=(stages[-1].name,) if stages else (),
                branch=branch,
                period_ps=0 if stages else period_ms * MS,
                deadline_ps=deadline_ms * MS if is_last else 0,
                is_hard=is_hard and is_last,
                priority=int(is_hard),
            )
        )
    return stages


def _branches() -> Pipeline:
    """Camera 2 + 5 + 15 + 8 ms (hard, 33), lidar 25 (soft, 100), radar 14, then fusion 12 and plan 8."""
    sensor, host, device = Resource.SENSOR, Resource.HOST, Resource.DEVICE
    camera = _branch(
        "camera",
        (("capture", sensor, 2), ("prepare", host, 5), ("detect", device, 15), ("track", host, 8)),
        period_ms=33, deadline_ms=33, is_hard=True,
    )  # fmt: skip
    lidar = _branch(
        "lidar",
        (("scan", sensor, 10), ("voxelise", host, 3), ("detect", device, 7), ("cluster", host, 5)),
        period_ms=99, deadline_ms=100, is_hard=False,
    )  # fmt: skip
    radar = _branch(
        "radar",
        (("sweep", sensor, 4), ("transform", host, 6), ("track", host, 4)),
        period_ms=33, deadline_ms=0, is_hard=False,
    )  # fmt: skip
    ends = (camera[-1].name, lidar[-1].name, radar[-1].name)
    fusion = Stage(name="fusion", resource=host, duration_ps=12 * MS, after=ends)
    plan = Stage(name="plan", resource=host, duration_ps=8 * MS, after=("fusion",))
    return Pipeline(
        name="perception",
        stages=(*camera, *lidar, *radar, fusion, plan),
        period_ps=33 * MS,
        engines={host: 4, device: 2, Resource.LINK: 1},
    )


def _single_frame() -> Pipeline:
    """Capture 4, process 12, fuse 8, plan 4 ms: 28 of 33."""
    stages = _branch(
        "frame",
        (
            ("capture", Resource.SENSOR, 4),
            ("process", Resource.DEVICE, 12),
            ("fuse", Resource.HOST, 8),
            ("plan", Resource.HOST, 4),
        ),
        period_ms=33,
        deadline_ms=33,
        is_hard=True,
    )
    return Pipeline(
        name="perception",
        stages=tuple(stages),
        period_ps=33 * MS,
        engines={Resource.HOST: 1, Resource.DEVICE: 1, Resource.LINK: 1},
    )


PIPELINES: dict[str, Pipeline] = {"branches": _branches(), "single_frame": _single_frame()}
