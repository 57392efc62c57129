"""RuntimeConfig: the keys of the runtime file as a value, or kept as unhandled with their place."""

from __future__ import annotations

import json
from enum import StrEnum
from math import ceil, floor
from typing import TYPE_CHECKING, Any

import msgspec

from perfgate.compiler.flag_values import (
    bytes_of,
    choice_of,
    count_of,
    plain_name,
    refuse,
    share_of,
    truth_of,
)
from perfgate.compiler.program import Unhandled
from perfgate.core.setting import Setting

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_STREAMS = 64
_MOST_KERNEL_US = 10_000_000
_NESTED = ("tea_cache", "background")


class StreamPriority(StrEnum):
    """Order of ready kernels against other work on the device."""

    LOW = "low"
    NORMAL = "normal"
    HIGH = "high"


class Background(msgspec.Struct, frozen=True, kw_only=True):
    """Other work on the device: share of the time, its priority, and the length of one of its kernels."""

    load: float
    priority: StreamPriority = StreamPriority.NORMAL
    kernel_us: int = 100


class TeaCache(msgspec.Struct, frozen=True, kw_only=True):
    """Which iterations reuse the stored output of the region: every `every`-th between two shares."""

    every: int = 6
    start: float = 0.2  # `from` in the file
    stop: float = 0.8  # `to`

    def reused(self, iterations: int) -> tuple[int, ...]:
        """Iterations that reuse: 28 of them with the defaults give 6, 12, 18."""
        first, last = ceil(self.start * iterations), floor(self.stop * iterations)
        return tuple(range(max(1, first), last + 1, self.every))  # the first iteration has nothing to reuse


class RuntimeConfig(msgspec.Struct, frozen=True, kw_only=True):
    """How the compiled program is run; the defaults are what an absent key means.

    `memory_pool` is the arena in bytes reserved at load, 0 for as much as the plan needs. `notes` say what a
    person should know, for example that a priority changes nothing without other work on the device.
    """

    memory_pool: int = 0
    pinned_memory: bool = False
    streams: int = 1
    stream_priority: StreamPriority = StreamPriority.NORMAL
    background: Background | None = None
    tea_cache: TeaCache | None = None
    unhandled: tuple[Unhandled, ...] = ()
    notes: tuple[str, ...] = ()

    @staticmethod
    def from_settings(settings: Sequence[Setting]) -> RuntimeConfig:
        """The keys of a runtime file, in document order; the last of a repeated key wins with a note.

        Nested keys come as `tea_cache.every` or as a JSON object in one value.

        Raises:
            UsageError: a value that its key cannot have.
        """
        notes: list[str] = []
        last: dict[str, Setting] = {}
        for setting in _spread(settings):
            name = plain_name(setting.name)
            if name in last:
                notes.append(f"{setting.name} at {setting.place} replaces the one at {last[name].place}")
            last[name] = setting
        unhandled = [
            Unhandled(setting.name, setting.place, "its effect is not modelled")
            for name, setting in last.items()
            if name not in _KEYS
        ]
        return _build(last, unhandled, notes)


_KEYS = frozenset({
    "memory_pool", "pinned_memory", "streams", "stream_priority", "stream.priority", "tea_cache",
    "background", "tea_cache.every", "tea_cache.from", "tea_cache.to", "tea_cache.enabled",
    "background.load", "background.priority", "background.kernel_us",
})  # fmt: skip


def _spread(settings: Sequence[Setting]) -> list[Setting]:
    """Settings with JSON objects of nested keys taken apart."""
    found: list[Setting] = []
    for setting in settings:
        text = (setting.value or "").strip()
        if plain_name(setting.name) not in _NESTED or not text.startswith("{"):
            found.append(setting)
            continue
        try:
            entries = json.loads(text)
        except ValueError:
            refuse(setting, "true, false or an object")
        for key, value in entries.items():
            shown = json.dumps(value) if isinstance(value, bool) else str(value)
            found.append(Setting(name=f"{setting.name}.{key}", value=shown, place=setting.place))
    return found


def _build(last: dict[str, Setting], unhandled: list[Unhandled], notes: list[str]) -> RuntimeConfig:
    changes: dict[str, Any] = {}
    if (setting := last.get("memory_pool")) is not None:
        changes["memory_pool"] = bytes_of(setting)
    if (setting := last.get("pinned_memory")) is not None:
        changes["pinned_memory"] = truth_of(setting)
    if (setting := last.get("streams")) is not None:
        changes["streams"] = count_of(setting, 1, MOST_STREAMS)
    priority = last.get("stream_priority") or last.get("stream.priority")
    if priority is not None:
        changes["stream_priority"] = choice_of(priority, {level.value: level for level in StreamPriority})
    changes["background"] = _background(last)
    changes["tea_cache"] = _tea_cache(last)
    if changes["background"] is None:
        notes += [
            f"{setting.name} at {setting.place} changes nothing: background.load is absent"
            for name, setting in last.items()
            if name.startswith("background.") or (name == "background" and setting.value != "false")
        ]
    if (
        priority is not None
        and changes["stream_priority"] is not StreamPriority.NORMAL
        and changes["background"] is None
    ):
        notes.append(
            f"{priority.name} at {priority.place} changes nothing: no other work on the device is declared"
        )
    return RuntimeConfig(**changes, unhandled=tuple(unhandled), notes=tuple(notes))


def _background(last: dict[str, Setting]) -> Background | None:
    load = last.get("background.load")
    if load is None:
        return None
    changes: dict[str, Any] = {"load": share_of(load)}
    if changes["load"] >= 1.0:
        refuse(load, "a share below 1, or nothing else would ever run")
    if (setting := last.get("background.priority")) is not None:
        changes["priority"] = choice_of(setting, {level.value: level for level in StreamPriority})
    if (setting := last.get("background.kernel_us")) is not None:
        changes["kernel_us"] = count_of(setting, 1, _MOST_KERNEL_US)
    return Background(**changes)


def _tea_cache(last: dict[str, Setting]) -> TeaCache | None:
    switch = last.get("tea_cache") or last.get("tea_cache.enabled")
    parts = [name for name in ("tea_cache.every", "tea_cache.from", "tea_cache.to") if name in last]
    if switch is None and not parts:
        return None
    if switch is not None and not truth_of(switch):
        return None
    changes: dict[str, Any] = {}
    if "tea_cache.every" in last:
        changes["every"] = count_of(last["tea_cache.every"], 1, 1_000_000)
    if "tea_cache.from" in last:
        changes["start"] = share_of(last["tea_cache.from"])
    if "tea_cache.to" in last:
        changes["stop"] = share_of(last["tea_cache.to"])
    found = TeaCache(**changes)
    if found.start > found.stop:
        refuse(last.get("tea_cache.from") or last["tea_cache.to"], "`from` at or below `to`")
    return found
