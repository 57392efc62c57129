"""What the working tree asks of the judge: its policy file, or one that the user names, and its suites."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.errors import UnusableError
from perfgate.gate.policy_file import POLICY_PATH, Policy, load_policy, suite_rules
from perfgate.gate.thresholds import PolicyRule, SuitePolicy

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterable
    from pathlib import Path

    from perfgate.measure.benchmark import Benchmark
    from perfgate.workflow.worktree import WorkTree


def read_policy(path: Path, today: dt.date) -> Policy:
    """A policy file that the user names.

    Raises:
        UnusableError: it cannot be read, or is no policy.
    """
    try:
        data = path.read_bytes()
    except OSError as problem:
        reason = (problem.strerror or type(problem).__name__).lower()
        raise UnusableError(f"cannot be read, {reason}", str(path), "name a policy file") from None
    return load_policy(data, str(path), today=today)


def file_of_tree(tree: WorkTree, today: dt.date, named: Path | None = None) -> Policy:
    """The policy file of the tree, or the one that the user names in its place.

    Raises:
        UnusableError: it is no plain file, no policy, or a waiver in it has expired.
    """
    if named is not None:
        return read_policy(named, today)
    is_there = POLICY_PATH in tree.gate_files
    data = tree.read_gate_file(POLICY_PATH, what="policy") if is_there else None
    return policy_of_bytes(data, POLICY_PATH, today)


def policy_of_bytes(data: bytes | None, path: str, today: dt.date) -> Policy:
    """The policy; an absent file has the product's defaults."""
    return Policy() if data is None else load_policy(data, path, today=today)


def with_suites(file: Policy, benchmarks: Iterable[Benchmark]) -> SuitePolicy:
    """The rules of the file, then the thresholds and limits of the suites."""
    return SuitePolicy(rules=(*file.rules, *rules_of_suites(benchmarks)), removed=file.removed)


def rules_of_suites(benchmarks: Iterable[Benchmark]) -> tuple[PolicyRule, ...]:
    """The rules that the suites' own thresholds and limits stand for."""
    return tuple(
        rule
        for item in benchmarks
        for rule in suite_rules([item.key], item.thresholds, item.limits, item.place)
    )
