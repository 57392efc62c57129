"""The JSON report of a finished check as a value, for those who render it in another process."""

from __future__ import annotations

import msgspec

from perfgate.baseline.revision import Base  # noqa: TC001 - msgspec reads the annotations at run time
from perfgate.core.codec import convert, decode
from perfgate.core.errors import ExitCode, UnusableError
from perfgate.core.finding import Finding  # noqa: TC001 - the same
from perfgate.core.verdict import BenchmarkVerdict  # noqa: TC001 - the same
from perfgate.diagnose.explanation import Explanation  # noqa: TC001 - the same
from perfgate.gate.evidence_log import Evidence  # noqa: TC001 - the same

SCHEMA = "perfgate/check/1"
_WORDS = {
    int(ExitCode.PASS): "pass",
    int(ExitCode.FAIL): "fail",
    int(ExitCode.USAGE): "usage error",
    int(ExitCode.INCONCLUSIVE): "inconclusive",
    int(ExitCode.NOTHING): "nothing compared",
    int(ExitCode.UNUSABLE): "unusable",
}
_REMEDY = "write it with `perfgate check --json FILE` or `pytest --perfgate --perfgate-json FILE`"


def verdict_of(exit_code: int) -> str:
    """The verdict that an exit code stands for, in one or two words; an unknown code is a failure."""
    return _WORDS.get(exit_code, "fail")


class EditedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file of the gate that the change touches; `effect` is `added`, `removed`, `accepts +12 %`, ..."""

    path: str
    effect: str


class GuardrailPart(msgspec.Struct, frozen=True, kw_only=True):
    """What the guardrails say."""

    summary: str = ""
    findings: tuple[Finding, ...] = ()


class CheckReport(msgspec.Struct, frozen=True, kw_only=True):
    """One decided run.

    `verdict` is the word for the exit code. `verdicts` are worst first. `skipped` and `unusable` map
    benchmark or file to the reason, `places` a benchmark to the `file:line:column` of its suite.
    `not_judged` counts the benchmarks that this run left out on purpose. `evidence` holds one row per
    comparison. `traces` holds the trace id of each judged record by benchmark.
    """

    schema: str = SCHEMA
    exit_code: int
    verdict: str = ""
    base: Base
    family_error: float
    verdicts: tuple[BenchmarkVerdict, ...]
    explanations: dict[str, Explanation] = {}
    skipped: dict[str, str] = {}
    unusable: dict[str, str] = {}
    guardrails: GuardrailPart = GuardrailPart()
    edits: tuple[EditedFile, ...] = ()
    loosened: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    common_mode: str = ""
    places: dict[str, str] = {}
    not_judged: int = 0
    evidence: tuple[Evidence, ...] = ()
    traces: dict[str, str] = {}

    @property
    def word(self) -> str:
        """The verdict on the whole run in one or two words."""
        return verdict_of(self.exit_code)


def check_report(value: object, where: str) -> CheckReport:
    """The report from its builtins.

    Raises:
        UnusableError: another schema, or not its form.
    """
    content = value if isinstance(value, dict) else {}
    schema = content.get("schema")
    if schema != SCHEMA:
        raise UnusableError(
            f"unknown schema {schema!r}, this perfgate reads {SCHEMA!r}",
            where,
            "use the version that wrote it",
        )
    shown = {name: member for name, member in content.items() if name != "evidence"}  # no report shows it
    return convert(shown, CheckReport, where, UnusableError, _REMEDY)


def decode_check_report(data: bytes, where: str) -> CheckReport:
    """The report from the bytes of its file.

    Raises:
        UnusableError: broken JSON, another schema, or not its form.
    """
    return check_report(decode(data, dict[str, object], where, UnusableError, _REMEDY), where)
