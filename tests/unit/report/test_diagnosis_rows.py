from __future__ import annotations

import msgspec
import pytest

from perfgate.core.diagnosis import (
    OWN_COPIES,
    Attribution,
    AttributionRow,
    Effect,
    MetricDelta,
    OperatorRef,
    Proof,
    RowKind,
)
from perfgate.core.difference import Difference, DifferenceKind
from perfgate.core.metric import KNOWN_METRICS, Metric
from perfgate.report.diagnosis_rows import (
    change,
    delta_rows,
    fix_rows,
    flag_text,
    headline,
    hidden_texts,
    hit_texts,
    metric_rows,
    proof_text,
    relative,
    together_text,
    unexplained_text,
    without_effect_text,
)
from tests.diagnoses import CONV2, LAYOUT, NOW, cause, diagnosis, fix, flag

S = 10**12  # picoseconds
DEVICE = Difference(kind=DifferenceKind.DEVICE, name="npu", before="a" * 64, after="b" * 64)


def row(
    kind: RowKind, before: int, after: int, label: str = "x", count: int = 0, **fields: object
) -> AttributionRow:
    return AttributionRow(kind=kind, label=label, before=before, after=after, count=count, **fields)  # type: ignore[arg-type]  # - fields of the row


def attribution(*rows: AttributionRow, residual: int = 0, steps: int = 28, before: int = S) -> Attribution:
    total = sum(item.delta for item in rows) + residual
    return Attribution(
        unit="ps", before=before, after=before + total, rows=rows, residual=residual, steps=steps
    )


def delta(name: str, before: float, after: float, **fields: object) -> MetricDelta:
    return MetricDelta(metric=KNOWN_METRICS[name], before=before, after=after, **fields)  # type: ignore[arg-type]  # - fields of the value


def test_printed_deltas_and_shares_sum_to_the_printed_total() -> None:
    third = row(RowKind.OPERATOR, 0, S // 3, operator=CONV2)
    rows = delta_rows(attribution(third, third, row(RowKind.OTHER, 0, S // 3 + 1)))
    assert [item.delta for item in rows] == ["+0.33 s", "+0.33 s", "+0.34 s", "+0.00 s", "+1.00 s"]
    assert [item.share for item in rows] == ["33.3 %", "33.3 %", "33.4 %", "0.0 %", "100.0 %"]


def test_shares_of_a_speed_up_are_shares_of_the_gain() -> None:
    rows = delta_rows(
        attribution(row(RowKind.OTHER, 3 * S, 2 * S), row(RowKind.WAIT, 0, S // 4), before=4 * S)
    )
    assert [item.share for item in rows] == ["133.3 %", "-33.3 %", "0.0 %", "100.0 %"]


def test_without_a_delta_there_is_nothing_to_share() -> None:
    rows = delta_rows(attribution(row(RowKind.OTHER, S, S)))
    assert [(item.label, item.delta, item.share) for item in rows] == [
        ("x", "+0.00 s", "0.0 %"),
        ("unexplained", "+0.00 s", "0.0 %"),
        ("total", "+0.00 s", "0.0 %"),
    ]


def test_copies_are_counted_as_round_trips_per_step() -> None:
    parts = (row(RowKind.COPIES, 0, S, OWN_COPIES, count=3 * 2 * 28),)
    rows = delta_rows(
        attribution(
            row(RowKind.OPERATOR, 0, 2 * S, operator=CONV2, parts=parts),
            row(RowKind.COPIES, 0, S, f"{OWN_COPIES} elsewhere", count=7 * 2 * 28),
            row(RowKind.CONVERSIONS, 0, S, "layout conversions on the device", count=68 * 28),
        )
    )
    assert [item.label for item in rows[:4]] == [
        "#447 UNet.mid_block.resnet.1.conv2",
        "of it: 3 implicit host copies per step",
        "implicit host copies elsewhere, 7 per step",
        "layout conversions on the device, 68 per step",
    ]
    assert (rows[1].is_part, rows[1].before, rows[1].after, rows[1].delta) == (True, "0", "1.00 s", "")


@pytest.mark.parametrize(
    ("count", "label"),
    [
        (1, "of it: 1 implicit host copy per step"),  # down only: no round trip, and yet a copy
        (2, "of it: 1 implicit host copy per step"),
        (4, "of it: 2 implicit host copies per step"),
        (0, "of it: implicit host copies"),  # they are gone
    ],
)
def test_one_copy_is_one_and_none_is_not_counted(count: int, label: str) -> None:
    parts = (row(RowKind.COPIES, S, S, OWN_COPIES, count=count),)
    operator = row(RowKind.OPERATOR, 0, 2 * S, operator=CONV2, parts=parts)
    assert delta_rows(attribution(operator, steps=1))[1].label == label


def test_what_is_no_operator_of_the_model_has_no_number() -> None:
    rest = OperatorRef(number=-2, name="(operators under 0.1 %)", op="")
    assert delta_rows(attribution(row(RowKind.OPERATOR, 0, S, operator=rest)))[0].label == rest.name


def test_metrics_are_told_sampled_ones_first_and_only_where_they_changed() -> None:
    found = msgspec.structs.replace(
        diagnosis(),
        metrics=(
            delta("copied_bytes", 0.0, 2.34e9),
            delta("peak_memory", 5.0, 5.0),
            delta("latency", 2.23, 9.13, relative=3.09, low=3.05, high=3.13, runs_before=4, runs_after=5),
        ),
    )
    assert metric_rows(found) == [
        ("latency", "2.23 s", "9.13 s", "+309 %  (+305..+313, 5 runs against 4)"),
        ("copies", "0 B", "2.34 GB", "from zero"),
    ]


def test_a_unit_of_the_users_own_cannot_write_to_the_terminal() -> None:
    hostile = MetricDelta(metric=Metric(name="x\x1b", unit="y\x1b[31m"), before=1.0, after=2.0, relative=1.0)
    found = msgspec.structs.replace(diagnosis(), metrics=(hostile,))
    assert metric_rows(found) == [("x\\x1b", "1.00 y\\x1b[31m", "2.00 y\\x1b[31m", "+100 %")]


def test_a_change_without_interval_or_from_somewhere_is_the_ratio_alone() -> None:
    assert change(delta("peak_memory", 1.0, 1.5, relative=0.5)) == "+50.0 %"
    assert change(delta("peak_memory", 1.0, 1.5)) == ""


@pytest.mark.parametrize(
    ("value", "text"),
    [(3.09, "+309 %"), (-0.756, "-75.6 %"), (0.9994, "+99.9 %"), (0.9996, "+100 %"), (0.0, "+0.0 %")],
)
def test_relative_changes_have_a_decimal_below_a_hundred_percent(value: float, text: str) -> None:
    assert relative(value) == text


def test_the_headline_says_how_often_that_was_right_or_that_nothing_was_found() -> None:
    assert headline(diagnosis()) == "confidence 0.95  (of 212 planted faults with this score 201 were right)"
    capped = msgspec.structs.replace(cause(0.6), frequency=(0, 0))
    assert headline(diagnosis(causes=(capped,))) == "confidence 0.60"
    assert headline(diagnosis(causes=())) == "no cause found"
    assert headline(diagnosis(causes=(cause(0.49),))) == (
        "no cause found; the strongest suspect is config_flag at UNet.mid_block.resnet.1.conv2 (0.49)"
    )


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({}, "deploy/convert.sh:4   --optypelayout=NCHW   (baseline: NHWC)"),
        ({"before": None}, "deploy/convert.sh:4   --optypelayout=NCHW   (baseline: not set)"),
        ({"after": None}, "deploy/convert.sh:4   --optypelayout is gone   (baseline: NHWC)"),
        ({"after": "", "before": None}, "deploy/convert.sh:4   --optypelayout   (baseline: not set)"),
        ({"after": "NCHW", "before": ""}, "deploy/convert.sh:4   --optypelayout=NCHW   (baseline: set)"),
        ({"place_after": "", "place_before": ""}, "--optypelayout=NCHW   (baseline: NHWC)"),
        ({"place_after": "a:b.sh:4:5"}, "a:b.sh:4   --optypelayout=NCHW   (baseline: NHWC)"),
    ],
)
def test_a_setting_is_told_with_its_place_and_what_it_was(changed: dict[str, object], text: str) -> None:
    assert flag_text(msgspec.structs.replace(LAYOUT, **changed)) == text


def test_of_digests_the_first_digits_are_enough_everywhere() -> None:
    assert flag_text(DEVICE) == f"npu={'b' * 12}   (baseline: {'a' * 12})"
    assert proof_text(cause(difference=DEVICE), diagnosis()).startswith(
        "re-simulated with npu as it was restored:"
    )
    (row_of,) = fix_rows(diagnosis(fix(taken=(DEVICE,))))
    assert row_of.edits == (f"npu={'b' * 12} -> npu={'a' * 12}",)


def test_a_proof_names_what_was_restored_and_what_that_recovers() -> None:
    assert proof_text(cause(), diagnosis()) == (
        "re-simulated with NHWC restored: 2.23 s, recovers 100.0 % of the delta"
    )
    assert proof_text(cause(difference=None), diagnosis()).startswith(
        "re-simulated with the baseline's model"
    )
    added = msgspec.structs.replace(LAYOUT, before=None)
    assert "with --optypelayout as it was restored" in proof_text(cause(difference=added), diagnosis())
    assert proof_text(msgspec.structs.replace(cause(), proof=None), diagnosis()) == ""
    nothing = msgspec.structs.replace(cause(), proof=Proof(undone=0, recovered=0.5))
    assert "restored: 0 ps, recovers 50.0 %" in proof_text(nothing, diagnosis())


def test_a_fix_says_its_gain_from_now_and_where_to_edit() -> None:
    removed = msgspec.structs.replace(LAYOUT, before=None)
    rows = fix_rows(
        diagnosis(
            fix(taken=(LAYOUT,)),
            fix(taken=(removed,), after=NOW),
            fix(
                settings=(flag("--a", "1"), flag("--b", None), flag("--c", "")), after=None, is_estimated=True
            ),
        )
    )
    assert [(item.number, item.gain, item.relative) for item in rows] == [
        (1, "-6.90 s", "-75.6 %"),
        (2, "+0.00 s", "+0.0 %"),
        (3, "", ""),
    ]
    assert rows[0].edits == ("deploy/convert.sh:4  --optypelayout=NCHW -> --optypelayout=NHWC",)
    assert rows[1].edits == ("deploy/convert.sh:4  --optypelayout=NCHW -> remove it",)
    assert rows[2].edits == ("--a=1", "remove --b", "--c")


def test_a_fix_that_needs_more_memory_says_so() -> None:
    found = diagnosis(msgspec.structs.replace(fix(), peak_memory=115))
    found = msgspec.structs.replace(found, metrics=(delta("peak_memory", 90.0, 100.0, relative=0.11),))
    assert fix_rows(found)[0].risk == "none, same numerics, peak memory +15 %"
    less = msgspec.structs.replace(found, fixes=(msgspec.structs.replace(fix(), peak_memory=100),))
    assert fix_rows(less)[0].risk == "none, same numerics"


@pytest.mark.parametrize(("count", "word"), [(2, "both"), (3, "all three"), (4, "all four"), (5, "all five")])
def test_all_fixes_together_are_one_simulation(count: int, word: str) -> None:
    found = diagnosis(*(fix(title=str(n)) for n in range(count)), together=2_020_000_000_000)
    assert together_text(found) == f"each re-simulated alone from now; {word} together: 2.02 s, -77.9 %"


def test_one_fix_has_no_together_and_estimates_are_called_so() -> None:
    assert together_text(diagnosis()) == "each re-simulated alone from now"
    estimate = fix(after=None, is_estimated=True)
    assert together_text(diagnosis(estimate)) == "estimated, nothing could be re-simulated"
    assert together_text(msgspec.structs.replace(diagnosis(), fixes=())) == ""


def test_much_that_the_traces_do_not_explain_is_said() -> None:
    found = diagnosis()
    little = msgspec.structs.replace(found, attribution=attribution(row(RowKind.OTHER, 0, 90), residual=10))
    much = msgspec.structs.replace(found, attribution=attribution(row(RowKind.OTHER, 0, 88), residual=12))
    assert unexplained_text(little) == ""
    assert unexplained_text(much) == "12 % of the delta is unexplained"
    assert unexplained_text(msgspec.structs.replace(found, attribution=None)) == ""


def test_no_effect_was_found_only_where_one_was_looked_for() -> None:
    assert without_effect_text(diagnosis()) == "also changed, its effect is not known"
    tried = msgspec.structs.replace(diagnosis(), simulations=1)
    assert without_effect_text(tried) == "also changed, no effect found"


def test_what_parallel_work_hides_and_whom_else_a_cause_hits_is_told() -> None:
    hidden = attribution(row(RowKind.OTHER, 0, S))
    hidden = msgspec.structs.replace(hidden, hidden=(row(RowKind.OPERATOR, S, 3 * S, "net.side"),))
    assert hidden_texts(hidden) == ["net.side +2.00 s"]
    effects = tuple(
        Effect(benchmark=name, device="npu", metric=metric, before=1.0, after=2.0, relative=by)
        for name, metric, by in (
            ("b", "copied_bytes", None),
            ("b", "latency", 0.5),
            ("c", "latency", 0.26),
            ("sd_unet", "latency", 0.1),
        )
    )
    hit = msgspec.structs.replace(cause(), effects=effects)
    found = msgspec.structs.replace(diagnosis(causes=(hit,)), device="npu")
    assert hit_texts(hit, found) == ["b on npu: copied_bytes from zero", "c on npu: latency +26.0 %"]
