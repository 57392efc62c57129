"""Reading what `perfgate diagnose --json` wrote: one diagnosis, or several of which one is chosen."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from perfgate.core.codec import convert, decode
from perfgate.core.diagnosis import Diagnosis
from perfgate.core.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

_REMEDY = "name a file that `perfgate diagnose --json` wrote"
_SEVERAL = "diagnoses"  # the member of a report on several benchmarks


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagnosisFile:
    """The chosen diagnosis and the digest of the file it came from."""

    diagnosis: Diagnosis
    sha256: str


def read_diagnosis(path: Path, benchmark: str = "") -> DiagnosisFile:
    """The diagnosis of a file; `benchmark` is a part of the key that chooses one of several.

    Raises:
        UsageError: the file cannot be read, or does not hold exactly one that fits.
    """
    try:
        data = path.read_bytes()
    except OSError as problem:
        reason = (problem.strerror or type(problem).__name__).lower()
        raise UsageError(f"cannot be read, {reason}", str(path), _REMEDY) from None
    content = decode(data, Any, str(path), UsageError, _REMEDY)
    found = _all(content, str(path))
    fitting = [item for item in found if benchmark.lower() in item.key.lower()]
    if len(fitting) != 1:
        keys = ", ".join(item.key for item in found) or "none"
        what = f"{len(fitting)} diagnoses fit" if found else "there is no diagnosis"
        raise UsageError(what, str(path), f"choose one with -k: it has {keys}" if found else _REMEDY)
    return DiagnosisFile(diagnosis=fitting[0], sha256=sha256(data).hexdigest())


def _all(content: object, where: str) -> list[Diagnosis]:
    if isinstance(content, dict) and _SEVERAL in content:
        return convert(content[_SEVERAL], list[Diagnosis], where, UsageError, _REMEDY)
    return [convert(content, Diagnosis, where, UsageError, _REMEDY)]
