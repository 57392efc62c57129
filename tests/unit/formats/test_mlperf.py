"""MLPerf logs: the value a scenario is ranked by, invalid results, trainings and their epochs."""

from __future__ import annotations

import pytest

from tests.result_files import changed, left_out, refusal, results_of, series_of


def test_offline_is_ranked_by_its_rate() -> None:
    found = series_of(results_of("mlperf_summary_offline.txt"), "ExampleSUT/Offline", "throughput")
    assert (found.runs, found.metric.direction) == (((1234.5,),), "higher")
    assert found.summary == "LoadGen's Samples per second"


def test_a_single_stream_is_ranked_by_its_90th_percentile() -> None:
    found = series_of(
        results_of("mlperf_summary_single_stream.txt"), "ExampleSUT/SingleStream", "p90_latency"
    )
    assert found.runs[0] == pytest.approx((0.002,))
    assert found.metric.direction == "lower"


def test_an_invalid_result_has_failed() -> None:
    results = results_of("mlperf_summary_server_invalid.txt")
    assert results.series == ()
    assert left_out(results) == {"failed": ["ExampleSUT/Server"]}


def test_the_detail_log_has_the_same_facts() -> None:
    found = series_of(results_of("mlperf_detail.txt"), "ExampleSUT/Server", "throughput")
    assert found.runs == ((801.5,),)


def test_a_training_has_one_time_and_its_epochs() -> None:
    results = results_of("mlperf_training.txt")
    assert series_of(results, "resnet", "time_to_train").runs == ((15.0,),)  # 25,000 - 10,000 ms
    epochs = series_of(results, "resnet/epochs", "epoch_time")
    assert epochs.runs[0] == pytest.approx((1.0, 1.01, 1.02, 1.03, 1.04))


def test_a_training_that_did_not_reach_its_goal_has_failed() -> None:
    assert left_out(changed("mlperf_training.txt", '"success"', '"aborted"')) == {"failed": ["resnet"]}
    assert left_out(changed("mlperf_training.txt", "run_stop", "other")) == {"failed": ["resnet"]}


def test_a_result_without_its_scenario_is_refused() -> None:
    assert "the log names no scenario" in refusal("mlperf_summary_offline.txt", "Scenario :", "Scenery :")


def test_a_number_that_is_none_is_refused() -> None:
    assert "Samples per second is 'fast', no number" in refusal(
        "mlperf_summary_offline.txt", "1234.5", "fast"
    )
    assert "the number is not finite" in refusal("mlperf_summary_offline.txt", "1234.5", "nan")


def test_a_log_line_that_was_cut_off_is_refused_with_its_number() -> None:
    assert "broken JSON" in refusal("mlperf_detail.txt", '"value": 801.5', '"value"')
