"""The session options of ONNX Runtime out of a compile section; unknown names and values are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from perfgate.config.typed_yaml import did_you_mean
from perfgate.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfgate.core.setting import Setting

MOST_THREADS = 1024
_CPU = "CPUExecutionProvider"
_CHOICES: dict[str, dict[str, Any]] = {
    "graph_optimization_level": {
        "disable": "ORT_DISABLE_ALL",
        "basic": "ORT_ENABLE_BASIC",
        "extended": "ORT_ENABLE_EXTENDED",
        "all": "ORT_ENABLE_ALL",
    },
    "execution_mode": {"sequential": "ORT_SEQUENTIAL", "parallel": "ORT_PARALLEL"},
    "enable_mem_pattern": {"true": True, "false": False},
    "enable_cpu_mem_arena": {"true": True, "false": False},
}
_THREADS = ("intra_op_num_threads", "inter_op_num_threads")
NAMES = (*_CHOICES, *_THREADS, "providers")


class SessionOptions(msgspec.Struct, frozen=True, kw_only=True):
    """`values` as ONNX Runtime spells them; one thread by default, since more share the machine by chance."""

    values: dict[str, Any]
    providers: tuple[str, ...] = (_CPU,)

    @property
    def is_cpu(self) -> bool:
        """Nothing but the processor is used."""
        return self.providers == (_CPU,)


def session_options(settings: Iterable[Setting]) -> SessionOptions:
    """Options with the defaults of a measurement; a later setting overrules an earlier one of its name.

    Raises:
        UsageError: an unknown name or value, with its place and the nearest known one.
    """
    values: dict[str, Any] = {
        "graph_optimization_level": "ORT_ENABLE_ALL",
        "execution_mode": "ORT_SEQUENTIAL",
        **dict.fromkeys(_THREADS, 1),
    }
    providers: tuple[str, ...] = (_CPU,)
    for setting in settings:
        name, value = setting.name.lstrip("-"), (setting.value or "").strip()
        if name in _CHOICES:
            if value not in _CHOICES[name]:
                what = f"{name} is {value!r}"
                raise UsageError(what, setting.place, f"want {' or '.join(_CHOICES[name])}")
            values[name] = _CHOICES[name][value]
        elif name in _THREADS:
            if not value.isdecimal() or int(value) > MOST_THREADS:
                what = f"{name} is {value!r}"
                raise UsageError(what, setting.place, "want a whole number; 0 leaves it to ONNX Runtime")
            values[name] = int(value)
        elif name == "providers":
            providers = tuple(part.strip() for part in value.split(",") if part.strip())
            if not providers:
                raise UsageError("no provider", setting.place, f"write providers: {_CPU}")
        else:
            what = f"onnxruntime has no session option {name!r}"
            raise UsageError(what, setting.place, did_you_mean(name, NAMES))
    return SessionOptions(values=values, providers=providers)
