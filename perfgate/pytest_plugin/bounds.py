"""Limits around measured code in this process: it comes back, and the process is as it was before."""

from __future__ import annotations

import contextlib
import faulthandler
import locale
import os
import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from perfgate.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import FrameType


@contextmanager
def bounded(test: str, seconds: float) -> Iterator[None]:
    """End code that does not come back, and give folder and locale back to the tests after this one.

    A forked copy of the process that comes out of the measured code ends here: it is not the one that pytest
    knows. The time limit works where signals do, in the main thread, when nobody else uses the alarm; code
    that never returns to Python cannot be ended.

    Raises:
        UsageError: the time is over.
    """
    owner, folder, language = os.getpid(), os.getcwd(), locale.setlocale(locale.LC_ALL)  # noqa: PTH109 - to go back
    try:
        with _alarm(test, seconds):
            yield
    finally:
        if os.getpid() != owner:
            os._exit(0)
        with contextlib.suppress(OSError):
            os.chdir(folder)
        with contextlib.suppress(locale.Error):
            locale.setlocale(locale.LC_ALL, language)


@contextmanager
def watched(seconds: float, witness: Path) -> Iterator[None]:
    """In a child process of the gate: it ends when the measured code does not come back, wherever it hangs.

    `witness` then holds where it was.
    """
    owner = os.getpid()
    with witness.open("w", encoding="utf-8") as file:
        faulthandler.dump_traceback_later(seconds, exit=True, file=file)
        try:
            yield
        finally:
            if os.getpid() != owner:
                os._exit(0)
            faulthandler.cancel_dump_traceback_later()


@contextmanager
def _alarm(test: str, seconds: float) -> Iterator[None]:
    is_usable = (
        hasattr(signal, "SIGALRM")
        and threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
    )
    if not is_usable:
        yield
        return

    def too_late(_signal: int, _frame: FrameType | None) -> None:
        what = f"the measured code did not come back within {seconds:g} s"
        raise UsageError(what, test, "mend it, or raise --perfgate-timeout")

    signal.signal(signal.SIGALRM, too_late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
