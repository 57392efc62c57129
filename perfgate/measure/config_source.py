"""The compile flags and runtime keys of a benchmark, each with the place it was read from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.compiler.compile_flags import acts
from perfgate.config.runtime_config import read_runtime_keys
from perfgate.core.errors import UsageError
from perfgate.core.setting import Setting
from perfgate.measure.compile_command import compile_command

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfgate.measure.benchmark import Benchmark

CHIP = "--soc_version"


def compile_settings(benchmark: Benchmark, read: Callable[..., bytes]) -> tuple[Setting, ...]:
    """The flags in order of execution, each with its place; a repeated flag appears as the tool takes it.

    Raises:
        UsageError: as `compile_command`, or the file does not tell the value of a flag that acts.
    """
    command = compile_command(benchmark, read)
    if command is None:
        return tuple(
            Setting(name=name, value=value, place=benchmark.place)
            for name, value in benchmark.compile.flags.items()
        )
    settings = []
    for flag in command.flags:
        if flag.overridden:
            continue
        if flag.value.is_bare or flag.value.text is not None:
            settings.append(Setting(name=flag.name, value=flag.value.text, place=str(flag.span)))
        elif _must_be_known(flag.name, benchmark):
            what = f"the value of {flag.name} cannot be told from the file"
            raise UsageError(what, str(flag.span), "write the value out where the command stands")
    missing = [
        name
        for name in benchmark.compile.require_resolved
        if all(flag.name != name for flag in command.flags)
    ]
    if missing:
        what = f"the compile command has no {missing[0]}"
        raise UsageError(what, str(command.program_span), "add it, or drop it from `require_resolved`")
    return tuple(settings)


def _must_be_known(name: str, benchmark: Benchmark) -> bool:
    """A flag that acts on the simulated program; the chip does not, since the suite names the device."""
    return name in benchmark.compile.require_resolved or (acts(name) and name != CHIP)


def runtime_settings(benchmark: Benchmark, read: Callable[..., bytes]) -> tuple[Setting, ...]:
    """The runtime keys, each with its place.

    Raises:
        UsageError: the file cannot be read, or is broken.
    """
    source = benchmark.runtime
    if source.path is None:
        return tuple(
            Setting(name=name, value=value, place=benchmark.place) for name, value in source.values.items()
        )
    data = read(source.path, what="runtime configuration", named_at=benchmark.place)
    keys = read_runtime_keys(source.path, data, source.key)
    return tuple(Setting(name=key.path, value=key.text, place=str(key.span)) for key in keys)
