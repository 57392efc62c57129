"""A validation made by hand: the figures of the incident, raw."""

from __future__ import annotations

from perfgate.core.validation import (
    OutputCheck,
    OutputDifference,
    QuantisedTensor,
    QuantisedWeights,
    Validation,
    ValidationRow,
    ValidationTable,
)
from tests.diagnoses import BENCHMARK, DEVICE

KEY = f"{BENCHMARK}[{DEVICE}]"


def row(  # noqa: PLR0913 - keywords only, most with a default
    name: str,
    before: float | None,
    after: float | None,
    *,
    unit: str = "s",
    verdict: str = "improved",
    predicted: float | None = None,
    label: str = "",
) -> ValidationRow:
    """A row whose change is that of its values."""
    return ValidationRow(
        name=name,
        label=label or name,
        unit=unit,
        before=before,
        after=after,
        change=None if not before or after is None else after / before - 1,
        verdict=verdict,
        predicted=predicted,
    )


ROWS = (
    row("latency", 9.13, 2.24, predicted=2.23),
    row("p99_latency", 9.45, 2.32),
    row("copied_bytes", 2.34e9, 0.0, unit="B", predicted=0.0, label="copied_bytes, host-device"),
    row("UNet.mid_block", 5.63, 0.19, predicted=0.19),
)
EQUAL = OutputDifference(
    name="image",
    largest=0.0,
    cosine=1.0,
    tolerance=0.0098,
    least_cosine=0.999,
    is_equal=True,
    is_within=True,
)
WEIGHTS = QuantisedWeights(
    model="unet.onnx",
    tensors=(QuantisedTensor(name="conv.weight", elements=1000, scale=0.01, largest_error=0.0049),),
    curve=((0.5, 0.25), (1.0, 0.49)),
    bytes_before=4000,
    bytes_after=1004,
)


def validation(*outputs: OutputDifference, exit_code: int = 0) -> Validation:
    """The incident validated; with outputs where they are given."""
    return Validation(
        exit_code=exit_code,
        tables=(ValidationTable(key=KEY, rows=ROWS),),
        outputs=OutputCheck(precision="fp16", outputs=outputs) if outputs else None,
    )
