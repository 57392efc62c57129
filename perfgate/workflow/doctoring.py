"""`perfgate doctor`: what a run would find here, each line with its remedy."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from perfgate import __version__
from perfgate.baseline.revision import open_repository
from perfgate.core.errors import ExitCode, PerfgateError
from perfgate.gate.policy_file import POLICY_PATH
from perfgate.report.doctor_report import DoctorLine, DoctorReport
from perfgate.workflow.ground import prepare_ground
from perfgate.workflow.guarding import check_guardrails
from perfgate.workflow.machine_lines import clock_line, git_line, governor_line

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Mapping

    from perfgate.workflow.ground import Ground
    from perfgate.workflow.options import GateOptions

PACKAGES = ("pytest", "numpy", "scipy", "onnx", "gitpython", "pytest-xdist")
EXTRAS = {"onnxruntime": "ort", "bokeh": "report", "sqlalchemy": "history", "ruptures": "history"}
EXTRAS |= {"distributed": "dask"}


def examine(options: GateOptions, environment: Mapping[str, str], today: dt.date) -> DoctorReport:
    """Versions and machine, then everything a gate run reads: base, policy, suites, baselines, guardrails."""
    lines = [
        DoctorLine(topic="versions", text=_versions()),
        _extras(),
        clock_line(),
        governor_line(),
        *_gate_lines(options, environment, today),
    ]
    code = ExitCode.PASS if all(line.is_well for line in lines) else ExitCode.FAIL
    return DoctorReport(exit_code=int(code), lines=tuple(lines))


def _gate_lines(options: GateOptions, environment: Mapping[str, str], today: dt.date) -> list[DoctorLine]:
    lines = []
    try:
        lines.append(git_line(open_repository(options.root)))
        ground = prepare_ground(options, environment, today)
    except PerfgateError as problem:
        return [*lines, _sick("ground", problem)]
    base = ground.base
    return [
        *lines,
        DoctorLine(topic="base commit", text=f"{base.short} ({base.reason})", remedy=base.warning),
        _policy(ground),
        _suites(ground),
        *_baselines(ground),
        _guardrails(ground, today),
    ]


def _sick(topic: str, problem: PerfgateError) -> DoctorLine:
    return DoctorLine(
        topic=topic, text=f"{problem.what}: {problem.where}", is_well=False, remedy=problem.remedy
    )


def _policy(ground: Ground) -> DoctorLine:
    has_base = ground.trusted.read(POLICY_PATH) is not None
    if not has_base:
        text = f"no {POLICY_PATH} in the base commit, so the defaults hold"
        return DoctorLine(topic="policy", text=text, remedy="perfgate init writes one to edit")
    file = ground.file
    text = (
        f"{POLICY_PATH}: {len(file.rules)} rules, {len(file.waivers)} waivers, acceptance {file.acceptance}"
    )
    return DoctorLine(topic="policy", text=text)


def _suites(ground: Ground) -> DoctorLine:
    count, devices = len(ground.benchmarks), len({item.device for item in ground.benchmarks})
    if not count:
        return DoctorLine(topic="suites", text="none", is_well=False, remedy="perfgate init writes one")
    return DoctorLine(topic="suites", text=f"{count} benchmarks on {devices} devices")


def _baselines(ground: Ground) -> list[DoctorLine]:
    stored = ground.baselines
    lines = [
        DoctorLine(topic="baseline", text=reason, is_well=False, remedy="restore it, or update it")
        for reason in stored.unusable.values()
    ]
    without = sorted(item.key for item in ground.benchmarks if item.key not in stored.records)
    text = f"{len(stored.records)} readable in the base commit"
    if not without:
        return [*lines, DoctorLine(topic="baselines", text=text)]
    text += f"; none for {without[0]}" + (f" and {len(without) - 1} more" if len(without) > 1 else "")
    remedy = 'perfgate baseline update --reason "first baselines"'
    return [*lines, DoctorLine(topic="baselines", text=text, is_well=False, remedy=remedy)]


def _guardrails(ground: Ground, today: dt.date) -> DoctorLine:
    try:
        run = check_guardrails(ground.tree, ground.trusted, today)
    except PerfgateError as problem:
        return _sick("guardrails", problem)
    text = run.summary().partition(": ")[2]
    remedy = "perfgate guard shows them" if run.is_broken else ""
    return DoctorLine(topic="guardrails", text=text, is_well=not run.is_broken, remedy=remedy)


def _versions() -> str:
    parts = [f"perfgate {__version__}", f"Python {platform.python_version()}"]
    parts += [f"{name} {found}" for name in PACKAGES if (found := _version(name))]
    return ", ".join(parts)


def _extras() -> DoctorLine:
    present = [f"{name} {found}" for name in EXTRAS if (found := _version(name))]
    absent = dict.fromkeys(extra for name, extra in EXTRAS.items() if not _version(name))
    remedy = f"for more: pip install 'perfgate[{','.join(absent)}]'" if absent else ""
    return DoctorLine(topic="extras", text=", ".join(present) or "none installed", remedy=remedy)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
