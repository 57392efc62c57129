"""The one error tree: every mistake of a user ends as one line that names the place and the remedy."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """Exit codes of the command line; pytest keeps its own 0-6 for its own purposes."""

    PASS = 0
    FAIL = 1
    USAGE = 2
    INCONCLUSIVE = 10
    NOTHING = 11
    UNUSABLE = 12


class PerfgateError(Exception):
    """A mistake that the user can mend, said as `what: where: remedy`.

    `what` is lower case without a full stop, `where` names the file (with line and column where known),
    the benchmark or the option, `remedy` says what to do. Sub-classes carry the exit code.
    """

    exit_code: ExitCode = ExitCode.USAGE

    def __init__(self, what: str, where: str, remedy: str) -> None:
        self.what = what
        self.where = where
        self.remedy = remedy
        super().__init__(f"{what}: {where}: {remedy}")

    @property
    def line(self) -> str:
        """The message on one line, also where it lists several problems."""
        return "; ".join(part.strip() for part in str(self).splitlines())


class UsageError(PerfgateError):
    """Options, suites or models that cannot be used as given."""

    exit_code = ExitCode.USAGE


class InfrastructureError(UsageError):
    """What runs a benchmark was stopped: it ran out of time or memory, or was killed. Never a regression."""


class UnusableError(PerfgateError):
    """A baseline, policy or guardrail file, or the base commit, that cannot be relied on."""

    exit_code = ExitCode.UNUSABLE


class NothingMeasuredError(PerfgateError):
    """Nothing was measured or nothing could be compared."""

    exit_code = ExitCode.NOTHING
