"""A validation: what a change has done, in raw values, against what was predicted of it."""

from __future__ import annotations

import msgspec

SCHEMA = "perfgate/validation/1"


class ValidationRow(msgspec.Struct, frozen=True, kw_only=True):
    """One quantity before and after, in `unit`; None where a side does not have it.

    `name` is a metric, scope or operator, `label` what people read. `change` is relative to before (-.75 is
    75 % less), None from zero. `verdict` is the judge's word. `predicted` is the amount that a plan or a
    diagnosis promised.
    """

    name: str
    label: str
    unit: str
    before: float | None
    after: float | None
    change: float | None = None
    verdict: str = ""
    reason: str = ""
    predicted: float | None = None

    @property
    def deviation(self) -> float | None:
        """After over predicted, less 1; None without a prediction above zero."""
        return None if not self.predicted or self.after is None else self.after / self.predicted - 1


class ValidationTable(msgspec.Struct, frozen=True, kw_only=True):
    """The rows of one benchmark; `key` is `benchmark[device]`."""

    key: str
    rows: tuple[ValidationRow, ...]
    notes: tuple[str, ...] = ()


class OutputDifference(msgspec.Struct, frozen=True, kw_only=True):
    """One output of a model against the reference; None: they cannot be compared, `reason` says why.

    `tolerance` is what the largest absolute difference may be, `least_cosine` what the cosine has to reach.
    """

    name: str
    largest: float | None
    cosine: float | None
    tolerance: float
    least_cosine: float
    is_equal: bool
    is_within: bool
    reason: str = ""


class OutputCheck(msgspec.Struct, frozen=True, kw_only=True):
    """All outputs of the reference; `precision` is what the tolerances are of."""

    precision: str
    outputs: tuple[OutputDifference, ...]

    @property
    def is_broken(self) -> bool:
        """An output differs more than its precision explains."""
        return not all(item.is_within for item in self.outputs)


class QuantisedTensor(msgspec.Struct, frozen=True, kw_only=True):
    """One weight tensor in int8: `scale` = largest magnitude / 127, `largest_error` of the round trip."""

    name: str
    elements: int
    scale: float
    largest_error: float


class QuantisedWeights(msgspec.Struct, frozen=True, kw_only=True):
    """The weights of a model in symmetric int8, worst tensor first by error in units of its own bound.

    `curve` holds (share of the weights, error in scales that this share stays below); the bound is .5.
    """

    model: str
    tensors: tuple[QuantisedTensor, ...]
    curve: tuple[tuple[float, float], ...]
    bytes_before: int
    bytes_after: int


class Validation(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that `perfgate validate` says."""

    schema: str = SCHEMA
    exit_code: int
    tables: tuple[ValidationTable, ...]
    outputs: OutputCheck | None = None
    quantised: QuantisedWeights | None = None
    notes: tuple[str, ...] = ()
