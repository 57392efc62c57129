"""`perfgate doctor`: what a run would find here, each line with its remedy."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from perfgate import __version__
from perfgate.core.errors import PerfgateError
from perfgate.workflow.ground import prepare_ground
from perfgate.workflow.guarding import check_guardrails

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Mapping

    from perfgate.workflow.ground import Ground
    from perfgate.workflow.options import GateOptions

PACKAGES = ("pytest", "numpy", "scipy", "onnx", "gitpython", "pytest-xdist")
OPTIONAL = ("onnxruntime", "bokeh", "sqlalchemy", "ruptures", "distributed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One line: what was looked at, what was found, and what to do when it is not well."""

    topic: str
    text: str
    is_well: bool = True

    def __str__(self) -> str:
        return f"{'ok ' if self.is_well else 'BAD'} {self.topic}: {self.text}"


def examine(options: GateOptions, environment: Mapping[str, str], today: dt.date) -> list[Finding]:
    """Versions, then everything a gate run reads: base commit, policy, suites, baselines, guardrails."""
    found = [Finding(topic="versions", text=_versions()), Finding(topic="extras", text=_extras())]
    try:
        ground = prepare_ground(options, environment, today)
    except PerfgateError as problem:
        return [*found, Finding(topic="ground", text=str(problem), is_well=False)]
    found.append(Finding(topic="base commit", text=f"{ground.base.short} ({ground.base.reason})"))
    count, devices = len(ground.benchmarks), len({item.device for item in ground.benchmarks})
    found.append(
        Finding(
            topic="suites",
            text=f"{count} benchmarks on {devices} devices" if count else "none: add perf_models.yaml",
            is_well=count > 0,
        )
    )
    stored = ground.baselines
    found += [Finding(topic="baseline", text=reason, is_well=False) for reason in stored.unusable.values()]
    without = sorted(item.key for item in ground.benchmarks if item.key not in stored.records)
    text = f"{len(stored.records)} readable in the base commit"
    if without:
        more = f" and {len(without) - 1} more" if len(without) > 1 else ""
        text += f'; none for {without[0]}{more}: perfgate baseline update --reason "..."'
    found.append(Finding(topic="baselines", text=text, is_well=not without))
    found.append(
        Finding(topic="policy", text=f"{len(ground.file.rules)} rules, {len(ground.file.waivers)} waivers")
    )
    return [*found, _guardrails(ground, today)]


def _guardrails(ground: Ground, today: dt.date) -> Finding:
    try:
        run = check_guardrails(ground.tree, ground.trusted, today)
    except PerfgateError as problem:
        return Finding(topic="guardrails", text=str(problem), is_well=False)
    return Finding(topic="guardrails", text=run.summary().partition(": ")[2], is_well=not run.is_broken)


def _versions() -> str:
    parts = [f"perfgate {__version__}", f"Python {platform.python_version()}"]
    parts += [f"{name} {found}" for name in PACKAGES if (found := _version(name))]
    return ", ".join(parts)


def _extras() -> str:
    present = [f"{name} {found}" for name in OPTIONAL if (found := _version(name))]
    return ", ".join(present) if present else "none installed"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
