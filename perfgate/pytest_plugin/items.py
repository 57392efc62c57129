"""Collected items: one per benchmark and device of a suite file, one per guardrail rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from perfgate.backends.registry import TIMED
from perfgate.core.errors import PerfgateError, UsageError
from perfgate.measure.suite import load_suite
from perfgate.pytest_plugin.functions import TIMED_MARK
from perfgate.pytest_plugin.state import STATE
from perfgate.report.inert import inert
from perfgate.workflow.worktree import WorkTree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perfgate.measure.benchmark import Benchmark
    from perfgate.workflow.guarding import RuleResult


class SuiteFile(pytest.File):
    """A suite file `perf_*.yaml`."""

    def collect(self) -> Iterator[BenchmarkItem]:
        """One item per benchmark and device that the options leave."""
        state = self.config.stash[STATE]
        path = self.path.relative_to(self.config.rootpath).as_posix()
        tree = WorkTree(self.config.rootpath, None)  # follows no link out of the repository
        for benchmark in load_suite(tree.read_gate_file(path, what="suite", error=UsageError), path):
            if not state.options.devices or benchmark.device in state.options.devices:
                # The whole id as text: pytest 9.2 reads a bracket in a bare name otherwise than in an id
                # that it finds in its cache, and `--lf` would not know the item again.
                name = inert(benchmark.key)
                item = BenchmarkItem.from_parent(self, name=name, nodeid=f"{self.nodeid}::{name}")
                item.set_benchmark(benchmark)
                yield item

    def repr_failure(  # type: ignore[override]  # as pytest's own collector narrows it
        self, excinfo: pytest.ExceptionInfo[BaseException]
    ) -> Any:  # noqa: ANN401 - pytest's type
        """A mistake in the file is one line, without a traceback."""
        if isinstance(excinfo.value, PerfgateError):
            return f"perfgate: {inert(str(excinfo.value))}"
        return super().repr_failure(excinfo)


class BenchmarkItem(pytest.Item):
    """One benchmark on one device: running it measures; the outcome comes with the decision."""

    benchmark: Benchmark

    def set_benchmark(self, benchmark: Benchmark) -> None:
        """Attach what is measured; tags become keywords, so `-m` and `-k` see them."""
        self.benchmark = benchmark
        if benchmark.backend in TIMED:
            self.add_marker(TIMED_MARK)
        for tag in benchmark.tags:
            self.add_marker(tag) if tag in _registered_marks(self.config) else self.extra_keyword_matches.add(
                tag
            )

    def runtest(self) -> None:
        """Measure, and leave the record in the run directory."""
        state = self.config.stash[STATE]
        blocked = state.blocked.get(self.benchmark.key)
        if blocked is not None:
            pytest.skip(f"not measured: {blocked}")
        state.measure(self.benchmark)

    def repr_failure(
        self,
        excinfo: pytest.ExceptionInfo[BaseException],
        style: Any = None,  # noqa: ANN401 - pytest's type
    ) -> Any:  # noqa: ANN401 - pytest's type
        """What a user can mend is one line, without a traceback."""
        if isinstance(excinfo.value, PerfgateError):
            return f"perfgate: {inert(str(excinfo.value))}"
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Any, int, str]:
        """The line of the suite file that defines the benchmark."""
        return self.path, _line_of(self.benchmark.place) - 1, self.name


class RuleFile(pytest.File):
    """A guardrail file; its items were evaluated once, before anything is measured."""

    def collect(self) -> Iterator[RuleItem]:
        """One item per rule that stands in this file."""
        prefix = f"{self.nodeid}::"
        for rule in self.config.stash[STATE].rules:
            if rule.nodeid.startswith(prefix):
                name = rule.nodeid.removeprefix(prefix)
                item = RuleItem.from_parent(self, name=name, nodeid=rule.nodeid)
                item.rule = rule
                yield item


class GuardrailBrokenError(Exception):
    """A rule is broken; the text is the finding."""


class RuleItem(pytest.Item):
    """One guardrail rule, so that a violation has a line and a JUnit case of its own."""

    rule: RuleResult

    def runtest(self) -> None:
        """Report the answer that the controller found.

        Raises:
            GuardrailBrokenError: the rule is broken.
        """
        if self.rule.failure:
            raise GuardrailBrokenError(self.rule.failure)
        if self.rule.warning:
            self.add_report_section("call", "perfgate", self.rule.warning)

    def repr_failure(
        self,
        excinfo: pytest.ExceptionInfo[BaseException],
        style: Any = None,  # noqa: ANN401 - pytest's type
    ) -> Any:  # noqa: ANN401 - pytest's type
        """The finding itself."""
        if isinstance(excinfo.value, GuardrailBrokenError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Any, int, str]:
        """The line of the rule."""
        return self.path, self.rule.line - 1, self.name


def _registered_marks(config: pytest.Config) -> set[str]:
    lines: list[str] = config.getini("markers")
    return {line.partition(":")[0].partition("(")[0].strip() for line in lines}


def _line_of(place: str) -> int:
    return int(place.rsplit(":", 2)[1])
