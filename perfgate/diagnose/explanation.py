"""Two records of one benchmark side by side: which settings changed, which operators moved, what is copied.

This is the evidence, not yet a cause: nothing here is re-simulated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from perfgate.core.diagnosis import Diagnosis  # noqa: TC001 - msgspec reads the annotations at run time
from perfgate.core.record import Hotspot  # noqa: TC001 - the same

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfgate.core.record import Record
    from perfgate.core.setting import Setting


class SettingChange(msgspec.Struct, frozen=True, kw_only=True):
    """A flag or key whose value differs; None: absent. `place` is where it stands now, or stood."""

    name: str
    before: str | None
    now: str | None
    place: str


class OperatorChange(msgspec.Struct, frozen=True, kw_only=True):
    """An operator that takes longer (`delta_ps` > 0) or copies more; the times are of the whole execution."""

    now: Hotspot
    before_ps: int
    delta_ps: int
    copied_more: int


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """What differs between the records of one benchmark; operators by added time, worst first.

    `diagnosis`: why, for what a gate explains; `diagnosis_file`: where it is kept, below the root.
    """

    key: str
    settings: tuple[SettingChange, ...]
    operators: tuple[OperatorChange, ...]
    copied_before: float
    copied_now: float
    model_changed: bool
    diagnosis: Diagnosis | None = None
    diagnosis_file: str = ""

    @property
    def copier(self) -> OperatorChange | None:
        """The operator that copies more than all others between host and device, if any does."""
        copying = [change for change in self.operators if change.copied_more > 0]
        return max(copying, key=lambda change: change.copied_more, default=None)


def explain(baseline: Record, now: Record) -> Explanation:
    """Compare the stored evidence of two records; without a profile the operators stay empty."""
    return Explanation(
        key=now.key,
        settings=(
            *_settings(baseline.subject.compile, now.subject.compile),
            *_settings(baseline.subject.runtime, now.subject.runtime),
            *_settings(baseline.subject.pipeline, now.subject.pipeline),
        ),
        operators=_operators(baseline, now),
        copied_before=baseline.exact.get("copied_bytes", 0.0),
        copied_now=now.exact.get("copied_bytes", 0.0),
        model_changed=baseline.subject.model_digest != now.subject.model_digest,
    )


def _settings(before: Iterable[Setting], now: Iterable[Setting]) -> list[SettingChange]:
    old = {setting.name: setting for setting in before}
    new = {setting.name: setting for setting in now}
    changes = []
    for name in sorted(old.keys() | new.keys()):
        was, is_now = old.get(name), new.get(name)
        if was is not None and is_now is not None and was.value == is_now.value:
            continue
        place = (is_now or was or old[name]).place
        changes.append(
            SettingChange(
                name=name,
                before=None if was is None else was.value or "(set)",
                now=None if is_now is None else is_now.value or "(set)",
                place=place,
            )
        )
    return changes


def _operators(baseline: Record, now: Record) -> tuple[OperatorChange, ...]:
    if baseline.profile is None or now.profile is None:
        return ()
    old = {spot.name: spot for spot in baseline.profile.operators}
    changes = []
    for spot in now.profile.operators:
        was = old.get(spot.name)
        before_ps = 0 if was is None else was.total_ps
        copied_before = 0 if was is None else was.copied_bytes
        changes.append(
            OperatorChange(
                now=spot,
                before_ps=before_ps,
                delta_ps=spot.total_ps - before_ps,
                copied_more=spot.copied_bytes - copied_before,
            )
        )
    return tuple(sorted(changes, key=lambda change: (-change.delta_ps, change.now.number)))
