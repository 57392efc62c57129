"""Measured kernels of a real A100 against the device file, and what a folder check says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.benchmarks.conformance import DEFAULT, check_folder, check_kernels, read_rows

if TYPE_CHECKING:
    from pathlib import Path

TABLE = DEFAULT / "a100_gemm.csv"


@pytest.mark.skipif(
    not TABLE.is_file(), reason="the reference folder with a100_gemm.csv is not beside this clone"
)
def test_errors_on_a_real_gpu_stay_within_their_bounds() -> None:
    outcomes = check_kernels("a100", read_rows(TABLE))
    assert {outcome.name for outcome in outcomes} == {
        "a100: a100 gemm", "a100: a100 softmax", "a100: a100 gelu", "a100: a100 layernorm",
    }  # fmt: skip
    assert [outcome.text for outcome in outcomes if not outcome.passed] == []


def test_an_empty_folder_is_skipped_with_a_word(tmp_path: Path) -> None:
    outcomes = check_folder(tmp_path)
    assert all(outcome.passed and outcome.text.startswith("skipped") for outcome in outcomes)
    assert len(outcomes) == 3


def test_a_wrong_cycle_count_fails_and_names_the_row(tmp_path: Path) -> None:
    # ceil(64/32) * ceil(32/32) * (10 + 62) - 1 = 143 for outputs that stay; the table says 144.
    header = "topology,layer,array_h,array_w,dataflow,sr,sc,t,compute_cycles"
    (tmp_path / "x.csv").write_text(f"{header}\nnet,conv,32,32,os,64,32,10,144\n", encoding="utf-8")
    outcome = check_folder(tmp_path)[0]
    assert not outcome.passed
    assert "conv" in outcome.text


def test_a_kernel_far_off_fails(tmp_path: Path) -> None:
    header = "device,op,sweep,m,n,k,latency_us"
    (tmp_path / "x.csv").write_text(f"{header}\na100,gemm,x,8192,8192,8192,9999\n", encoding="utf-8")
    failed = [outcome for outcome in check_folder(tmp_path) if not outcome.passed]
    assert [outcome.name for outcome in failed] == ["x.csv: a100 gemm"]
