"""CompileConfig: every flag of the compile command as a value, or kept as unhandled with its place."""

from __future__ import annotations

import msgspec

from perfgate.compiler.precision import PrecisionMode
from perfgate.compiler.program import Unhandled
from perfgate.compiler.switches import Fusion


class CompileConfig(msgspec.Struct, frozen=True, kw_only=True):
    """What the compile command asks for; the defaults are what an absent flag means.

    `layout` is the bare form of `--optypelayout`, `type_layouts` its form by operator; "" pins nothing.
    """

    layout: str = ""
    type_layouts: dict[str, str] = {}
    input_layout: str = "NCHW"
    precision: PrecisionMode = PrecisionMode.ALLOW_FP16
    precise_ops: frozenset[str] = frozenset()
    fusion_off: frozenset[Fusion] = frozenset()
    disabled_passes: frozenset[str] = frozenset()
    resident: frozenset[str] = frozenset()
    unhandled: tuple[Unhandled, ...] = ()
