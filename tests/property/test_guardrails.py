"""Laws of the guardrails: Kleene's logic, unknown is never a pass, a change never weakens what judges it."""

from __future__ import annotations

import string
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from perfgate.core.finding import Answer
from perfgate.guardrails.answer import every, negation, some
from perfgate.guardrails.answer import given as applies
from perfgate.guardrails.check import evaluate
from perfgate.guardrails.globs import path_matches, text_matches
from perfgate.guardrails.load import load_rules
from perfgate.guardrails.strictness import effective
from perfgate.guardrails.value_test import Each, Fits, NoneOf, OneOf, could_be, holds, settles
from tests.guard_facts import TODAY, command, default, facts, flag, known, one_of, rules, sometimes, unknown

if TYPE_CHECKING:
    from perfgate.config.facts import Command, FileFacts, Flag
    from perfgate.guardrails.evaluation import Evaluation
    from perfgate.guardrails.rule import RuleSet

ANSWERS = st.sampled_from(Answer)
FAIL, PASS, UNKNOWN = Answer.FAIL, Answer.PASS, Answer.UNKNOWN
LETTERS = st.text("abAB,", max_size=5)


@given(ANSWERS, ANSWERS, ANSWERS)
def test_kleene_laws(a: Answer, b: Answer, c: Answer) -> None:
    assert negation(negation(a)) is a
    assert every((a, b)) is every((b, a))
    assert some((a, every((b, c)))) is every((some((a, b)), some((a, c))))
    assert negation(every((a, b))) is some((negation(a), negation(b)))
    assert every((a, PASS)) is a
    assert some((a, FAIL)) is a
    assert every((a, FAIL)) is FAIL
    assert some((a, PASS)) is PASS
    assert applies(a, b) is some((negation(a), b))


def test_kleene_tables() -> None:
    order = (FAIL, UNKNOWN, PASS)  # conjunction is the minimum, disjunction the maximum of this order
    for a in order:
        for b in order:
            assert every((a, b)) is min(a, b, key=order.index)
            assert some((a, b)) is max(a, b, key=order.index)


PIECES = st.lists(st.one_of(st.none(), LETTERS), min_size=1, max_size=4).map(tuple)
TESTS = st.one_of(
    st.lists(LETTERS, min_size=1, max_size=3).map(lambda values: OneOf(values=tuple(values))),
    st.lists(LETTERS, min_size=1, max_size=3).map(lambda values: NoneOf(values=tuple(values))),
    st.lists(st.text("ab*?", max_size=5), min_size=1, max_size=2).map(
        lambda globs: Fits(patterns=tuple(globs))
    ),
    st.lists(LETTERS, min_size=1, max_size=3).map(lambda values: Each(values=tuple(values), separator=",")),
)


@given(TESTS, PIECES, st.lists(LETTERS, min_size=4, max_size=4))
def test_what_known_pieces_settle_holds_for_every_text(
    test: OneOf | NoneOf | Fits | Each, pieces: tuple[str | None, ...], fillings: list[str]
) -> None:
    filled = iter(fillings)
    text = "".join(next(filled) if piece is None else piece for piece in pieces)
    settled = settles(test, pieces)
    assert settled in {UNKNOWN, holds(test, text)} or None not in pieces
    assert could_be(pieces, text)


@given(st.text("ab*?", max_size=6), st.text("ab", max_size=6))
def test_globs_agree_with_a_plain_definition(pattern: str, text: str) -> None:
    def fits(glob: str, rest: str) -> bool:
        if not glob:
            return not rest
        if glob[0] == "*":
            return fits(glob[1:], rest) or (bool(rest) and fits(glob, rest[1:]))
        return bool(rest) and glob[0] in {"?", rest[0]} and fits(glob[1:], rest[1:])

    assert text_matches(pattern, text) is fits(pattern, text)
    assert path_matches(pattern, text) is fits(pattern, text)


NAMES = ("--a", "--b", "--c")
VALUES = ("A", "B", "1", "7")
VALUE = st.one_of(
    st.sampled_from(VALUES).map(known),
    st.sampled_from(VALUES).map(default),
    st.lists(st.sampled_from(VALUES), min_size=2, max_size=2, unique=True).map(lambda texts: one_of(*texts)),
    st.just(unknown()),
    st.none(),
)
FLAGS = st.builds(flag, st.sampled_from(NAMES), VALUE, st.integers(2, 9))
MAYBE_FLAGS = st.one_of(FLAGS, st.builds(sometimes, FLAGS, st.integers(0, 1)))
COMMANDS = st.builds(
    lambda flags, is_open: command(*flags, is_open=is_open), st.lists(MAYBE_FLAGS, max_size=4), st.booleans()
)
FILES = st.builds(lambda call, incomplete: facts(call, incomplete=incomplete), COMMANDS, st.booleans())

_NAME = st.sampled_from(NAMES)
_CHOICE = st.lists(st.sampled_from(VALUES), min_size=1, max_size=3, unique=True)
_BODIES = st.one_of(
    st.builds(
        lambda name, values: f"require: {{{name}: [{', '.join(repr(v) for v in values)}]}}", _NAME, _CHOICE
    ),
    st.builds(
        lambda name, values: f"values: {{{name}: [{', '.join(repr(v) for v in values)}]}}", _NAME, _CHOICE
    ),
    st.builds(lambda name, value: f"forbid: ['{name}={value}']", _NAME, st.sampled_from(VALUES)),
    st.builds(lambda name: f"forbid: ['{name}']", _NAME),
    st.builds(
        lambda name, low: f"range: {{{name}: {{min: {low}, max: 7, type: int}}}}", _NAME, st.integers(0, 7)
    ),
    st.just("at_most_one: [--a, --b]"),
    st.just("at_most_one: [--a, --b, --c]"),
    st.just("all_or_none: [--a, --b]"),
)
_WHENS = st.sampled_from(("", ", when: {has: [--c]}", ", when: {lacks: [--c]}", ", when: {flag: {--c: A}}"))
_SEVERITIES = st.sampled_from(("", ", severity: warn", ", paths: [deploy/**]", ", unresolved: error"))
RULES = st.builds(lambda body, when, rest: f"target: atc, {body}{when}{rest}", _BODIES, _WHENS, _SEVERITIES)


@st.composite
def rule_files(draw: st.DrawFn) -> RuleSet:
    chosen = draw(st.dictionaries(st.sampled_from(("r1", "r2", "r3")), RULES, max_size=3))
    setting = draw(
        st.sampled_from(
            ("fail_on: error", "fail_on: warn", "unresolved: error", "paths: {exclude: [deploy/**]}")
        )
    )
    listed = ", ".join(f"{{id: {name}, {body}}}" for name, body in chosen.items())
    return rules(f"settings: {{{setting}}}\nrules: [{listed}]")


def _worst(evaluation: Evaluation) -> int:
    """Rank of the worst finding of a rule; remarks on flags that no rule names are left aside."""
    ids = {rule.id for rule in evaluation.rules.rules}
    return max((finding.severity.rank for finding in evaluation.findings if finding.rule in ids), default=-1)


@settings(max_examples=100)
@given(rule_files(), rule_files(), FILES)
def test_effective_rules_are_never_weaker_than_base(base: RuleSet, head: RuleSet, file: FileFacts) -> None:
    combined, _ = effective(base, head)
    before = evaluate(base, [file], today=TODAY)
    after = evaluate(combined, [file], today=TODAY)
    assert after.exit_code >= before.exit_code
    assert _worst(after) >= _worst(before)


@settings(max_examples=50)
@given(rule_files(), rule_files(), FILES)
def test_effective_rules_are_never_weaker_than_head(base: RuleSet, head: RuleSet, file: FileFacts) -> None:
    combined, _ = effective(base, head)
    assert _worst(evaluate(combined, [file], today=TODAY)) >= _worst(evaluate(head, [file], today=TODAY))


@settings(max_examples=50)
@given(rule_files())
def test_a_rule_set_does_not_weaken_itself(loaded: RuleSet) -> None:
    combined, found = effective(loaded, loaded)
    assert found == ()
    assert [rule.id for rule in combined.rules] == [rule.id for rule in loaded.rules]


def _answers(loaded: RuleSet, call: Command) -> list[Answer]:
    return [outcome.answer for outcome in evaluate(loaded, [facts(call)], today=TODAY).outcomes]


@settings(max_examples=100)
@given(rule_files(), COMMANDS, st.data())
def test_an_unknown_value_never_turns_a_failure_into_a_pass(
    loaded: RuleSet, call: Command, data: st.DataObject
) -> None:
    """Hiding a known value may lose a failure to unknown, never to pass."""
    loaded = replace(
        loaded, settings=replace(loaded.settings, paths=rules("atc: require --a").settings.paths)
    )
    if not call.flags:
        return
    index = data.draw(st.integers(0, len(call.flags) - 1))
    hidden: list[Flag] = list(call.flags)
    if hidden[index].value.is_bare:
        return
    hidden[index] = replace(hidden[index], value=unknown())
    before = _answers(loaded, call)
    after = _answers(loaded, replace(call, flags=tuple(hidden)))
    assert all(new is not PASS for old, new in zip(before, after, strict=True) if old is FAIL)


@settings(max_examples=50)
@given(rule_files(), COMMANDS)
def test_open_arguments_never_turn_unknown_or_failure_into_a_pass(loaded: RuleSet, call: Command) -> None:
    closed, opened = _answers(loaded, replace(call, open=False)), _answers(loaded, replace(call, open=True))
    assert all(new is not PASS for old, new in zip(closed, opened, strict=True) if old is not PASS)


@settings(max_examples=50)
@given(rule_files(), st.lists(COMMANDS, max_size=3))
def test_two_runs_give_the_same_bytes(loaded: RuleSet, calls: list[Command]) -> None:
    files = [
        facts(call, path=f"{letter}.sh") for letter, call in zip(string.ascii_lowercase, calls, strict=False)
    ]
    first = evaluate(loaded, files, today=TODAY).findings
    second = evaluate(loaded, list(reversed(files)), today=TODAY).findings
    assert msgspec.json.encode(first) == msgspec.json.encode(second)


def test_no_rule_file_is_no_guardrail() -> None:
    evaluation = evaluate(load_rules([]), [facts(command(flag("--a")))], today=TODAY)
    assert (evaluation.findings, evaluation.exit_code) == ((), 0)
