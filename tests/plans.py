"""Manifests of plans made by hand."""

from __future__ import annotations

from perfgate.plan.manifest import FilePlan, Manifest, TextEdit, with_id
from perfgate.plan.prediction import Prediction


def edit(offset: int, old: str = "NCHW", new: str = "NHWC") -> TextEdit:
    """A layout turned at an offset."""
    return TextEdit(
        line=1, offset=offset, old=old, new=new, kind="flag", name="--x", before=old, after=new, fix=1
    )


def manifest(*plans: FilePlan) -> Manifest:
    """The manifest of these files."""
    return with_id(
        Manifest(
            benchmark="b",
            device="d",
            metric="latency",
            unit="ps",
            prediction=Prediction(now=2, planned=1),
            commit="",
            folder="optimization_plan",
            diagnosis_sha256="",
            files=plans,
            fixes=(),
            left_out=(),
        )
    )
