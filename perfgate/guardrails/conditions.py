"""Whether a `when` holds for a call, a setting or a file: pass, fail, or not known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.finding import Answer
from perfgate.guardrails.answer import decided, every, negation, some
from perfgate.guardrails.globs import path_matches, text_matches
from perfgate.guardrails.precision import PRECISION_FLAGS, precision_of
from perfgate.guardrails.subject import canonical_flag
from perfgate.guardrails.value_answer import known
from perfgate.guardrails.value_test import Fits, OneOf

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from perfgate.config.facts import Value
    from perfgate.guardrails.rule import Condition
    from perfgate.guardrails.subject import Subject
    from perfgate.guardrails.value_test import ValueTest

DEVICE_FLAGS = ("--soc_version", "--target")
DEVICE_KEYS = "device.*"
MODEL_FLAGS = ("--model", "--onnx", "--input_model", "--xmodel", "--frozen_pb", "--singleop")


def condition_answer(condition: Condition | None, subject: Subject) -> Answer:
    """The condition on one path through the file; no condition holds."""
    return Answer.PASS if condition is None else every(_parts(condition, subject))


def flags_named(condition: Condition | None) -> tuple[str, ...]:
    """Every flag that a condition names itself, in its order."""
    if condition is None:
        return ()
    names = [*(name for name, _ in condition.flags), *condition.has, *condition.shows, *condition.lacks]
    for part in (*condition.any_of, *([condition.excluded] if condition.excluded else [])):
        names.extend(flags_named(part))
    return tuple(dict.fromkeys(names))


def flags_asked(condition: Condition | None) -> frozenset[str]:
    """Every flag a condition looks at, those behind `device`, `model` and `precision` among them."""
    if condition is None:
        return frozenset()
    names = set(flags_named(condition))
    if condition.device:
        names |= set(DEVICE_FLAGS)
    if condition.model:
        names |= set(MODEL_FLAGS)
    if condition.precision:
        names |= PRECISION_FLAGS
    inner = [*condition.any_of, *([condition.excluded] if condition.excluded else [])]
    return frozenset(names).union(*(flags_asked(part) for part in inner))


def _parts(condition: Condition, subject: Subject) -> Iterator[Answer]:
    for name, values in condition.flags:
        yield _flag_answer(subject, name, (OneOf(values=values),))
    if condition.has:
        yield some(_flag_answer(subject, name, ()) for name in condition.has)
    if condition.shows:
        yield decided(holds=any(subject.occurrences(name) for name in condition.shows))
    if condition.lacks:
        yield negation(some(_flag_answer(subject, name, ()) for name in condition.lacks))
    if condition.device:
        yield _device_answer(subject, condition.device)
    if condition.model:
        yield _model_answer(subject, condition.model)
    if condition.precision:
        yield _precision_answer(subject, condition.precision)
    yield from _other_parts(condition, subject)


def _other_parts(condition: Condition, subject: Subject) -> Iterator[Answer]:
    if condition.path:
        yield decided(holds=any(path_matches(pattern, subject.path) for pattern in condition.path))
    if condition.is_open is not None:
        yield decided(holds=subject.is_open is condition.is_open)
    if condition.any_of:
        yield some(condition_answer(part, subject) for part in condition.any_of)
    if condition.excluded is not None:
        yield negation(condition_answer(condition.excluded, subject))


def _flag_answer(subject: Subject, name: str, tests: Sequence[ValueTest]) -> Answer:
    found = [flag for flag in subject.occurrences(name) if not flag.overridden]
    if not found:
        return _absent(subject)
    return some(known(flag, tests, subject.dialect) for flag in found)


def _absent(subject: Subject) -> Answer:
    return Answer.UNKNOWN if subject.is_open or subject.is_incomplete else Answer.FAIL


def _globs_answer(subject: Subject, name: str, patterns: Sequence[str]) -> Answer:
    return _flag_answer(subject, name, (Fits(patterns=tuple(patterns)),))


def _device_answer(subject: Subject, patterns: Sequence[str]) -> Answer:
    if subject.is_file:
        keys = [
            flag for flag in subject.flags if flag.name == "device" or text_matches(DEVICE_KEYS, flag.name)
        ]
        answers = [known(key, (Fits(patterns=tuple(patterns)),), subject.dialect) for key in keys]
        return some(answers) if answers else _absent(subject)
    return some(_globs_answer(subject, name, patterns) for name in DEVICE_FLAGS)


def _model_answer(subject: Subject, patterns: Sequence[str]) -> Answer:
    names = {canonical_flag(name, subject.dialect, subject.program) for name in MODEL_FLAGS}
    values = [flag.value for flag in subject.flags if flag.name in names and not flag.overridden]
    values.extend(subject.positionals)
    if not values:
        return _absent(subject)
    return some(_file_name_fits(value, pattern) for value in values for pattern in patterns)


def _file_name_fits(value: Value, pattern: str) -> Answer:
    texts = value.candidates or ((value.text,) if value.text is not None else ())
    if not texts or value.replaceable:
        return Answer.UNKNOWN
    answers = {decided(holds=text_matches(pattern, text.rpartition("/")[2])) for text in texts}
    return Answer.UNKNOWN if len(answers) > 1 else answers.pop()


def _precision_answer(subject: Subject, wanted: Sequence[str]) -> Answer:
    found = precision_of(subject)
    return Answer.UNKNOWN if found is None else decided(holds=any(name in wanted for name in found))
