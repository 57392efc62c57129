"""Profile files that `perfgate record --profile` wrote, or that somebody else did."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from perfgate.core.codec import decode
from perfgate.core.errors import UsageError
from perfgate.core.execution_profile import SCHEMA, Profile
from perfgate.core.profile_part import SCHEMA as PART_SCHEMA

if TYPE_CHECKING:
    from pathlib import Path

_REMEDY = "name a file that `perfgate record --profile` wrote"


class _Form(msgspec.Struct):
    """What the file says it is."""

    schema: str = ""


def read_profile(path: Path) -> Profile:
    """A whole profile.

    Raises:
        UsageError: the file cannot be read, holds something else, or contradicts itself.
    """
    where = str(path)
    try:
        data = path.read_bytes()
    except OSError as problem:
        reason = (problem.strerror or type(problem).__name__).lower()
        raise UsageError(f"cannot be read, {reason}", where, _REMEDY) from None
    form = decode(data, _Form, where, UsageError, _REMEDY).schema
    if form != SCHEMA:
        what = f"not a whole profile, its schema is {form!r}" if form else "not a profile"
        raise UsageError(what, where, _REMEDY)
    profile = decode(data, Profile, where, UsageError, _REMEDY)
    wrong = _contradiction(profile)
    if wrong:
        raise UsageError(f"not a possible profile, {wrong}", where, _REMEDY)
    return profile


def profile_beside(path: Path) -> Profile | None:
    """The whole profile that lies beside a record; None without one, and where only some levels were kept.

    Raises:
        UsageError: as `read_profile`.
    """
    if not path.is_file():
        return None
    form = decode(path.read_bytes(), _Form, str(path), UsageError, _REMEDY).schema
    return None if form == PART_SCHEMA else read_profile(path)


def _contradiction(profile: Profile) -> str:
    """Why no execution can have this profile; "" if one can. What is drawn relies on it."""
    programs = range(len(profile.application.steps))
    for step in profile.application.steps:
        if step.times < 0 or step.makespan_ps < 0:
            return f"the step {step.program!r} has a negative count or length"
    spans = [(row.program, row.start_ps, row.duration_ps) for row in profile.kernels]
    spans += [(row.program, row.start_ps, row.duration_ps) for row in profile.copies]
    for program, start, duration in spans:
        if program not in programs:
            return f"a kernel of program {program}, which has no step"
        if start < 0 or duration < 0:
            return "a kernel with a negative start or length"
    if any(row.parts.wait_ps < 0 for row in profile.kernels):
        return "a kernel with a negative wait"
    seen = {(row.program, row.index) for row in profile.kernels}
    if len(seen) < len(profile.kernels):
        return "two kernels with one number"
    return ""
