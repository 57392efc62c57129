"""The texts that are held as goldens, made from values written by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from perfgate.core.codec import readable_json
from perfgate.core.diagnosis import Evidence, Severity
from perfgate.core.metric import KNOWN_METRICS
from perfgate.core.record import Hotspot
from perfgate.core.verdict import BenchmarkVerdict, Comparison, Verdict
from perfgate.diagnose.explanation import Explanation, OperatorChange, SettingChange
from perfgate.report.check_text import Closing, closing_lines
from perfgate.report.failure_text import failure_text
from perfgate.report.terminal import verdict_table
from perfgate.report.validation_table import validation_lines
from tests.diagnoses import LAYOUT, NOW, cause, diagnosis, fix, key
from tests.validations import EQUAL, validation

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfgate.core.diagnosis import Cause


def evident(found: Cause, evidence: Evidence, rule: str = "config_flag") -> Cause:
    """A cause of a rule with one observation for it."""
    return msgspec.structs.replace(found, rule=rule, evidence=(evidence,))


LATENCY = Comparison(
    metric=KNOWN_METRICS["latency"],
    verdict=Verdict.REGRESSED,
    reason="latency 2.23 s -> 9.13 s",
    baseline=2.23,
    now=9.13,
    worse_by=3.09,
    low=3.05,
    high=3.13,
    threshold="min effect 1 % (perfgate.yaml:3:5)",
)
COPIES = Comparison(
    metric=KNOWN_METRICS["copied_bytes"],
    verdict=Verdict.REGRESSED,
    reason="0 -> 2.34 GB (new)",
    baseline=0.0,
    now=2_339_635_200.0,
)
POSTER = BenchmarkVerdict(
    benchmark="sd3_poster",
    device="ascend-310p-like",
    verdict=Verdict.REGRESSED,
    reason="latency 2.23 s -> 9.13 s",
    is_failure=True,
    comparisons=(LATENCY, COPIES),
)
FASTER = BenchmarkVerdict(
    benchmark="resnet_tiny",
    device="ascend-910b-like",
    verdict=Verdict.IMPROVED,
    reason="faster",
    is_failure=False,
    comparisons=(
        Comparison(
            metric=KNOWN_METRICS["latency"],
            verdict=Verdict.IMPROVED,
            reason="faster",
            baseline=4.31e-3,
            now=3.98e-3,
            worse_by=-0.077,
            low=-0.089,
            high=-0.064,
        ),
    ),
)
HOSTILE = BenchmarkVerdict(
    benchmark="evil\x1b[31m`|\n<img>\u202e@org",
    device="dev\x07",
    verdict=Verdict.NEW,
    reason="no baseline",
    is_failure=False,
    is_warning=True,
)
CONV2 = Hotspot(
    number=447,
    name="UNet.mid_block.resnet.1.conv2",
    op="Conv",
    scope="UNet.mid_block.resnet.1",
    total_ps=1_840_000_000_000,
    copied_bytes=701_890_560,
    copies=84,
)
EXPLANATION = Explanation(
    key="sd3_poster[ascend-310p-like]",
    settings=(
        SettingChange(name="--optypelayout", before="NHWC", now="NCHW", place="deploy/convert.sh:14:5"),
        SettingChange(name="log_level", before="info", now=None, place="deploy/runtime_config.yaml:7:1"),
    ),
    operators=(
        OperatorChange(
            now=CONV2, before_ps=26_000_000_000, delta_ps=1_814_000_000_000, copied_more=701_890_560
        ),
    ),
    copied_before=0.0,
    copied_now=2_339_635_200.0,
    model_changed=False,
)
CLOSING = Closing(
    verdicts=(POSTER, FASTER),
    selected=2,
    total=40,
    base="3f2c1ab" + "0" * 33,
    base_reason="HEAD^1",
    family_error=0.05,
    exit_code=1,
    common_mode="whole suite +0.1 % latency, baseline runs spread +-0.3 %",
    guardrails="guardrails: 6 rules, 9 commands read, 0 errors",
    edits=("baselines/ascend-310p-like/sd3_poster.json: accepts +12.0 % latency",),
    loosened=("perfgate.yaml:3:5: min_effect 0.5 for everything is looser than base's 0.01",),
    notes=("latency: this host drifts: record the baseline again, or compare interleaved",),
)

# Three findings, graded: each with its severity, evidence and fix.
GRADED = diagnosis(
    fix(taken=(LAYOUT,)),
    fix(
        settings=(key("memory_pool", "3GB"),), after=NOW - NOW // 10, cause=1, title="a pool that fits",
        severity=Severity.MEDIUM,
    ),
    fix(cause=2, after=None, title="join small messages", severity=Severity.LOW, advice="send 64 MB at once"),
    causes=(
        evident(cause(), Evidence(step=4, label="copies", text="280 round trips, 2.34 GB, none before")),
        evident(
            cause(0.70, None), Evidence(step=6, label="pool", text="450 allocations in each step"),
            rule="pool_growth",
        ),
        evident(
            cause(0.52, None), Evidence(step=6, label="messages", text="4 MB each, 65 % of the link"),
            rule="comm_wait",
        ),
    ),
)  # fmt: skip

TEXTS: dict[str, Callable[[], str]] = {
    "failure-regressed.txt": lambda: failure_text(POSTER, EXPLANATION),
    "failure-new.txt": lambda: failure_text(HOSTILE, None),
    "table-80.txt": lambda: verdict_table((POSTER, FASTER, HOSTILE), 80),
    "table-250.txt": lambda: verdict_table((POSTER, FASTER, HOSTILE), 250),
    "table-40.txt": lambda: verdict_table((POSTER, FASTER), 40),
    "validation.txt": lambda: "\n".join(validation_lines(validation(EQUAL))),
    "diagnosis.json": lambda: readable_json(GRADED).rstrip(),
    "closing.txt": lambda: "\n".join(closing_lines(CLOSING)),
}
