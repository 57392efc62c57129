"""Which tests need the clock, by their own text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from perfgate.pytest_plugin.functions import _calls_the_clock

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfgate.pytest_plugin.fixture import PerfgateFixture


def direct(perfgate: PerfgateFixture) -> None:
    perfgate(sum, [1])


def named(perfgate: PerfgateFixture) -> None:
    perfgate.named("a")(sum, [1])


async def awaited(perfgate: PerfgateFixture) -> None:
    await perfgate.aio(sum, [1])


def command(perfgate: PerfgateFixture) -> None:
    perfgate.named("tool").command(["./bench"])


def model(perfgate: PerfgateFixture) -> None:
    assert perfgate.model("zoo:resnet50", device="orin-like").metric("cycles").value


def named_model(perfgate: PerfgateFixture) -> None:
    perfgate.named("a").model("zoo:resnet50", device="orin-like")


def handed_on(perfgate: PerfgateFixture) -> None:
    str(perfgate)


@pytest.mark.parametrize("function", [direct, named, awaited, command])
def test_a_call_of_the_fixture_needs_the_clock(function: Callable[..., object]) -> None:
    assert _calls_the_clock(function)


@pytest.mark.parametrize("function", [model, named_model, handed_on, len])
def test_models_do_not(function: Callable[..., object]) -> None:
    assert not _calls_the_clock(function)
