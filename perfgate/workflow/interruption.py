"""Signals that end a run in order: remembered always, raised only where nothing is half done."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
_SIGNALS = tuple(getattr(signal, name) for name in _NAMES if hasattr(signal, name))  # not all on every system
SHELL_BASE = 128  # a shell reports a process that a signal ended as 128 and its number


class InterruptedRunError(KeyboardInterrupt):
    """The user, or the system, wants the run to end; `number` is the signal."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number

    @property
    def exit_code(self) -> int:
        """130 for SIGINT, 143 for SIGTERM."""
        return SHELL_BASE + self.number


class Interruption:
    """The first signal that came. A second one changes nothing: cleaning up goes on."""

    def __init__(self) -> None:
        self.number: int | None = None
        self._depth = 0

    @contextmanager
    def caught(self) -> Iterator[None]:
        """Take the signals over for the time of the block."""
        before = {number: signal.signal(number, self._handle) for number in _SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    @contextmanager
    def may_raise(self) -> Iterator[None]:
        """Inside of the block a signal raises, also one that came before it.

        Raises:
            InterruptedRunError: at the signal.
        """
        if self.number is not None:
            raise InterruptedRunError(self.number)
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1

    def _handle(self, number: int, _frame: FrameType | None) -> None:
        if self.number is not None:
            return
        self.number = number
        if self._depth:
            raise InterruptedRunError(number)
