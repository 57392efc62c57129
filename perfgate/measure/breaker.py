"""A circuit breaker: what keeps failing is not asked again and again, each time until its time is over.

Closed, every call is made. When most of the latest calls failed it opens, and calls are refused at once.
After a while it is half open: one call is made, and its outcome closes or opens it again. What was refused
has no record, so a gate cannot pass it; an older result is never taken in its place.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeVar

from perfgate.core.errors import InfrastructureError, PerfgateError

if TYPE_CHECKING:
    from collections.abc import Callable

Answer = TypeVar("Answer")


class State(StrEnum):
    """Whether calls are made: all, none, or one to see."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half open"


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakerRule:
    """Opens when more than `share` of the calls of the last `window` seconds failed, for `rest` seconds.

    At least the last `least` calls count, however long ago: one that runs out of its time fills any window.
    Fewer calls open nothing, so that a few broken benchmarks do not stop the healthy ones.
    """

    share: float = 0.5
    window: float = 10.0
    rest: float = 30.0
    least: int = 6


class Breaker:
    """Guards the calls of one backend; `name` is what messages call it, `clock` counts seconds."""

    __slots__ = ("_clock", "_name", "_opened", "_outcomes", "_rule")

    def __init__(self, name: str, clock: Callable[[], float], rule: BreakerRule = BreakerRule()) -> None:
        self._name = name
        self._clock = clock
        self._rule = rule
        self._outcomes: deque[tuple[float, bool]] = deque()  # when a call ended, and whether it failed
        self._opened: float | None = None

    @property
    def state(self) -> State:
        """As of now."""
        if self._opened is None:
            return State.CLOSED
        return State.HALF_OPEN if self._clock() - self._opened >= self._rule.rest else State.OPEN

    def call(self, action: Callable[[], Answer], place: str) -> Answer:
        """The answer of an action, if it is asked at all; only failures of infrastructure count as such.

        Raises:
            InfrastructureError: refused without asking, or the action's own.
            PerfgateError: the action's own; what is wrong with one benchmark says nothing of the backend.
        """
        if self.state is State.OPEN:
            failed = sum(is_failure for _, is_failure in self._outcomes)
            what = f"not asked: {failed} of the last {len(self._outcomes)} runs of {self._name} were stopped"
            raise InfrastructureError(what, place, "look at the machine, then run it again")
        try:
            answer = action()
        except PerfgateError as problem:
            self._note(is_failure=isinstance(problem, InfrastructureError))
            raise
        self._note(is_failure=False)
        return answer

    def _note(self, *, is_failure: bool) -> None:
        now, rule = self._clock(), self._rule
        if self._opened is not None and not is_failure:
            self._opened = None
            self._outcomes.clear()
        self._outcomes.append((now, is_failure))
        while len(self._outcomes) > rule.least and now - self._outcomes[0][0] > rule.window:
            self._outcomes.popleft()
        count = len(self._outcomes)
        failed = sum(failed for _, failed in self._outcomes)
        if self._opened is not None or (count >= rule.least and failed > rule.share * count):
            self._opened = now
