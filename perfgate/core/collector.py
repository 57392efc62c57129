"""Python's cycle collector, held back while something big is built."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def paused_collector() -> Iterator[None]:
    """Hold the cycle collector back: what only builds up has no garbage for it to find.

    Its passes grow with the process, not with the work: they made 10,000 nodes slower than ten times 1,000.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
