"""Why nothing stopped an incident: which guardrail or baseline the culprit's commit did not have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.baseline.revision import resolve
from perfgate.baseline.slug import baseline_path
from perfgate.baseline.trusted import TrustedTree
from perfgate.core.errors import PerfgateError
from perfgate.core.finding import Answer
from perfgate.guardrails.check import evaluate
from perfgate.guardrails.load import load_rules
from perfgate.guardrails.rule import RuleSource
from perfgate.plan.post_mortem import TODO
from perfgate.report.code_span import MAX_SENTENCE, code_span
from perfgate.workflow.guard_ground import facts_of_commit
from perfgate.workflow.guarding import RULE_FILES
from perfgate.workflow.options import DEFAULT_BASELINES

if TYPE_CHECKING:
    import datetime as dt

    from perfgate.core.diagnosis import Diagnosis
    from perfgate.workflow.worktree import WorkTree


def barriers_of(tree: WorkTree, diagnosis: Diagnosis, today: dt.date) -> tuple[str, ...]:
    """What the culprit's commit had of guardrails and baselines; nothing where no commit is named."""
    cause = diagnosis.found
    if cause is None or cause.commit is None or tree.repository is None:
        return ()
    commit = resolve(tree.repository, cause.commit.commit)
    if commit is None:
        return ()
    trusted = TrustedTree(tree.repository, commit, tree.prefix)
    flag = "" if cause.difference is None else cause.difference.name
    return _guardrails(tree, trusted, flag, today), _baseline(trusted, diagnosis)


def _guardrails(tree: WorkTree, trusted: TrustedTree, flag: str, today: dt.date) -> str:
    at = code_span(trusted.commit[:7])
    try:
        sources = [
            RuleSource(path=path, text=data)
            for path in RULE_FILES
            if (data := trusted.read(path)) is not None
        ]
        if not sources:
            return f"there were no guardrails at {at}"
        rules = load_rules(sources)
        outcomes = evaluate(rules, facts_of_commit(tree, rules, trusted.commit), today=today).outcomes
    except PerfgateError as problem:
        return f"the guardrails at {at} could not be used: {code_span(problem.line, MAX_SENTENCE)}"
    failed = [
        finding
        for outcome in outcomes
        for finding in outcome.findings
        if finding.answer is Answer.FAIL and finding.flag == flag
    ]
    if failed:
        text = code_span(f"{failed[0].span}: {failed[0].message}", MAX_SENTENCE)
        return f"a guardrail rejected it at {at}, and it got in all the same ({TODO}): {text}"
    about = f", and none asked for {code_span(flag)} to be another" if flag else ""
    return f"no guardrail at {at} rejected it ({len(rules.rules)} in all){about}"


def _baseline(trusted: TrustedTree, diagnosis: Diagnosis) -> str:
    path = f"{DEFAULT_BASELINES}/{baseline_path(diagnosis.benchmark, diagnosis.device)}"
    at = code_span(trusted.commit[:7])
    if path not in trusted.paths:
        return f"{code_span(diagnosis.key)} had no baseline at {at}: the gate had nothing to compare with"
    return (
        f"{code_span(diagnosis.key)} had a baseline at {at}: why the gate did not stop the change is {TODO}"
    )
