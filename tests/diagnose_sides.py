"""Two sides of a diagnosis, compiled and simulated for real, or drawn by hand, as the rules see them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec

from perfgate.compiler.compilation import compile_graph
from perfgate.compiler.config import CompileConfig
from perfgate.compiler.runtime import RuntimeConfig
from perfgate.compiler.shape_flags import input_shape_bindings
from perfgate.core.device import Mark, Source
from perfgate.core.diagnosis import Focus
from perfgate.core.difference import Difference, DifferenceKind
from perfgate.core.setting import Setting
from perfgate.diagnose.amounts import amount_of
from perfgate.diagnose.limits import shipped_limits
from perfgate.diagnose.matched import match_operators
from perfgate.diagnose.signals import Signals
from perfgate.graph.loading import load
from perfgate.npu.device_change import change_device
from perfgate.npu.device_file import load_device
from perfgate.npu.phase import simulate_iterations
from perfgate.npu.profiling import build_profile
from perfgate.zoo.catalogue import build

if TYPE_CHECKING:
    from perfgate.core.device import Device
    from perfgate.core.execution_profile import Profile
    from perfgate.diagnose.suspect import Rule, Suspect
    from perfgate.graph.ir import Graph

_EDIT = Source(Mark.ASSUMED, "test", "test")
Pairs = tuple[tuple[str, Any], ...]


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """One side: a model of the zoo with parameters, flags, runtime keys, and a device with values changed."""

    model: str = "custom_activation"
    preset: str = ""
    sizes: Pairs = ()
    flags: Pairs = ()
    runtime: Pairs = ()
    device: str = "ascend-310p-like"
    edits: Pairs = ()
    iterations: int = 1


def side(model: str = "custom_activation", preset: str = "", **fields: Any) -> Side:  # noqa: ANN401 - any field
    """A side; mappings become pairs."""
    pairs = {name: tuple(value.items()) for name, value in fields.items() if isinstance(value, dict)}
    return Side(model=model, preset=preset, **{**fields, **pairs})


def _settings(pairs: Pairs) -> list[Setting]:
    return [Setting(name=name, value=value, place="deploy/convert.sh:3:1") for name, value in pairs]


@cache
def _graph(model: str, preset: str, sizes: Pairs, bindings: Pairs) -> Graph:
    built = build(model, preset or None, **dict(sizes))
    return load(built.SerializeToString(), bindings=dict(bindings), name=model)


def _machine(name: str, edits: Pairs) -> Device:
    return change_device(load_device(name), dict(edits), _EDIT) if edits else load_device(name)


@cache
def profile_of(of: Side) -> Profile:
    """Compile and simulate a side, once in a session."""
    config = CompileConfig.from_settings(_settings(of.flags))
    shapes = input_shape_bindings(config)
    graph = _graph(of.model, of.preset, of.sizes, tuple(sorted(shapes[0].bindings.items())))
    return _simulated(graph, config, of, len(shapes))


def drawn_profile(graph: Graph, of: Side) -> Profile:
    """The same for a graph drawn by hand; the side's model does not count."""
    return _simulated(graph, CompileConfig.from_settings(_settings(of.flags)), of, 1)


def _simulated(graph: Graph, config: CompileConfig, of: Side, shapes: int) -> Profile:
    runtime = RuntimeConfig.from_settings(_settings(of.runtime))
    machine = _machine(of.device, of.edits)
    program = compile_graph(graph, config, runtime, machine)
    return build_profile(simulate_iterations(program, machine, runtime, of.iterations), (), shapes)


def differences(before: Side, after: Side) -> tuple[Difference, ...]:
    """Flags and runtime keys that the two sides do not share."""
    found = []
    kinds = (
        (DifferenceKind.FLAG, before.flags, after.flags),
        (DifferenceKind.RUNTIME, before.runtime, after.runtime),
    )
    for kind, *sides in kinds:
        old, new = (dict(pairs) for pairs in sides)
        for name in sorted(old.keys() | new.keys()):
            if old.get(name) != new.get(name):
                found.append(Difference(kind=kind, name=name, before=old.get(name), after=new.get(name)))  # noqa: PERF401 - a comprehension would not fit a screen
    return tuple(found)


def compare(before: Side, after: Side, focus: Focus = Focus.LATENCY) -> Signals:
    """What rules see of two sides."""
    return signals_of(profile_of(before), profile_of(after), focus, differences=differences(before, after))


def alone(after: Side, focus: Focus = Focus.LATENCY) -> Signals:
    """What rules see without a baseline."""
    return signals_of(None, profile_of(after), focus)


def signals_of(
    before: Profile | None,
    after: Profile,
    focus: Focus = Focus.LATENCY,
    **fields: Any,  # noqa: ANN401 - fields of Signals
) -> Signals:
    """Signals of two profiles with their operators paired."""
    amount = amount_of(after, focus)
    return Signals(
        before=before,
        after=after,
        matched=() if before is None else match_operators(before, after)[0],
        focus=focus,
        amount=amount,
        delta=amount - (0 if before is None else amount_of(before, focus)),
        **fields,
    )


def found(rule: Rule, signals: Signals) -> list[Suspect]:
    """What a rule says with the shipped limits; its signals have to be there."""
    assert rule.needs <= signals.present
    return list(rule.match(signals, shipped_limits()[rule.id]))


def machine(name: str = "ascend-310p-like", **edits: object) -> Device:
    """A device of the package, with values changed by dotted key (`__` for the dot)."""
    return _machine(name, tuple((key.replace("__", "."), value) for key, value in edits.items()))
