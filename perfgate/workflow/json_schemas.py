"""The JSON Schemas of everything a machine reads or writes, made from the types that read and write it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from perfgate.baseline.store import record_schema
from perfgate.config.yaml_schema import DIALECT, yaml_json_schema
from perfgate.core.case import CaseList
from perfgate.core.errors import UsageError
from perfgate.core.execution_profile import Profile
from perfgate.core.profile_part import ProfilePart
from perfgate.core.validation import Validation
from perfgate.gate.policy_file import PolicyFile
from perfgate.gate.selftest import SelftestReport
from perfgate.guardrails.json_schema import json_schema as guardrails_schema
from perfgate.measure.suite_schema import SuiteFile
from perfgate.plan.plan_report import OptimizeReport
from perfgate.plan.postmortem_report import PostmortemReport
from perfgate.report.baseline_reports import BaselineDiff, BaselineList, BaselinePrune, BaselineUpdate
from perfgate.report.bisect_output import BisectOutput
from perfgate.report.calibration_report import CalibrationReport
from perfgate.report.check_report import CheckReport
from perfgate.report.compare_report import CompareReport
from perfgate.report.diagnosis_report import DiagnosisReport
from perfgate.report.doctor_report import DoctorReport
from perfgate.report.guard_report import GuardReport
from perfgate.report.import_report import ImportReport
from perfgate.report.plan_report import PlanReport
from perfgate.report.recording_report import RecordingReport
from perfgate.workflow.ci_records import Origin

if TYPE_CHECKING:
    from collections.abc import Callable

Json = dict[str, Any]  # a JSON object

_FILES: dict[str, Callable[[], Json]] = {
    "suite": lambda: yaml_json_schema(SuiteFile, "perfgate suite, perf_*.yaml"),
    "policy": lambda: yaml_json_schema(PolicyFile, "perfgate policy, perfgate.yaml"),
    "guardrails": guardrails_schema,
    "record": record_schema,
}
_WRITTEN: dict[str, Any] = {
    "report": CheckReport,
    "compare": CompareReport,
    "guard": GuardReport,
    "recording": RecordingReport,
    "diagnosis": DiagnosisReport,
    "profile": Profile,
    "profile-part": ProfilePart,
    "selftest": SelftestReport,
    "calibration": CalibrationReport,
    "baseline-list": BaselineList,
    "baseline-diff": BaselineDiff,
    "baseline-update": BaselineUpdate,
    "baseline-prune": BaselinePrune,
    "bisect": BisectOutput,
    "doctor": DoctorReport,
    "import": ImportReport,
    "init": PlanReport,
    "optimize": OptimizeReport,
    "validation": Validation,
    "postmortem": PostmortemReport,
    "cases": CaseList,
    "origin": Origin,
}
NAMES = (*_FILES, *_WRITTEN)


def schema_of(name: str) -> Json:
    """The JSON Schema (2020-12) of the files of this name.

    Raises:
        UsageError: no such name.
    """
    if name in _FILES:
        return _FILES[name]()
    if name not in _WRITTEN:
        raise UsageError(f"no schema named {name!r}", "--schema", f"choose from {', '.join(NAMES)}")
    return {"$schema": DIALECT, "title": f"perfgate {name}", **written_schema(_WRITTEN[name])}


def written_schema(target: Any) -> Json:  # noqa: ANN401 - a type
    """The schema of a type that perfgate writes whole: every member is there, `schema` says which it is."""
    schema: Json = msgspec.json.schema(target)
    for part in schema["$defs"].values():
        properties = part.get("properties", {})
        if properties:
            part["required"] = sorted(properties)
        name = properties.get("schema", {})
        if "default" in name:
            properties["schema"] = {"const": name["default"]}
    return schema
