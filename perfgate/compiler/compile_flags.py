"""The table of compile flags: what each one sets in the `CompileConfig`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeAlias

from perfgate.compiler.config import BufferMode, CompileConfig
from perfgate.compiler.flag_values import choice_of, plain_name, read_beside, refuse, text_of, truth_of
from perfgate.compiler.layouts import BLOCKED, CHANNELS_LAST, LOGICAL
from perfgate.compiler.op_precision import parse_op_precision
from perfgate.compiler.passnames import PASS_NAMES
from perfgate.compiler.precision import PrecisionMode
from perfgate.compiler.preprocessing import parse_preprocessing
from perfgate.compiler.program import Unhandled
from perfgate.compiler.shape_flags import DynamicKind, parse_dynamic, parse_shapes
from perfgate.compiler.switches import parse_switches
from perfgate.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from perfgate.compiler.flag_values import FileReader
    from perfgate.core.setting import Setting

Changes: TypeAlias = dict[str, Any]  # field of CompileConfig -> value
Handler: TypeAlias = "Callable[[Setting, FileReader], Changes]"

# They say what is compiled and where the result goes; nothing of the program depends on them.
PASSIVE = frozenset(
    {"model", "output", "framework", "weight", "log", "check_report", "dump_mode", "display_model_info"}
)
_LAYOUTS = {CHANNELS_LAST: CHANNELS_LAST, LOGICAL: LOGICAL, BLOCKED: BLOCKED}
_INPUT_FORMATS = {
    LOGICAL: LOGICAL,
    CHANNELS_LAST: CHANNELS_LAST,
    "ND": LOGICAL,
    "NCDHW": LOGICAL,
    "NDHWC": LOGICAL,
}
_MODES: dict[str, PrecisionMode] = {mode.value: mode for mode in PrecisionMode} | {
    "allow_mix_precision_fp16": PrecisionMode.MIXED_FP16,
    "allow_mix_precision_bf16": PrecisionMode.MIXED_BF16,
}
_MODES_V2: dict[str, PrecisionMode] = {
    "fp16": PrecisionMode.FP16,
    "origin": PrecisionMode.ORIGIN,
    "cube_fp16in_fp32out": PrecisionMode.MATRIX_FP16_OUT_FP32,
    "mixed_float16": PrecisionMode.MIXED_FP16,
    "mixed_bfloat16": PrecisionMode.MIXED_BF16,
}
_UNMODELLED_MODES = frozenset(
    {"cube_hif8", "mixed_hif8"}
)  # values of newer toolkits, no device here has hif8
_OUTPUT_TYPES = {
    "FP32": "float32", "FP16": "float16", "DOUBLE": "float64", "INT8": "int8", "UINT8": "uint8",
    "INT16": "int16", "UINT16": "uint16", "INT32": "int32", "UINT32": "uint32", "INT64": "int64",
    "UINT64": "uint64",
}  # fmt: skip
_EXCLUSIVE = (("precision_mode", "precision_mode_v2"), tuple(str(kind) for kind in DynamicKind))
_INDEX = re.compile(r"\[\d+\]$")


def read_config(settings: Sequence[Setting], read: FileReader | None) -> CompileConfig:
    """Build the config; see `CompileConfig.from_settings`."""
    read = read or read_beside()
    notes: list[str] = []
    lists: dict[str, list[str]] = {}
    last: dict[str, Setting] = {}
    for setting in settings:
        name = plain_name(setting.name)
        base = _INDEX.sub("", name)
        if base != name or (base in _LISTS and base in lists):
            lists.setdefault(base, []).append(setting.value or "")
            last.setdefault(base, setting)
            continue
        if name in last:
            before, after = last[name].place or "no place", setting.place or "no place"
            notes.append(f"{setting.name} at {after} replaces the one at {before}")
        last[name] = setting
    _refuse_exclusive(last)
    changes: Changes = {}
    unhandled: list[Unhandled] = []
    for name, setting in last.items():
        if name in _LISTS:
            field = _LISTS[name]
            changes[field] = changes.get(field, frozenset()) | _list_of(name, setting, lists.get(name))
            continue
        handler = _HANDLERS.get(name)
        if handler is not None:
            found = handler(setting, read)
            unhandled += found.pop("unhandled", ())
            changes.update(found)
        elif name not in PASSIVE:
            unhandled.append(Unhandled(setting.name, setting.place, "its effect is not modelled"))
    return CompileConfig(**changes, unhandled=tuple(unhandled), notes=tuple(notes))


def _refuse_exclusive(last: dict[str, Setting]) -> None:
    for group in _EXCLUSIVE:
        given = [last[name] for name in group if name in last]
        if len(given) > 1:
            names = " and ".join(setting.name for setting in given)
            raise UsageError(
                f"{names} exclude each other", given[1].place or "compile settings", "keep one of them"
            )


_LISTS: dict[str, str] = {
    "disable_pass": "disabled_passes",
    "disable_passes": "disabled_passes",
    "exclude": "quantise_exclude",
    "quantize.exclude": "quantise_exclude",
}


def _list_of(name: str, setting: Setting, items: list[str] | None) -> frozenset[str]:
    if items is None:
        items = text_of(setting, "names by comma").strip("[]").split(",")
    names = frozenset(item.strip().strip("'\"") for item in items if item.strip())
    if _LISTS[name] == "disabled_passes":
        for item in names:
            if item not in PASS_NAMES:
                refuse(setting, "pass names out of " + ", ".join(PASS_NAMES))
    return names


def _layout(setting: Setting, _read: FileReader) -> Changes:
    expected = "NHWC, NCHW or NC1HWC0, or Op:layout by comma"
    text = text_of(setting, expected)
    if ":" not in text:
        return {"layout": choice_of(setting, _LAYOUTS)}
    pins: dict[str, str] = {}
    bare = ""
    for part in text.split(","):
        op, colon, layout = (piece.strip() for piece in part.partition(":"))
        chosen = (layout if colon else op).upper()
        if chosen not in _LAYOUTS or (colon and not op):
            refuse(setting, expected)
        if colon:
            pins[op] = chosen
        else:
            bare = chosen
    return {"layout": bare, "type_layouts": pins}


def _switch_file(setting: Setting, read: FileReader) -> Changes:
    if setting.value == "":  # an empty path is the toolkit's way to name no file
        return {}
    name = text_of(setting, "a JSON file of fusion switches")
    switches = parse_switches(read(name, setting.place), name, setting.place or "compile settings")
    return {"fusion_off": switches.off, "unhandled": switches.unhandled}


def _preprocessing(setting: Setting, read: FileReader) -> Changes:
    if setting.value == "":
        return {}
    name = text_of(setting, "a file of aipp_op blocks")
    return {"preprocessing": parse_preprocessing(read(name, setting.place), name)}


def _op_precision(setting: Setting, read: FileReader) -> Changes:
    found = parse_op_precision(setting, read)
    return {"precise_ops": found.ops, "precise_nodes": found.nodes, "unhandled": found.unhandled}


def _precision_v2(setting: Setting, _read: FileReader) -> Changes:
    if setting.value in _UNMODELLED_MODES:
        return {"unhandled": (Unhandled(setting.name, setting.place, f"{setting.value} is not modelled"),)}
    return {"precision": choice_of(setting, _MODES_V2)}


def _output_type(setting: Setting, _read: FileReader) -> Changes:
    text = text_of(setting, "a type such as FP16")
    if ":" in text:
        reason = "only one type for all outputs is modelled"
        return {"unhandled": (Unhandled(setting.name, setting.place, reason),)}
    return {"output_type": choice_of(setting, _OUTPUT_TYPES)}


def _quantise(setting: Setting, _read: FileReader) -> Changes:
    return {"quantise": choice_of(setting, {"int8": True, "none": False, "false": False})}


def _dynamic(kind: DynamicKind) -> Handler:
    return lambda setting, _read: {"dynamic": parse_dynamic(setting, kind)}


_HANDLERS: dict[str, Handler] = {
    "optypelayout": _layout,
    "input_format": lambda setting, _read: {"input_layout": choice_of(setting, _INPUT_FORMATS)},
    "input_shape": lambda setting, _read: {"input_shapes": parse_shapes(setting)},
    **{str(kind): _dynamic(kind) for kind in DynamicKind},
    "precision_mode": lambda setting, _read: {"precision": choice_of(setting, _MODES)},
    "precision_mode_v2": _precision_v2,
    "op_precision_mode": _op_precision,
    "fusion_switch_file": _switch_file,
    "buffer_optimize": lambda setting, _read: {
        "buffer_mode": choice_of(setting, {m.value: m for m in BufferMode})
    },
    "enable_single_stream": lambda setting, _read: {"single_stream": truth_of(setting)},
    "enable_small_channel": lambda setting, _read: {"small_channel": truth_of(setting)},
    "insert_op_conf": _preprocessing,
    "soc_version": lambda setting, _read: {"soc_version": text_of(setting, "a chip such as Ascend310P3")},
    "output_type": _output_type,
    "quantize": _quantise,
    "quantise": _quantise,
}


def acts(name: str) -> bool:
    """Whether a flag of this name changes the simulated program; its value has to be known."""
    return plain_name(name) in _HANDLERS or plain_name(name) in _LISTS
