"""Keys that a benchmark and a stage of a pipeline share: model inputs, compile flags, runtime keys."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from perfgate.config.yaml_schema import means

Name = Annotated[str, Meta(min_length=1, max_length=300)]
Count = Annotated[int, Meta(ge=1, le=100_000)]


class InputEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Shape and element type of one model input; a symbol in the shape is bound by `bind`."""

    shape: Annotated[list[str], means("sizes, or symbols that `bind` binds")]
    dtype: Annotated[str | None, means("element type, where it is not the model's own")] = None


class CompileEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where the compile command stands (`from`, `command`, `match`), or the flags written out (`flags`)."""

    from_: Annotated[str | None, means("file of the repository that holds the compile command")] = (
        msgspec.field(default=None, name="from")
    )
    command: Annotated[str | None, means("program of the command, such as `atc`")] = None
    match: Annotated[
        str | None, means("glob on one argument, where a file holds several commands of the program")
    ] = None
    require_resolved: Annotated[list[str], means("flags whose value must be known from the file")] = []
    flags: Annotated[dict[str, str | None], means("the flags written out, in place of `from`")] = {}


class RuntimeEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where the runtime configuration stands (`from`, `key`), or the keys written out (`values`)."""

    from_: Annotated[str | None, means("file of the repository that holds the runtime configuration")] = (
        msgspec.field(default=None, name="from")
    )
    key: Annotated[str | None, means("the part of the file below this key")] = None
    values: Annotated[dict[str, str], means("the keys written out, in place of `from`")] = {}
