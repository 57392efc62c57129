"""`pytest --perfgate` without a path is the gate on perfgate itself: the tests have a run of their own."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


if os.environ.get("CI"):
    from hypothesis import settings  # the gate alone needs no hypothesis

    # CI runs the same examples every time; everywhere else hypothesis looks for new ones.
    settings.register_profile("ci", derandomize=True)
    settings.load_profile("ci")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the tests out of a gate run whose paths nobody named."""
    del collection_path
    is_named = config.args_source is not pytest.Config.ArgsSource.TESTPATHS
    return True if config.getoption("perfgate", False) and not is_named else None  # noqa: FBT003 - pytest's signature
