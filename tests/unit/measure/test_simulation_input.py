from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from perfgate.backends.protocol import Request
from perfgate.core.errors import PerfgateError
from perfgate.core.setting import Setting
from perfgate.measure.simulation_input import SimulationInput
from perfgate.zoo.catalogue import build


def no_file(path: str, named_at: str) -> str:
    raise PerfgateError("the file is missing", path, f"named at {named_at}")


TINY = SimulationInput(
    request=Request(
        benchmark="net",
        device="ascend-310p-like",
        model=build("resnet50", "tiny").SerializeToString(),
        model_name="zoo:resnet50",
    ),
    read=no_file,
    devices=(),
)


def test_the_same_input_gives_the_same_profile_whatever_the_noise() -> None:
    noisy = replace(TINY, request=msgspec.structs.replace(TINY.request, seed=7, noise="noisy-ci"))
    assert TINY.profile() == TINY.profile() == noisy.profile()


@pytest.mark.parametrize(
    "fields",
    [
        {"device": "no-such-device"},
        {"model": b"no model"},
        {"compile": (Setting(name="--fusion_switch_file", value="none.cfg"),)},
    ],
)
def test_what_cannot_be_simulated_is_an_error_of_the_user(fields: dict[str, object]) -> None:
    broken = replace(TINY, request=msgspec.structs.replace(TINY.request, **fields))
    with pytest.raises(PerfgateError):
        broken.profile()
