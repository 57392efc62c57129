"""The precision of a record, by its flags."""

from __future__ import annotations

import pytest

from perfgate.core.setting import Setting
from perfgate.plan.output_precision import precision_of
from tests.records import make_record


@pytest.mark.parametrize(
    ("name", "value", "precision"),
    [
        ("--precision_mode", "force_fp16", "fp16"),
        ("--precision_mode", "allow_mix_precision_bf16", "bf16"),
        ("--precision_mode", "force_fp32", "fp32"),
        ("quantize", "INT8", "int8"),
        ("--optypelayout", "NHWC", "fp32"),
    ],
)
def test_flags_say_the_precision(name: str, value: str, precision: str) -> None:
    assert precision_of(make_record("a", settings=(Setting(name=name, value=value),))) == precision


def test_without_flags_the_inputs_say_it() -> None:
    assert precision_of(make_record("a")) == "fp32"
