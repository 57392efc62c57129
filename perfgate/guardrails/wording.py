"""The sentences of findings: what was found and what a rule asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from perfgate.guardrails.value_test import Bound, Each, Fits, NoneOf, OfType, OneOf

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.config.facts import Flag, Value
    from perfgate.guardrails.value_test import ValueTest

MAX_VALUE = 200  # characters of a value that are shown
_YAML_1_1_TRUTHS = frozenset({"yes", "no", "on", "off", "y", "n"})


def wanted(tests: Sequence[ValueTest]) -> str:
    """What all tests together ask for: `NHWC`, `one of NCHW, ND`, `>=2GB`."""
    return " and ".join(_wanted(test) for test in tests)


def _wanted(test: ValueTest) -> str:
    match test:
        case OneOf():
            return test.values[0] if len(test.values) == 1 else f"one of {', '.join(test.values)}"
        case NoneOf():
            return f"other than {' or '.join(test.values)}"
        case Fits():
            return f"like {' or '.join(test.patterns)}"
        case Each():
            return f"a list of {', '.join(test.values)} with {test.separator!r} between"
        case Bound():
            return f"{test.sign}{test.limit}"
        case OfType():
            return f"of type {test.type}"
        case _:
            assert_never(test)


def spelled(flag: str, tests: Sequence[ValueTest]) -> str:
    """A flag with what is asked of it: `--x=NHWC`, `--x={A,B}`, `--x>=2GB`."""
    return flag + "".join(_spelled(test) for test in tests)


def _spelled(test: ValueTest) -> str:
    match test:
        case OneOf():
            return f"={test.values[0]}" if len(test.values) == 1 else f"={{{','.join(test.values)}}}"
        case NoneOf():
            return f"!={test.values[0]}" if len(test.values) == 1 else f"!={{{','.join(test.values)}}}"
        case Bound():
            return f"{test.sign}{test.limit}"
        case Fits() | Each() | OfType():
            return f" {_wanted(test)}"
        case _:
            assert_never(test)


def value_text(value: Value) -> str:
    """A value for people: candidates with bars, unknown pieces as the variable that hides them."""
    if value.candidates:
        return cut("|".join(value.candidates))
    if value.pieces is None:
        return ""
    return cut(
        "".join(piece.text if piece.text is not None else hidden(piece.source) for piece in value.pieces)
    )


def hidden(source: str) -> str:
    """An unknown piece: `$NAME`, or dots when nothing names it."""
    if not source:
        return "..."
    return f"${source}" if source.replace("_", "a").isalnum() else source


def flag_text(flag: Flag) -> str:
    """A flag as found: `--x=NCHW`, `--best`."""
    return flag.name if flag.value.is_bare else f"{flag.name}={value_text(flag.value)}"


def cut(text: str) -> str:
    """A text at most MAX_VALUE characters long."""
    return text if len(text) <= MAX_VALUE else f"{text[: MAX_VALUE - 3]}..."


def hiding(value: Value) -> str:
    """Which variable hides the value, for messages; empty when nothing does."""
    names = list(dict.fromkeys(hidden(p.source) for p in value.pieces or () if p.text is None and p.source))
    if names:
        return f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} not known in this file"
    if value.has_unknown:
        return "its text is not known in this file"
    return "the default may be replaced from outside" if value.replaceable else ""


def truth_hint(found: str, tests: Sequence[ValueTest]) -> str:
    """Why `yes` is not `true`, where that is the mistake."""
    asks_truth = any(isinstance(test, OneOf) and {"true", "false"} & set(test.values) for test in tests)
    if asks_truth and found.lower() in _YAML_1_1_TRUTHS:
        return f" ({found} is a text; only true and false are truth values)"
    return ""
