"""What the planned files simulate to: the numbers that a validation is held against."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from perfgate.core.execution_profile import scope_totals
from perfgate.core.units import PS_PER_SECOND
from perfgate.diagnose.amounts import amount_of

if TYPE_CHECKING:
    from perfgate.core.diagnosis import Diagnosis
    from perfgate.core.execution_profile import Profile


class Prediction(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The focus metric of the repository as it is and with the plan, in the unit of the diagnosis.

    `values` are metrics by name in their unit, scopes and operators by name in seconds, with the plan. Empty
    where the planned files could not be simulated; the amounts are those of the diagnosis then. `places` are
    the scopes and operators among them.
    """

    now: int | None = None
    planned: int | None = None
    values: dict[str, float] = {}
    places: tuple[str, ...] = ()

    @property
    def gain(self) -> float | None:
        """Share of now that goes away; None when it is not known."""
        return None if self.planned is None or not self.now else (self.now - self.planned) / self.now


def prediction_of(diagnosis: Diagnosis, now: Profile, planned: Profile) -> Prediction:
    """From the simulated profiles of the repository as it is and as planned."""
    totals = {name: total / PS_PER_SECOND for name, total in scope_totals(planned.operators).items()}
    times = totals | {row.name: row.total_ps / PS_PER_SECOND for row in planned.operators}
    places = tuple(name for name in places_of(diagnosis) if name in times)
    return Prediction(
        now=amount_of(now, diagnosis.focus),
        planned=amount_of(planned, diagnosis.focus),
        values={
            "latency": planned.application.total_ps / PS_PER_SECOND,
            **planned.exact,
            **{name: times[name] for name in places},
        },
        places=places,
    )


def places_of(diagnosis: Diagnosis) -> tuple[str, ...]:
    """The scope that holds most of the delta, and the operator of the found cause."""
    cause = diagnosis.found
    scope = (diagnosis.scope.scope,) if diagnosis.scope else ()
    operator = (cause.operator.name,) if cause is not None and cause.operator is not None else ()
    return tuple(dict.fromkeys((*scope, *operator)))
