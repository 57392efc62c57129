"""Some levels of a profile: a file for people and tools that need no more than that."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from perfgate.core.execution_profile import (  # noqa: TC001 - msgspec reads the annotations at run time
    Application,
    CopyRow,
    GraphLevel,
    Hardware,
    KernelRow,
    OperatorRow,
)

if TYPE_CHECKING:
    from collections.abc import Collection

    from perfgate.core.execution_profile import Profile

SCHEMA = "perfgate/profile-part/1"
LEVELS = ("application", "graph", "operators", "kernels", "hardware")


class ProfilePart(msgspec.Struct, frozen=True, kw_only=True):
    """The chosen levels, the others None; `copies` belong to the kernels, `digest` to the whole profile."""

    schema: str = SCHEMA
    device: str
    digest: str
    notes: tuple[str, ...]
    application: Application | None = None
    graph: GraphLevel | None = None
    operators: tuple[OperatorRow, ...] | None = None
    kernels: tuple[KernelRow, ...] | None = None
    copies: tuple[CopyRow, ...] | None = None
    hardware: Hardware | None = None


def profile_part(profile: Profile, levels: Collection[str]) -> ProfilePart:
    """The levels of these names, which are among `LEVELS`."""
    return ProfilePart(
        device=profile.device,
        digest=profile.digest,
        notes=profile.notes,
        application=profile.application if "application" in levels else None,
        graph=profile.graph if "graph" in levels else None,
        operators=profile.operators if "operators" in levels else None,
        kernels=profile.kernels if "kernels" in levels else None,
        copies=profile.copies if "kernels" in levels else None,
        hardware=profile.hardware if "hardware" in levels else None,
    )
