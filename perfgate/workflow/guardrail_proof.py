"""A guardrail line put to the proof: it has to reject what went wrong, and to accept what is there now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.core.errors import UsageError
from perfgate.core.finding import Answer
from perfgate.guardrails.add import add_line
from perfgate.guardrails.check import evaluate, is_selected
from perfgate.guardrails.load import load_rules
from perfgate.guardrails.rule import ROOT_FILE, RuleSource
from perfgate.guardrails.tree import facts_of_tree
from perfgate.plan.incident import GuardrailProof
from perfgate.workflow.guard_ground import facts_of_commit
from perfgate.workflow.guarding import check_guardrails

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Mapping, Sequence

    from perfgate.config.facts import FileFacts
    from perfgate.core.finding import Finding
    from perfgate.guardrails.evaluation import Evaluation
    from perfgate.guardrails.rule import RuleSet
    from perfgate.workflow.worktree import WorkTree

_SHOWN = 3  # findings that a proof keeps


@dataclass(frozen=True, slots=True, kw_only=True)
class BadState:
    """What went wrong: a commit, or drafts that put the bad values back; `path` is the blamed file."""

    name: str
    path: str
    commit: str = ""
    drafts: Mapping[str, bytes] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Proven:
    """The proof, and the bytes of the rule file with the line; `is_needed` False: other rules imply it."""

    proof: GuardrailProof
    text: bytes
    is_needed: bool


def prove(tree: WorkTree, line: str, bad: BadState, today: dt.date) -> Proven:
    """Run the line alone on both states; nothing is written.

    Raises:
        UsageError: the line is no rule, lets the bad state pass, or rejects the present one.
        UnusableError: the rule files cannot be used as they are.
    """
    run = check_guardrails(tree, None, today)
    addition = add_line(run.rule_sources, line, run.facts, today)
    rules = load_rules([RuleSource(path=ROOT_FILE, text=f"{addition.line}\n".encode())])
    rejected = _failures(evaluate(rules, _bad_facts(tree, rules, bad), today=today), bad.path)
    if not rejected:
        remedy = "nothing was added; write a rule that does with `perfgate guard add`"
        raise UsageError(f"the guardrail {line!r} does not reject {bad.name}", bad.path or ROOT_FILE, remedy)
    head = addition.evaluation
    broken = _failures(head, "")
    if broken or head.unresolved:
        first = (*broken, *head.unresolved)[0]
        remedy = "nothing was added; apply the plan first, or correct the command"
        raise UsageError(f"the guardrail rejects the present state, {first.message}", str(first.span), remedy)
    accepted = sum(match.answer is Answer.PASS for outcome in head.outcomes for match in outcome.matches)
    if not accepted:
        remedy = "nothing was added; a rule that matches nothing protects nothing"
        raise UsageError(f"the guardrail {line!r} matches nothing now", ROOT_FILE, remedy)
    proof = GuardrailProof(
        line=addition.line,
        culprit=bad.name,
        rejected=tuple(f"{item.span}: {item.message}" for item in rejected[:_SHOWN]),
        accepted=accepted,
        implied_by=() if addition.is_needed else addition.implied_by,
    )
    return Proven(proof=proof, text=addition.text, is_needed=addition.is_needed)


def _failures(evaluation: Evaluation, path: str) -> list[Finding]:
    """What fails, in the blamed file where there is one."""
    found = [
        item for outcome in evaluation.outcomes for item in outcome.findings if item.answer is Answer.FAIL
    ]
    return [item for item in found if not path or item.span.path == path]


def _bad_facts(tree: WorkTree, rules: RuleSet, bad: BadState) -> Sequence[FileFacts]:
    if bad.commit:
        return facts_of_commit(tree, rules, bad.commit)
    most = rules.settings.max_file_size + 1
    chosen = [path for path in tree.files if is_selected(rules.settings, path)]
    files = {path: tree.read(path, most=most) for path in chosen}
    return facts_of_tree({**files, **(bad.drafts or {})}, rules)
