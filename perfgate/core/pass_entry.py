"""One decision of a compiler pass, as programs, profiles and diagnoses carry it."""

from __future__ import annotations

import msgspec


class PassEntry(msgspec.Struct, frozen=True, gc=False):
    """A change that a pass made, or refused with a reason code and a sentence.

    `benefit` fields are bytes, kernels and estimated picoseconds of one step, negative when it costs.
    `details`: facts of a refusal for tools, for example stride and alignment of a conversion without a route.
    """

    pass_name: str
    where: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    reason: str
    applied: bool
    bytes_saved: int = 0
    kernels_saved: int = 0
    estimated_ps: int = 0
    details: dict[str, int | str] = {}

    @property
    def code(self) -> str:
        """The reason code of a refusal: the word before the first colon."""
        return self.reason.partition(":")[0]
