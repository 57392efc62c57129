"""What a condition says without being run: constants, and tests whether a variable is empty."""

from __future__ import annotations

from perfgate.config.bash.syntax import (
    Chain,
    Command,
    Literal,
    Parameter,
    Pipeline,
    Sequence,
    Simple,
    Test,
    WordText,
)

SUCCEEDS = 1
FAILS = 2
EITHER = SUCCEEDS | FAILS

_EMPTY = "empty"
_FULL = "full"
_CONSTANTS = {"true": SUCCEEDS, ":": SUCCEEDS, "false": FAILS}


def constant_status(command: Command) -> int:
    """How a command ends if its name alone tells."""
    if isinstance(command, Simple) and command.words:
        return _CONSTANTS.get(command.words[0].literal or "", EITHER)
    return EITHER


def tested_name(condition: Sequence) -> tuple[str, bool]:
    """The variable a condition tests for emptiness, and whether success means empty; ("", False): none."""
    if len(condition.chains) != 1:
        return "", False
    return chain_tests(condition.chains[0])


def chain_tests(chain: Chain) -> tuple[str, bool]:
    """The same for a chain of one pipeline."""
    return ("", False) if chain.links else pipeline_tests(chain.pipelines[0])


def pipeline_tests(pipeline: Pipeline) -> tuple[str, bool]:
    """The same for one pipeline: `[ -z "$x" ]`, `test -n "$x"`, `[[ -z $x ]]`, `[ "$x" = "" ]`."""
    if len(pipeline.commands) != 1:
        return "", False
    words = _test_words(pipeline.commands[0])
    name, state = _tested(words)
    return (name, (state == _EMPTY) != pipeline.negated) if name else ("", False)


def _test_words(command: Command) -> tuple[WordText, ...]:
    if isinstance(command, Test):
        return command.words
    if not isinstance(command, Simple) or not command.words:
        return ()
    first = command.words[0].literal
    if first == "test":
        return command.words[1:]
    return command.words[1:-1] if first == "[" else ()


def _tested(words: tuple[WordText, ...]) -> tuple[str, str]:
    if words and words[0].literal == "!":
        name, state = _tested(words[1:])
        return name, _FULL if state == _EMPTY else _EMPTY
    texts = [word.literal for word in words]
    if len(words) == 2 and texts[0] in {"-z", "-n"}:  # noqa: PLR2004 - the operator and its operand
        return _name(words[1]), _EMPTY if texts[0] == "-z" else _FULL
    if len(words) == 1:
        return _name(words[0]), _FULL
    if len(words) == 3 and _is_empty(words[2]):  # noqa: PLR2004 - `"$x" = ""`
        return _name(words[0]), _EMPTY if texts[1] in {"=", "=="} else _FULL
    return "", ""


def _is_empty(word: WordText) -> bool:
    return all(isinstance(part, Literal) and not part.text.text for part in word.parts)


def _name(word: WordText) -> str:
    """The variable that the word expands, also with an empty default: `${x:-}`, or `${x+set}`."""
    parts = [part for part in word.parts if not (isinstance(part, Literal) and part.text.text == "x")]
    if len(parts) != 1 or not isinstance(parts[0], Parameter):
        return ""
    part = parts[0]
    empty_default = part.operator in {":-", "-"} and part.operand is not None and not part.operand.parts
    return part.name if not part.operator or empty_default or part.operator in {"+", ":+"} else ""
