"""ONNX Runtime's profile: runs of the model, not of its nodes."""

from __future__ import annotations

import pytest

from tests.result_files import changed, left_out, results_of, results_of_text, series_of


def test_each_run_of_the_model_is_a_sample() -> None:
    found = series_of(results_of("onnxruntime_profile.json"), "onnxruntime-profile")
    assert found.runs[0] == pytest.approx((410e-6, 400e-6, 405e-6, 402e-6, 399e-6))
    assert found.protocol == {"timer_resolution": "1e-06"}  # so the gate knows what a tie is worth


def test_a_profile_without_a_run_has_failed() -> None:
    text = '[{"cat": "Session", "name": "session_initialization", "dur": 5, "ts": 0, "ph": "X"}]'
    assert left_out(results_of_text(text)) == {"failed": ["onnxruntime-profile"]}


def test_nodes_of_the_same_name_are_no_runs() -> None:
    results = changed("onnxruntime_profile.json", "conv1_kernel_time", "model_run")
    assert len(series_of(results, "onnxruntime-profile").runs[0]) == 5
