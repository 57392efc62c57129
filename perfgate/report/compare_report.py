"""The JSON report of `perfgate compare`."""

from __future__ import annotations

import msgspec

from perfgate.core.verdict import BenchmarkVerdict  # noqa: TC001 - msgspec reads the annotations at run time
from perfgate.diagnose.explanation import Explanation  # noqa: TC001 - the same
from perfgate.gate.evidence_log import Evidence  # noqa: TC001 - the same

SCHEMA = "perfgate/compare/1"


class CompareReport(msgspec.Struct, frozen=True, kw_only=True):
    """Two recordings judged; `exit_code` is that of the verdict, also where `--no-fail` ends with 0."""

    schema: str = SCHEMA
    exit_code: int
    verdict: str
    verdicts: tuple[BenchmarkVerdict, ...]
    explanations: dict[str, Explanation]
    notes: tuple[str, ...]
    evidence: tuple[Evidence, ...]
