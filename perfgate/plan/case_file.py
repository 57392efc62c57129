"""Case files `perf-cases/<incident>.yaml`: written by a post-mortem, read by every later diagnosis."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from perfgate.baseline.slug import slug
from perfgate.config.typed_yaml import quoted_scalar, read_typed
from perfgate.core.case import Case
from perfgate.core.errors import UsageError
from perfgate.plan.choice import gain

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfgate.core.diagnosis import Cause, Diagnosis

FOLDER = "perf-cases"
ENDING = ".yaml"
_HEADER = "# An incident that perfgate recognises; `perfgate cases` lists all.\n"


def case_path(incident: str) -> str:
    """Where the case of an incident lies."""
    return f"{FOLDER}/{slug(incident)}{ENDING}"


def is_case_file(path: str) -> bool:
    """Whether a path of the repository is a case."""
    parts = PurePosixPath(path)
    return parts.parent.as_posix() == FOLDER and parts.suffix == ENDING


def case_of(diagnosis: Diagnosis, incident: str, date: str) -> Case:
    """What is remembered of a diagnosis.

    Raises:
        UsageError: it has found no cause, so nothing could be recognised.
    """
    cause = diagnosis.found
    if cause is None:
        raise UsageError(
            "the diagnosis has found no cause", "--diagnosis", "there is nothing to remember yet"
        )
    fix = next((fix for fix in diagnosis.fixes if fix.cause == 0 and fix.after is not None), None)
    rule, operator, flag = _key(cause)
    return Case(
        incident=incident,
        date=date,
        rule=rule,
        operator=operator,
        flag=flag,
        gain=None if fix is None else gain(diagnosis, fix.after),
        benchmark=diagnosis.benchmark,
        device=diagnosis.device,
        commit="" if cause.commit is None else cause.commit.commit,
        guardrail=diagnosis.guardrail,
    )


def _key(cause: Cause) -> tuple[str, str, str]:
    operator = "" if cause.operator is None else cause.operator.op
    return cause.rule, operator, "" if cause.difference is None else cause.difference.name


def cases_like(diagnosis: Diagnosis, cases: Iterable[Case]) -> tuple[str, ...]:
    """Titles of cases with the key of the found cause, newest first: `2026-11-10 sd3 layout`."""
    cause = diagnosis.found
    if cause is None:
        return ()
    rule, operator, flag = _key(cause)
    rules = {rule, *cause.rules}
    alike = [case for case in cases if case.rule in rules and (case.operator, case.flag) == (operator, flag)]
    return tuple(sorted((case.title for case in alike), reverse=True))


def read_case(data: bytes, path: str) -> Case:
    """The case of a file.

    Raises:
        UsageError: it is not what a post-mortem writes.
    """
    return read_typed(data, path, Case, UsageError).value


def case_text(case: Case) -> str:
    """The file of a case."""
    values: tuple[tuple[str, str | None], ...] = (
        ("version", str(case.version)),
        ("incident", quoted_scalar(case.incident)),
        ("date", quoted_scalar(case.date)),
        ("rule", quoted_scalar(case.rule)),
        ("operator", quoted_scalar(case.operator)),
        ("flag", quoted_scalar(case.flag)),
        ("gain", None if case.gain is None else f"{case.gain:.6f}"),
        ("benchmark", quoted_scalar(case.benchmark)),
        ("device", quoted_scalar(case.device)),
        ("commit", quoted_scalar(case.commit)),
        ("guardrail", quoted_scalar(case.guardrail)),
    )
    return _HEADER + "".join(f"{name}: {value}\n" for name, value in values if value is not None)
