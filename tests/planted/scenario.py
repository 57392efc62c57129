"""A planted fault as a file: model, device, what is changed, and the cause that has to be found.

The file says nothing of the outcome but what it expects; the fault acts by mechanism. Keys are documented in
docs/SCENARIOS.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from perfgate.config.typed_yaml import read_typed
from perfgate.core.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

KINDS = ("flag", "runtime", "stage", "device", "parameter", "preset", "edit", "file")
Value = str | int | float | bool | None


class Plant(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename={"from_": "from"}):
    """One change; exactly one of the kinds is named, `from` and `to` are its values (absent: not set).

    `edit` names a change of the model's graph (`tests/planted/model_edits.py`), `at` the node it hits by name
    or op, `times` how often. `file` is the content of a file that a flag names, on both sides. `stage` is a
    setting of a pipeline.
    """

    flag: str | None = None
    runtime: str | None = None
    stage: str | None = None
    device: str | None = None
    parameter: str | None = None
    preset: bool | None = None
    edit: str | None = None
    file: str | None = None
    from_: Value = None
    to: Value = None
    at: str = ""
    times: int = 1

    @property
    def kind(self) -> str:
        """Which of the kinds it is."""
        return next(kind for kind in KINDS if getattr(self, kind) is not None)


class Expect(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the diagnosis has to say; `rule` "none" for a change that costs nothing.

    `operator` is a name or one of several, `flag` the blamed setting, `flags` several that all have to be
    among the first three, `evidence` rules or words among the
    pieces of evidence. `recovered` is a bound such as ">=0.9". `regresses` false: the gate stays green.
    """

    rule: str | list[str]
    operator: str | list[str] = ""
    flag: str = ""
    flags: list[str] = []
    evidence: list[str] = []
    recovered: str = ""
    regresses: bool = True


class Scenario(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One fault; `compile` and `runtime` hold on both sides."""

    model: str
    preset: str | None = None
    parameters: dict[str, Value] = {}
    device: str
    noise: str = "quiet"
    iterations: int = 0
    focus: str = "latency"
    compile: dict[str, Value] = {}
    runtime: dict[str, Value] = {}
    plant: Plant | list[Plant]
    expect: Expect
    note: str = ""

    @property
    def plants(self) -> list[Plant]:
        """The changes, one or several."""
        return self.plant if isinstance(self.plant, list) else [self.plant]


@dataclass(frozen=True, slots=True)
class NamedScenario:
    """A scenario and the name of its file."""

    name: str
    scenario: Scenario


def read_scenarios(folder: Path) -> list[NamedScenario]:
    """All scenario files below a folder, by name.

    Raises:
        UsageError: a file is no scenario, with file:line:column, or the folder holds none.
    """
    found = []
    for path in sorted((*folder.rglob("*.yaml"), *folder.rglob("*.yml"))):
        scenario = read_typed(path.read_bytes(), str(path), Scenario, UsageError).value
        for plant in scenario.plants:
            named = [kind for kind in KINDS if getattr(plant, kind) is not None]
            if len(named) != 1:
                what = f"a plant names one of {', '.join(KINDS)}, this one {', '.join(named) or 'none'}"
                raise UsageError(what, str(path), "write one change per plant")
        found.append(NamedScenario(path.stem, scenario))
    if not found:
        raise UsageError("no scenario files", str(folder), "name a folder with *.yaml files")
    return found


def text_of(value: Any) -> str | None:  # noqa: ANN401 - a YAML scalar
    """A value as a command line or runtime file writes it; None: not set."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)
