"""What options are made of."""

from __future__ import annotations

import pytest

from perfgate.core.errors import UsageError
from perfgate.workflow.options import baselines_folder


@pytest.mark.parametrize("text", ["perf/baselines", "./perf/baselines", "perf//baselines/"])
def test_a_folder_is_written_as_paths_begin(text: str) -> None:
    assert baselines_folder(text, "--baselines") == "perf/baselines"


@pytest.mark.parametrize("text", ["/baselines", "..", "a/../../b"])
def test_a_folder_outside_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="leaves the repository: --baselines"):
        baselines_folder(text, "--baselines")
