"""Pipelines as settings, simulated without a repository around them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.backends.protocol import Request
from perfgate.backends.simulated import SimulatedBackend
from perfgate.backends.simulated_pipeline import PipelineBackend, SimulatedPipeline
from perfgate.core.setting import Setting
from perfgate.zoo.perception import PIPELINES
from perfgate.zoo.pipeline_settings import settings_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perfgate.core.execution_profile import Profile

DEVICE = "orin-like"


def pipeline_request(
    preset: str = "branches", changed: Mapping[str, str] | None = None, **fields: object
) -> Request:
    """A shipped pipeline with settings changed."""
    values = {item.name: item.value for item in settings_of(PIPELINES[preset])} | dict(changed or {})
    settings = tuple(Setting(name=name, value=value) for name, value in values.items())
    return Request(benchmark="p", device=DEVICE, pipeline=settings, **fields)  # type: ignore[arg-type]  # fields of a request


def opened(request: Request) -> SimulatedPipeline:
    """Its session."""
    session = PipelineBackend(SimulatedBackend()).open(request)
    assert isinstance(session, SimulatedPipeline)
    return session


def profile_of(changed: Mapping[str, str] | None = None, preset: str = "branches") -> Profile:
    """The profile of a shipped pipeline with settings changed."""
    return opened(pipeline_request(preset, changed)).profile()
