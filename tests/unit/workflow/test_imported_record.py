"""Series as records: runs, exact values, thinning, notes, and files that do not belong together."""

from __future__ import annotations

import pytest

from perfgate.core.errors import UnusableError
from perfgate.core.metric import KNOWN_METRICS, Metric
from perfgate.formats.series import Series
from perfgate.workflow.imported_record import MOST_SAMPLES, Origin, imported_record

LATENCY = KNOWN_METRICS["latency"]
BYTES = Metric(name="allocated_bytes", unit="B")
ORIGIN = Origin(tool="go-test", device="host", context={"cpu_model": "x"})


def one(metric: Metric, *runs: tuple[float, ...], summary: str = "", **protocol: str) -> Series:
    return Series(benchmark="a", metric=metric, runs=runs, summary=summary, protocol=protocol)


def test_every_process_of_every_file_is_a_run() -> None:
    files = [[one(LATENCY, (1.0, 2.0), (3.0, 4.0))], [one(LATENCY, (5.0, 6.0))]]
    record = imported_record(ORIGIN, "a", files)
    assert [run.samples["latency"] for run in record.runs] == [(1.0, 2.0), (3.0, 4.0), (5.0, 6.0)]
    assert [run.id for run in record.runs] == [0, 1, 2]
    assert (record.backend, record.device, record.context) == ("go-test", "host", {"cpu_model": "x"})


def test_the_ruler_is_the_same_whatever_the_number_of_rounds() -> None:
    few = imported_record(ORIGIN, "a", [[one(LATENCY, (1.0,) * 5)]])
    many = imported_record(ORIGIN, "a", [[one(LATENCY, (1.0,) * 5_000)]] * 3)
    assert few.ruler == many.ruler
    assert few.ruler.protocol == {"imported_from": "go-test"}


def test_of_many_samples_every_kth_is_kept_and_a_note_says_so() -> None:
    samples = tuple(float(number) for number in range(1, 2 * MOST_SAMPLES + 2))
    record = imported_record(ORIGIN, "a", [[one(LATENCY, samples)]])
    assert record.runs[0].samples["latency"] == samples[::3]
    assert record.notes == ("of 4,001 samples of latency one in 3 is kept",)
    assert not imported_record(ORIGIN, "a", [[one(LATENCY, samples[:MOST_SAMPLES])]]).notes


def test_a_single_value_is_one_sample_and_a_note_says_what_it_is() -> None:
    record = imported_record(ORIGIN, "a", [[one(LATENCY, (1.0,), summary="the median of 9 rounds")]])
    assert record.runs[0].samples == {"latency": (1.0,)}
    assert record.notes == (
        "latency is one value, the median of 9 rounds: the file holds no samples to judge",
    )


def test_an_exact_metric_that_repeats_itself_is_one_value() -> None:
    record = imported_record(ORIGIN, "a", [[one(BYTES, (64.0, 64.0)), one(LATENCY, (1.0, 2.0))]])
    assert record.exact == {"allocated_bytes": 64.0}
    assert record.runs[0].samples == {"latency": (1.0, 2.0)}
    assert record.notes == ()


def test_an_exact_metric_may_move_as_far_as_the_gate_lets_it() -> None:
    record = imported_record(ORIGIN, "a", [[one(BYTES, (1000.0, 1004.0, 1005.0))]])
    assert record.exact == {"allocated_bytes": 1004.0}
    assert record.notes == ("allocated_bytes moved between 1000 and 1005; the middle value is kept",)


def test_an_exact_metric_that_moves_further_is_judged_as_noise() -> None:
    record = imported_record(ORIGIN, "a", [[one(BYTES, (1000.0, 1004.0, 1006.0))]])
    assert record.exact == {}
    assert record.ruler.metrics[0].is_sampled
    assert record.runs[0].samples == {"allocated_bytes": (1000.0, 1004.0, 1006.0)}


def test_zeros_among_exact_values_stay_exact() -> None:
    record = imported_record(ORIGIN, "a", [[one(BYTES, (0.0, 0.0, 8.0))]])
    assert record.exact == {"allocated_bytes": 0.0}
    assert record.notes


def test_one_metric_in_two_units_is_refused() -> None:
    other = Metric(name="latency", unit="1/s", kind=LATENCY.kind)
    with pytest.raises(UnusableError, match=r"latency in two units: s, lower .* 1/s, lower"):
        imported_record(ORIGIN, "a", [[one(LATENCY, (1.0,))], [one(other, (1.0,))]])


def test_files_of_two_settings_are_refused() -> None:
    files = [[one(LATENCY, (1.0,), timer="wall")], [one(LATENCY, (1.0,), timer="cpu")]]
    with pytest.raises(UnusableError, match=r"measured with timer wall and with timer cpu: a: "):
        imported_record(ORIGIN, "a", files)
