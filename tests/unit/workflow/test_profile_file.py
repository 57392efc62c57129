"""Profile files: whole, of this form, and possible."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from perfgate.core.codec import readable_json
from perfgate.core.errors import UsageError
from perfgate.core.profile_part import profile_part
from perfgate.workflow.profile_file import read_profile
from tests.traced_profiles import two_streams

if TYPE_CHECKING:
    from pathlib import Path

    from perfgate.core.execution_profile import Profile

PROFILE = two_streams(1)
ROW = PROFILE.kernels[0]


def with_kernel(**fields: object) -> Profile:
    row = msgspec.structs.replace(ROW, **fields)
    return msgspec.structs.replace(PROFILE, kernels=(row, *PROFILE.kernels[1:]))


def with_step(**fields: int) -> Profile:
    step = msgspec.structs.replace(PROFILE.application.steps[0], **fields)
    application = msgspec.structs.replace(PROFILE.application, steps=(step,))
    return msgspec.structs.replace(PROFILE, application=application)


def test_a_file_that_was_recorded_reads_back(tmp_path: Path) -> None:
    file = tmp_path / "p.json"
    file.write_text(readable_json(PROFILE), encoding="utf-8")
    assert read_profile(file) == PROFILE


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{}", "not a profile"),
        ("[]", "not the expected form"),
        ('{"schema": "perfgate/profile/1"}', "missing required field"),
        (readable_json(profile_part(PROFILE, ["kernels"])), "not a whole profile, its schema is"),
        (readable_json(with_kernel(program=7)), "a kernel of program 7, which has no step"),
        (readable_json(with_kernel(start_ps=-1)), "a kernel with a negative start or length"),
        (readable_json(with_kernel(duration_ps=-1)), "a kernel with a negative start or length"),
        (readable_json(with_kernel(index=3)), "two kernels with one number"),
        (
            readable_json(with_kernel(parts=msgspec.structs.replace(ROW.parts, wait_ps=-1))),
            "a kernel with a negative wait",
        ),
        (readable_json(with_step(times=-1)), "the step 'net' has a negative count or length"),
    ],
)
def test_what_no_execution_can_have_is_refused(tmp_path: Path, content: str, words: str) -> None:
    file = tmp_path / "p.json"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match=words) as caught:
        read_profile(file)
    assert caught.value.where.startswith(str(file))
    assert "perfgate record --profile" in caught.value.remedy
