"""The head of the page: verdict, cause, fixes, key figures."""

from __future__ import annotations

import dataclasses

import msgspec

from perfgate.core.diagnosis import Cause, Diagnosis, Fix, Focus, MetricDelta, OperatorRef, Severity
from perfgate.core.metric import KNOWN_METRICS
from perfgate.npu.device_file import load_device
from perfgate.report.html.summary import key_figures, page_head
from tests.page_profiles import US, in_a_row, kernel, material, operator, profile_of

GIVEN = material(in_a_row({"net.a": 10, "net.b": 10}), in_a_row({"net.a": 10, "net.b": 30}))
CAUSE = Cause(
    rule="config_flag",
    sentence="the layout changed",
    operator=OperatorRef(number=1, name="net.b", op="MatMul"),
    cost=20 * US,
    confidence=0.95,
)
DIAGNOSIS = Diagnosis(
    benchmark="drawn",
    device="drawn-device",
    focus=Focus.LATENCY,
    before="aaa",
    after="bbb",
    amount=40 * US,
    metrics=(
        MetricDelta(metric=KNOWN_METRICS["cycles"], before=1, after=2, relative=1.0),
        MetricDelta(
            metric=KNOWN_METRICS["latency"],
            before=20e-6,
            after=40e-6,
            relative=1.0,
            low=0.9,
            high=1.1,
            runs_before=5,
            runs_after=5,
        ),
    ),
    causes=(CAUSE,),
    fixes=(Fix(title="restore it", severity=Severity.HIGH, risk="none", cause=0, after=20 * US),),
    notes=("a note",),
)


def test_without_a_judgement_the_head_says_how_the_profiles_differ() -> None:
    head = page_head(GIVEN)
    assert (head.title, head.change) == ("drawn on drawn-device", "+100 %")  # 20 us to 40 us
    assert head.figures[0] == ("profile", "20.0 us -> 40.0 us")
    assert (head.causes, head.fixes) == ((), ())


def test_one_profile_alone_has_no_change() -> None:
    head = page_head(material(None, GIVEN.after))
    assert head.change == ""
    assert head.figures[0] == ("profile", "40.0 us")


def test_a_diagnosis_gives_verdict_interval_cause_with_its_operator_and_fixes() -> None:
    head = page_head(dataclasses.replace(GIVEN, diagnosis=DIAGNOSIS, verdict="regressed"))
    assert head.change == "REGRESSED latency +100 %  (+90.0..+110, 5 runs against 5)"
    assert head.causes[0].text == "cause 0.95: the layout changed at #1 net.b"
    assert head.causes[0].operator == 1
    assert head.fixes[0] == "high   restore it   -20.0 us   -50.0 %   risk: none"
    assert "a note" in head.notes


def test_a_weak_suspect_is_not_called_a_cause() -> None:
    weak = msgspec.structs.replace(
        DIAGNOSIS, causes=(msgspec.structs.replace(CAUSE, confidence=0.3), CAUSE), fixes=()
    )
    head = page_head(dataclasses.replace(GIVEN, diagnosis=weak))
    assert head.causes[0].text.startswith("no cause found; the strongest suspect is config_flag at net.b")
    assert head.causes[1].text == "suspect 0.95: the layout changed"


def test_five_causes_are_named_and_the_rest_is_a_count() -> None:
    many = msgspec.structs.replace(DIAGNOSIS, causes=(CAUSE,) * 8)
    texts = [line.text for line in page_head(dataclasses.replace(GIVEN, diagnosis=many)).causes]
    assert len(texts) == 6
    assert texts[-1] == "and 3 more"


def test_key_figures_are_shares_of_the_execution() -> None:
    # 200 us in all, 50 us of it in host copies; the machine could do twice the arithmetic.
    rows = [operator(0, "a", 200 * US, copies_ps=50 * US)]
    device = load_device("ascend-310p-like")
    peak = device.peak_macs_per_second("float16") * 200e-6
    rows = [msgspec.structs.replace(rows[0], flops=round(2 * peak / 2))]
    profile = msgspec.structs.replace(profile_of(rows, [kernel(rows[0], 0)]), machine=device)
    assert dict(key_figures(profile)) == {
        "engine": "50 %",
        "parallel efficiency": "0.50",
        "host copies": "25 %",
        "transfers": "0 %",
    }
