"""One setting of a compile command or runtime config, with the place it was read from."""

from __future__ import annotations

import msgspec


class Setting(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`name` as the dialect writes it (`--optypelayout`, `streams`); `value` None for a bare flag.

    `place` is `file:line:column`; empty when the setting stands in no file.
    """

    name: str
    value: str | None
    place: str = ""
