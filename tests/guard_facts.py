"""Builders of facts and rules for the tests of guardrails; facts are made by hand as a reader would."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

from perfgate.config.branches import Decision, branch_text
from perfgate.config.facts import (
    Command,
    EnvOperation,
    EnvSetting,
    FileFacts,
    Flag,
    Key,
    Piece,
    Presence,
    Span,
    Value,
)
from perfgate.guardrails.check import evaluate
from perfgate.guardrails.load import load_rules
from perfgate.guardrails.rule import Rule, RuleSet, RuleSource

if TYPE_CHECKING:
    from perfgate.core.finding import Finding
    from perfgate.guardrails.evaluation import Evaluation

TODAY = date(2026, 11, 29)
PATH = "deploy/convert.sh"
_DIALECTS = {"atc": "gflags", "trtexec": "trtexec", "tvmc": "argparse", "iree-compile": "llvm"}


def span(line: int, column: int = 1, length: int = 1, path: str = PATH) -> Span:
    """A span on one line."""
    return Span(path=path, line=line, column=column, end_line=line, end_column=column + length)


def known(text: str) -> Value:
    return Value(pieces=(Piece(text=text),))


def unknown(*pieces: str | None) -> Value:
    """A value of known and unknown pieces; alone it is one unknown piece of the variable V."""
    parts = pieces or (None,)
    return Value(pieces=tuple(Piece(text=part, source="" if part is not None else "V") for part in parts))


def one_of(*texts: str) -> Value:
    return Value(pieces=(Piece(text=None, source="V"),), candidates=texts)


def default(text: str) -> Value:
    return Value(pieces=(Piece(text=text),), replaceable=True)


BARE = Value(pieces=None)


def flag(name: str, value: Value | str | None = None, line: int = 2) -> Flag:
    """An ALWAYS flag; None is a bare one."""
    read = BARE if value is None else known(value) if isinstance(value, str) else value
    length = len(name) + 1 + len(read.text or "")
    return Flag(name=name, written=name, value=read, span=span(line, 5, length))


def sometimes(item: Flag, outcome: int = 0, outcomes: int = 2, decision: str = "9:1") -> Flag:
    """The flag only on one outcome of a decision."""
    guard = frozenset({(Decision(decision, outcomes), outcome)})
    return replace(item, presence=Presence.SOMETIMES, branch=branch_text((guard,)))


def command(
    *flags: Flag, program: str = "atc", is_open: bool = False, path: str = PATH, line: int = 1
) -> Command:
    dialect = _DIALECTS.get(program, "argparse")
    place = span(line, 1, 40, path)
    return Command(
        program=program,
        dialect=dialect,
        flags=flags,
        span=place,
        program_span=span(line, 1, len(program), path),
        open=is_open,
    )


def convert(*flags: Flag, is_open: bool = False) -> Command:
    """A call that really converts a model, so that `atc_convert` watches it."""
    return command(flag("--model", "m.onnx"), *flags, is_open=is_open)


def setting(*flags: Flag, name: str = "XLA_FLAGS", operation: EnvOperation = EnvOperation.SET) -> EnvSetting:
    return EnvSetting(
        name=name, operation=operation, span=span(1, 8, len(name)), flags=flags, dialect="flag-list"
    )


def facts(*items: Command | EnvSetting, path: str = PATH, incomplete: bool = False) -> FileFacts:
    return FileFacts(
        path=path,
        commands=tuple(item for item in items if isinstance(item, Command)),
        env=tuple(item for item in items if isinstance(item, EnvSetting)),
        incomplete=incomplete,
    )


def runtime(**keys: str) -> FileFacts:
    """A runtime file with text keys; `__` in a name stands for a dot."""
    path = "deploy/runtime_config.yaml"
    items = tuple(
        Key(path=name.replace("__", "."), type="str", text=text, span=span(number, 5, len(text), path))
        for number, (name, text) in enumerate(keys.items(), 1)
    )
    return FileFacts(path=path, keys=items)


def rules(text: str, path: str = "guardrails.yaml") -> RuleSet:
    return load_rules([RuleSource(path=path, text=text.encode())])


def only_rule(text: str) -> Rule:
    loaded = rules(text).rules
    assert len(loaded) == 1
    return loaded[0]


def judged(text: str, *files: FileFacts, today: date = TODAY) -> Evaluation:
    """The evaluation of a rule file on facts."""
    return evaluate(rules(text), files, today=today)


def answer(text: str, *items: Command | EnvSetting, incomplete: bool = False) -> str:
    """The answer of the only rule on one file with these items."""
    evaluation = judged(text, facts(*items, incomplete=incomplete))
    assert len(evaluation.outcomes) == 1
    return str(evaluation.outcomes[0].answer)


def by_rules(evaluation: Evaluation) -> tuple[Finding, ...]:
    """The findings, without the catalogue's remark that a rule names a flag it does not know (`--f`)."""
    return tuple(item for item in evaluation.findings if item.rule != "rule-names-unknown-flag")
