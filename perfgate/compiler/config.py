"""CompileConfig: every flag of the compile command as a value, or kept as unhandled with its place."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec

from perfgate.compiler.precision import PrecisionMode
from perfgate.compiler.preprocessing import Preprocessing  # noqa: TC001 - msgspec reads the annotations at run time
from perfgate.compiler.program import Unhandled  # noqa: TC001 - the same
from perfgate.compiler.shape_flags import DynamicShapes  # noqa: TC001 - the same
from perfgate.compiler.switches import Fusion  # noqa: TC001 - the same

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.compiler.flag_values import FileReader
    from perfgate.core.setting import Setting


class BufferMode(StrEnum):
    """What on-chip reuse the program counts on."""

    L2 = "l2_optimize"
    L1 = "l1_optimize"
    OFF = "off_optimize"


class CompileConfig(msgspec.Struct, frozen=True, kw_only=True):
    """What the compile command asks for; the defaults are what an absent flag means.

    `layout` is the bare form of `--optypelayout`, `type_layouts` its form by operator; "" pins nothing.
    `input_layout` is the order of 4-D inputs as the caller gives them. `precise_ops` and `precise_nodes`
    compute with fp32 internals. `output_type` is numpy's name, "" for the model's own. `unhandled` are flags
    whose effect is not modelled; `notes` what a person should know, for example a repeated flag.
    """

    layout: str = ""
    type_layouts: dict[str, str] = {}
    input_layout: str = "NCHW"
    input_shapes: dict[str, tuple[int, ...]] = {}
    dynamic: DynamicShapes | None = None
    precision: PrecisionMode = PrecisionMode.ALLOW_FP16
    precise_ops: frozenset[str] = frozenset()
    precise_nodes: frozenset[str] = frozenset()
    fusion_off: frozenset[Fusion] = frozenset()
    buffer_mode: BufferMode = BufferMode.L2
    single_stream: bool = False
    small_channel: bool = False
    preprocessing: tuple[Preprocessing, ...] = ()
    soc_version: str = ""
    output_type: str = ""
    quantise: bool = False
    quantise_exclude: frozenset[str] = frozenset()
    disabled_passes: frozenset[str] = frozenset()
    unhandled: tuple[Unhandled, ...] = ()
    notes: tuple[str, ...] = ()

    @staticmethod
    def from_settings(settings: Sequence[Setting], *, read: FileReader | None = None) -> CompileConfig:
        """The settings of a compile command, in order; the last of a repeated flag wins with a note.

        Flags (`--input_shape`) and keys of a mapping (`input_shape`) mean the same. `read` gives the text of
        a file that a flag names; the default looks below the working directory, then beside the script.

        Raises:
            UsageError: a value that its flag cannot have, or flags that exclude each other.
        """
        from perfgate.compiler.compile_flags import read_config  # noqa: PLC0415 - it builds this class

        return read_config(settings, read)
