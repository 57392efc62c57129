"""hyperfine: calls as samples, memory, exit codes, and the older files without times."""

from __future__ import annotations

from tests.result_files import changed, left_out, refusal, results_of, series_of

FILE = "hyperfine_with_times.json"


def test_the_calls_of_a_command_are_the_samples_of_one_run() -> None:
    found = series_of(results_of(FILE), "sleep 0.01")
    assert found.runs == ((0.0110, 0.0112, 0.0113, 0.0115, 0.0120),)
    assert (found.metric.unit, found.metric.direction) == ("s", "lower")


def test_the_memory_of_a_process_has_noise() -> None:
    found = series_of(results_of(FILE), "sleep 0.01", "peak_memory")
    assert found.runs == ((1e6, 1.01e6, 1e6, 1.02e6, 1e6),)
    assert (found.metric.unit, found.metric.kind) == ("B", "sampled")


def test_a_command_with_failed_calls_is_failed() -> None:
    results = results_of(FILE)
    assert left_out(results) == {"failed": ["false"]}
    assert results.left_out[0].reason == "2 of 5 calls failed, the first ended with code 1"


def test_without_times_the_mean_is_one_value() -> None:
    found = series_of(results_of("hyperfine_without_times.json"), "sleep 0.01")
    assert (found.runs, found.summary) == (((0.0114,),), "the mean of its calls")


def test_no_calls_leave_the_median_as_one_value() -> None:
    results = changed("hyperfine_without_times.json", '"stddev"', '"times": [], "median": 0.0113, "stddev"')
    assert series_of(results, "sleep 0.01").runs == ((0.0113,),)


def test_two_commands_of_one_text_are_refused() -> None:
    line = refusal(FILE, '"command": "false"', '"exit_codes": [0], "command": "sleep 0.01"')
    assert "the key 'exit_codes' twice" in line
    text = (
        '{"results": [{"command": "a", "mean": 1, "times": [1]}, {"command": "a", "mean": 1, "times": [2]}]}'
    )
    line = refusal("hyperfine_without_times.json", '{\n "results": [', text[:-1] + ', "x": [')
    assert "two benchmarks are named 'a'" in line
