"""Texts for GitHub that are held as goldens: comments, a job summary, annotations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from perfgate.report.check_report import EditedFile, GuardrailPart
from perfgate.report.pull_request_comment import comment_text, rejection_text
from perfgate.report.step_summary import absent_summary, summary_text
from perfgate.report.verdict_annotations import annotation_lines
from tests.check_reports import (
    HEAD,
    HOSTILE_NAME,
    fewer_per_second,
    finding,
    hostile_report,
    make_report,
    red_report,
    unchanged,
)
from tests.golden.texts import HOSTILE

if TYPE_CHECKING:
    from collections.abc import Callable

GREEN = make_report(*(unchanged(f"net_{index:02}") for index in range(3)))
EDITING = msgspec.structs.replace(
    GREEN,
    edits=(EditedFile(path="baselines/ascend-310p-like/net_00.json", effect="accepts +100 % latency"),),
    loosened=("perfgate.yaml:3:5: min_effect 0.5 for everything is looser than base's 0.01",),
)
STOPPED = msgspec.structs.replace(
    make_report(unchanged("net_00"), exit_code=1),
    skipped={"sd3_poster[ascend-310p-like]": "deploy/convert.sh:4:5: must be NHWC [atc/layout]"},
    guardrails=GuardrailPart(
        summary="guardrails: 1 rules, 2 commands read, 1 errors",
        findings=(finding("--optypelayout=NCHW, must be NHWC"),),
    ),
)

GITHUB_TEXTS: dict[str, Callable[[], str]] = {
    "comment-regressed.md": lambda: comment_text(red_report(), "linux", head=HEAD),
    "comment-green.md": lambda: comment_text(GREEN, "linux", head=HEAD),
    "comment-warning.md": lambda: comment_text(make_report(HOSTILE, unchanged("net_00")), "linux"),
    "comment-edits-the-gate.md": lambda: comment_text(EDITING, "linux", head=HEAD),
    "comment-guardrail.md": lambda: comment_text(STOPPED, "linux", head=HEAD),
    "comment-higher-is-better.md": lambda: comment_text(
        make_report(fewer_per_second("decode"), exit_code=1), "linux"
    ),
    "comment-hostile.md": lambda: comment_text(hostile_report(), "linux"),
    "comment-rejected.md": lambda: rejection_text("linux", HOSTILE_NAME),
    "summary-green.md": lambda: summary_text(GREEN),
    "summary-absent.md": lambda: absent_summary(12),
    "annotations.txt": lambda: "\n".join(annotation_lines(STOPPED) + annotation_lines(red_report())),
    "annotations-hostile.txt": lambda: "\n".join(annotation_lines(hostile_report())),
}
