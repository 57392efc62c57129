"""Simulate a side of a diagnosis with something changed: the counterfactuals behind causes and gains."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import msgspec

from perfgate.core.difference import Change, Difference, DifferenceKind, Side
from perfgate.core.setting import Setting
from perfgate.workflow.changed_request import with_settings, with_stage

if TYPE_CHECKING:
    from perfgate.core.execution_profile import Profile
    from perfgate.measure.simulation_input import SimulationInput

_FIELDS = {
    DifferenceKind.FLAG: "compile",
    DifferenceKind.RUNTIME: "runtime",
    DifferenceKind.STAGE: "pipeline",
}
# What a model brings along: shapes and bounds of its own dimensions.
_OF_MODEL = ("model", "model_name", "shapes", "bind", "branches", "trip_counts", "bounds")


@dataclass(frozen=True, slots=True)
class Resimulator:
    """Both sides of one benchmark; called with a change, it compiles and simulates that."""

    before: SimulationInput
    after: SimulationInput

    def __call__(self, change: Change) -> Profile:
        """The profile of a side with differences taken from the other one and settings put.

        Raises:
            PerfgateError: the change cannot be compiled or simulated.
        """
        own, other = (self.before, self.after) if change.side is Side.BEFORE else (self.after, self.before)
        found = own
        for difference in change.taken:
            found = _with_taken(found, other, difference)
        request = found.request
        for item in change.settings:
            new = () if item.value is None else (Setting(name=item.name, value=item.value),)
            request = with_settings(request, _FIELDS[item.kind], item.name, new)
        return replace(found, request=request).profile()


def _with_taken(own: SimulationInput, other: SimulationInput, difference: Difference) -> SimulationInput:
    kind, name = difference.kind, difference.name
    if kind is DifferenceKind.STAGE:
        return replace(own, request=with_stage(own.request, other.request, name))
    if kind in _FIELDS:
        theirs = tuple(item for item in getattr(other.request, _FIELDS[kind]) if item.name == name)
        changed = replace(own, request=with_settings(own.request, _FIELDS[kind], name, theirs))
        mine = {item.value for item in own.request.compile}
        # The file that their flag names need not be on this side.
        for path in {item.value for item in theirs if item.value} - mine:
            changed = _with_file(changed, other, path)
        return changed
    if kind is DifferenceKind.MODEL:
        fields = {field: getattr(other.request, field) for field in _OF_MODEL}
        fields["stages"] = own.request.stages | other.request.stages
        return replace(own, request=msgspec.structs.replace(own.request, **fields))
    if kind is DifferenceKind.DEVICE:
        return replace(own, devices=other.devices)
    if kind is DifferenceKind.FILE:
        return _with_file(own, other, name)
    return own  # versions of another machine cannot be had


def _with_file(own: SimulationInput, other: SimulationInput, name: str) -> SimulationInput:
    read_mine, read_theirs = own.read, other.read

    def read(path: str, named_at: str) -> str:
        return read_theirs(path, named_at) if path == name else read_mine(path, named_at)

    return replace(own, read=read)
