"""Guardrails on a tree: rules of base and head, the facts of the files, and which benchmarks they stop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfgate.core.errors import ExitCode, PerfgateError
from perfgate.core.finding import Answer, Severity
from perfgate.guardrails.check import evaluate, is_selected
from perfgate.guardrails.load import load_rules
from perfgate.guardrails.rule import RuleSource
from perfgate.guardrails.strictness import effective
from perfgate.guardrails.tree import facts_of_tree, reader_for
from perfgate.measure.compile_command import compile_command
from perfgate.report.inert import inert

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterable, Mapping

    from perfgate.baseline.trusted import TrustedTree
    from perfgate.config.facts import FileFacts, Span
    from perfgate.core.finding import Finding, Place
    from perfgate.guardrails.evaluation import Evaluation
    from perfgate.measure.benchmark import Benchmark
    from perfgate.workflow.worktree import Tree, WorkTree

RULE_FILES = ("guardrails.yaml", ".cann_guardrails.yaml")


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardRun:
    """What the guardrails say, with the facts and the bytes of the files that hold any."""

    evaluation: Evaluation
    facts: tuple[FileFacts, ...]
    sources: Mapping[str, bytes]
    rule_sources: tuple[RuleSource, ...]
    has_base: bool

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings that count, those on the rule files themselves among them."""
        return self.evaluation.findings

    @property
    def is_broken(self) -> bool:
        """A finding that is not waived reaches the level that fails."""
        return self.evaluation.exit_code is not ExitCode.PASS

    def summary(self) -> str:
        """`guardrails: 6 rules, 9 commands read, 0 errors`."""
        errors = sum(1 for finding in self.findings if finding.severity is Severity.ERROR)
        unknown = len(self.evaluation.unresolved)
        more = f", {unknown} unresolved" if unknown else ""
        rules, commands = len(self.evaluation.rules.rules), self.evaluation.commands
        return f"guardrails: {rules} rules, {commands} commands read, {errors} errors{more}"


def check_guardrails(
    tree: WorkTree,
    trusted: TrustedTree | None,
    today: dt.date,
    *,
    only: Iterable[str] | None = None,
    rule_file: str | None = None,
) -> GuardRun:
    """Evaluate the rules of base and head on every file of the tree.

    `only` limits the findings to these paths, never the rules. Without a trusted side head judges alone;
    `rule_file` is judged alone and instead of the root files.

    Raises:
        UnusableError: a rule file cannot be used; broken rules never mean "no rules".
    """
    if rule_file is not None:
        head_sources = [RuleSource(path=rule_file, text=tree.read(rule_file, what="guardrail file"))]
        rules = load_rules(head_sources)
    else:
        head_sources = _sources(tree)
        base = None if trusted is None else load_rules(_trusted_sources(trusted))
        rules, _ = effective(base, load_rules(head_sources))
    chosen = [path for path in tree.files if is_selected(rules.settings, path)]
    most = rules.settings.max_file_size + 1  # one byte more tells that a file is too large
    every = {path: tree.read(path, most=most) for path in chosen}
    facts = facts_of_tree(every, rules)
    sources = {item.path: every[item.path] for item in facts}
    sources |= {source.path: source.text for source in head_sources}
    narrowed = None if only is None else frozenset(only)
    evaluation = evaluate(rules, facts, today=today, only=narrowed, files=len(chosen))
    if any(finding.fix for finding in evaluation.findings):
        from perfgate.guardrails.fix import with_edits  # noqa: PLC0415 - 30 ms, only where something is to mend

        evaluation = with_edits(evaluation, sources, reader_for(rules))
    return GuardRun(
        evaluation=evaluation,
        facts=facts,
        sources=sources,
        rule_sources=tuple(head_sources),
        has_base=trusted is not None,
    )


def broken_places(run: GuardRun) -> dict[tuple[str | int, ...], str]:
    """The places that break an error rule, each with its finding; builtins only, so that they travel."""
    return {
        _corners(place): f"{finding.span}: {finding.message} [{finding.rule}]"
        for place, finding in run.evaluation.broken_places().items()
    }


def _corners(place: Place | Span) -> tuple[str | int, ...]:
    return place.path, place.line, place.column, place.end_line, place.end_column


def blocked_benchmarks(
    tree: Tree, benchmarks: Iterable[Benchmark], broken: Mapping[tuple[str | int, ...], str]
) -> dict[str, str]:
    """Benchmarks whose compile command breaks an error rule, with the finding as the reason."""
    blocked = {}
    for benchmark in benchmarks:
        try:
            command = compile_command(benchmark, tree.read)
        except PerfgateError:
            continue  # measuring it will say so, under the benchmark's own name
        if command is None:
            continue
        reason = broken.get(_corners(command.span))
        if reason is not None:
            blocked[benchmark.key] = reason
    return blocked


@dataclass(frozen=True, slots=True)
class RuleResult:
    """The answer of one rule as its pytest item reports it; builtins only, so that it can travel."""

    nodeid: str
    line: int
    failure: str
    warning: str


def rule_results(run: GuardRun) -> tuple[RuleResult, ...]:
    """One result per rule, then one per kind of finding that no rule of its own reports."""
    fail_on = run.evaluation.rules.settings.fail_on
    results = []
    told: set[tuple[str, Place, str]] = set()
    for outcome in run.evaluation.outcomes:
        counted = [finding for finding in outcome.findings if finding.waived_by is None]
        told |= {_identity(finding) for finding in counted}
        red = [finding for finding in counted if finding.severity.rank >= fail_on.rank]
        rest = [finding for finding in counted if finding.severity.rank < fail_on.rank]
        results.append(RuleResult(inert(outcome.key), outcome.rule.place.line, _text(red), _text(rest)))
    for finding in run.findings:
        is_red = finding.severity.rank >= fail_on.rank and finding.answer is not Answer.PASS
        if is_red and _identity(finding) not in told:
            nodeid = inert(f"{RULE_FILES[0]}::{finding.rule}@{finding.span.path}:{finding.span.line}")
            results.append(RuleResult(nodeid, finding.span.line, _text([finding]), ""))
    return tuple(results)


def _identity(finding: Finding) -> tuple[str, Place, str]:
    return finding.rule, finding.span, finding.message


def _text(findings: Iterable[Finding]) -> str:
    lines = []
    for finding in findings:
        lines.append(f"{finding.span}: {finding.severity}: {finding.message} [{finding.rule}]")
        if finding.fix:
            lines.append(f"  fix: {finding.fix}")
    return "\n".join(inert(line) for text in lines for line in text.split("\n"))


def _sources(tree: WorkTree) -> list[RuleSource]:
    present = set(tree.gate_files)
    return [
        RuleSource(path=path, text=tree.read_gate_file(path, what="guardrail file"))
        for path in RULE_FILES
        if path in present
    ]


def _trusted_sources(trusted: TrustedTree) -> list[RuleSource]:
    found = []
    for path in RULE_FILES:
        data = trusted.read(path)
        if data is not None:
            found.append(RuleSource(path=path, text=data))
    return found
