"""Which tests need the clock, by their own text."""

from __future__ import annotations

from typing import Any

import pytest

from perfgate.pytest_plugin.functions import _calls_the_clock


def direct(perfgate: Any) -> None:  # noqa: ANN401
    perfgate(sum, [1])


def named(perfgate: Any) -> None:  # noqa: ANN401
    perfgate.named("a")(sum, [1])


async def awaited(perfgate: Any) -> None:  # noqa: ANN401
    await perfgate.aio(sum, [1])


def command(perfgate: Any) -> None:  # noqa: ANN401
    perfgate.named("tool").command(["./bench"])


def model(perfgate: Any) -> None:  # noqa: ANN401
    assert perfgate.model("zoo:resnet50", device="orin-like").metric("cycles").value


def named_model(perfgate: Any) -> None:  # noqa: ANN401
    perfgate.named("a").model("zoo:resnet50", device="orin-like")


def handed_on(perfgate: Any) -> None:  # noqa: ANN401
    print(perfgate)  # noqa: T201


@pytest.mark.parametrize("function", [direct, named, awaited, command])
def test_a_call_of_the_fixture_needs_the_clock(function: Any) -> None:  # noqa: ANN401
    assert _calls_the_clock(function)


@pytest.mark.parametrize("function", [model, named_model, handed_on, len])
def test_models_do_not(function: Any) -> None:  # noqa: ANN401
    assert not _calls_the_clock(function)
