"""Reading what `perfgate diagnose --json` or a red gate wrote: one diagnosis, or several, worst first."""

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
    """The chosen diagnosis, the keys of others that fit as well, and the digest of the file."""

    diagnosis: Diagnosis
    others: tuple[str, ...]
    sha256: str


def read_diagnosis(path: Path, benchmark: str = "") -> DiagnosisFile:
    """The first diagnosis of a file, which is the worst; `benchmark` is a part of the key of another one.

    Raises:
        UsageError: the file cannot be read, or holds none that fits.
    """
    try:
        data = path.read_bytes()
    except OSError as problem:
        reason = (problem.strerror or type(problem).__name__).lower()
        raise UsageError(f"cannot be read, {reason}", str(path), _REMEDY) from None
    content = decode(data, Any, str(path), UsageError, _REMEDY)
    found = _all(content, str(path))
    fitting = [item for item in found if benchmark.lower() in item.key.lower()]
    if not fitting:
        keys = ", ".join(item.key for item in found)
        what = f"no diagnosis of {benchmark!r}" if found else "there is no diagnosis"
        raise UsageError(what, str(path), f"it has those of {keys}" if found else _REMEDY)
    return DiagnosisFile(
        diagnosis=fitting[0],
        others=tuple(item.key for item in fitting[1:]),
        sha256=sha256(data).hexdigest(),
    )


def _all(content: object, where: str) -> list[Diagnosis]:
    if isinstance(content, dict) and _SEVERAL in content:
        return convert(content[_SEVERAL], list[Diagnosis], where, UsageError, _REMEDY)
    return [convert(content, Diagnosis, where, UsageError, _REMEDY)]
