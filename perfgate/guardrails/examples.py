"""`guard test`: the examples that rules carry, read and judged like files."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from perfgate.config import programs
from perfgate.core.finding import Answer
from perfgate.guardrails.answer import every
from perfgate.guardrails.fault import answer_of
from perfgate.guardrails.globs import expand_braces
from perfgate.guardrails.judging import judge_file

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfgate.config.facts import FileFacts
    from perfgate.core.finding import Place
    from perfgate.guardrails.rule import Rule, RuleSet, Target


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleOutcome:
    """One example: what its author says and what the rule answers."""

    rule: Rule
    text: str
    place: Place
    wanted: Answer
    answer: Answer

    @property
    def is_right(self) -> bool:
        """The rule answers what its author says."""
        return self.answer is self.wanted

    def __str__(self) -> str:
        state = "ok" if self.is_right else f"the rule answers {self.answer}, the example says {self.wanted}"
        return f"{self.place}: {self.rule.id}: {state}: {self.text.splitlines()[0]}"


def run_examples(rules: RuleSet, read: Callable[[str, bytes], FileFacts]) -> tuple[ExampleOutcome, ...]:
    """All examples of all rules, in their order."""
    return tuple(
        ExampleOutcome(rule=rule, text=text, place=place, wanted=wanted, answer=_answer(rule, text, read))
        for rule in rules.rules
        for wanted, texts in ((Answer.PASS, rule.examples.valid), (Answer.FAIL, rule.examples.invalid))
        for text, place in texts
    )


def _answer(rule: Rule, text: str, read: Callable[[str, bytes], FileFacts]) -> Answer:
    if rule.target is None:
        return Answer.UNKNOWN
    anywhere = replace(rule, paths=(), target=replace(rule.target, paths=()))
    facts = read(_file_name(rule.target), text.encode())
    return every(answer_of(judged.faults) for judged in judge_file(anywhere, facts))


def _file_name(target: Target) -> str:
    """A name that selects the reader which the target's facts come from."""
    if target.files:
        pattern = expand_braces(target.files[0])[0]
        return pattern.replace("**/", "").replace("*", "example").replace("?", "x")
    return "example.py" if target.dialect == programs.TORCH else "example.sh"
