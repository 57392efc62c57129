"""What differs between two records besides the numbers: settings, model, device, environment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.difference import Difference, DifferenceKind
from perfgate.core.machine import SIMULATED
from perfgate.core.setting import stage_and_key

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfgate.core.record import Record
    from perfgate.core.setting import Setting

# A simulated time does not depend on the interpreter, and a seed only draws other noise.
_NOT_TOLD = frozenset({"seed", "compile_cache", "test"})
_NO_STAGES = frozenset({"", "engines"})  # what the pipeline itself says
_NOT_SIMULATED = frozenset({"python", "numpy"})


def differences(before: Record, after: Record) -> tuple[Difference, ...]:
    """Every input that is not the same: flags and keys in the order of the file now, then the rest.

    A repeated flag is compared with all its values.
    """
    return (
        *_settings(DifferenceKind.FLAG, before.subject.compile, after.subject.compile),
        *_settings(DifferenceKind.RUNTIME, before.subject.runtime, after.subject.runtime),
        *_stages(before.subject.pipeline, after.subject.pipeline),
        *_texts(DifferenceKind.FILE, *_common(before.subject.files, after.subject.files)),
        *_whole(
            DifferenceKind.MODEL, after.subject.model, before.subject.model_digest, after.subject.model_digest
        ),
        *_whole(DifferenceKind.DEVICE, after.device, before.ruler.device_digest, after.ruler.device_digest),
        *_texts(DifferenceKind.CONTEXT, _context(before), _context(after)),
    )


def _settings(kind: DifferenceKind, before: Iterable[Setting], after: Iterable[Setting]) -> list[Difference]:
    old, new = _by_name(before), _by_name(after)
    found = []
    for name in dict.fromkeys([*new, *old]):
        was, is_now = old.get(name, []), new.get(name, [])
        if [item.value for item in was] == [item.value for item in is_now]:
            continue
        found.append(
            Difference(
                kind=kind,
                name=name,
                before=_value(was),
                after=_value(is_now),
                place_before=was[-1].place if was else "",
                place_after=is_now[-1].place if is_now else "",
            )
        )
    return found


def _stages(before: Iterable[Setting], after: Iterable[Setting]) -> list[Difference]:
    """A stage that only one side has is one difference, whatever it says; then the settings of the others."""
    old, new = _by_stage(before), _by_stage(after)
    found = [
        Difference(
            kind=DifferenceKind.STAGE,
            name=stage,
            before=_stage_text(old.get(stage)),
            after=_stage_text(new.get(stage)),
            place_before=old[stage][0].place if stage in old else "",
            place_after=new[stage][0].place if stage in new else "",
        )
        for stage in dict.fromkeys([*new, *old])
        if stage not in _NO_STAGES and (stage in old) != (stage in new)
    ]
    whole = {item.name for item in found}
    kept = [
        [item for stage, items in side.items() if stage not in whole for item in items] for side in (old, new)
    ]
    return [*found, *_settings(DifferenceKind.STAGE, *kept)]


def _by_stage(settings: Iterable[Setting]) -> dict[str, list[Setting]]:
    found: dict[str, list[Setting]] = {}
    for setting in settings:
        found.setdefault(stage_and_key(setting.name)[0], []).append(setting)
    return found


def _stage_text(settings: list[Setting] | None) -> str | None:
    if settings is None:
        return None
    return ", ".join(f"{stage_and_key(item.name)[1]} {item.value}" for item in settings)


def _by_name(settings: Iterable[Setting]) -> dict[str, list[Setting]]:
    found: dict[str, list[Setting]] = {}
    for setting in settings:
        found.setdefault(setting.name, []).append(setting)
    return found


def _value(settings: list[Setting]) -> str | None:
    """The values as text; a bare flag is "", None is absent."""
    return ",".join(item.value or "" for item in settings) if settings else None


def _common(before: dict[str, str], after: dict[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Files that both sides name: one that only one of them names is the flag's difference."""
    return (
        {name: text for name, text in before.items() if name in after},
        {name: text for name, text in after.items() if name in before},
    )


def _texts(kind: DifferenceKind, before: dict[str, str], after: dict[str, str]) -> list[Difference]:
    names = dict.fromkeys([*after, *before])
    return [
        Difference(kind=kind, name=name, before=before.get(name), after=after.get(name))
        for name in names
        if before.get(name) != after.get(name)
    ]


def _whole(kind: DifferenceKind, name: str, before: str, after: str) -> list[Difference]:
    # A record from before digests were kept says nothing about what it measured.
    if before == after or not before or not after:
        return []
    return [Difference(kind=kind, name=name, before=before, after=after)]


def _context(record: Record) -> dict[str, str]:
    hidden = _NOT_TOLD | (_NOT_SIMULATED if record.backend == SIMULATED else frozenset())
    return {name: text for name, text in record.context.items() if name not in hidden}
