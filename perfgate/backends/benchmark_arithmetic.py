"""What `record --explain` says of a simulated benchmark: its times, its fusions, what its file carries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.core.errors import PerfgateError
from perfgate.core.units import readable
from perfgate.graph.unused import unused_parts
from perfgate.npu.copy_arithmetic import ArithmeticLine, explain_execution
from perfgate.npu.fusion_gain import fusion_gain, fusion_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.backends.protocol import Request
    from perfgate.npu.phase import Phase
    from perfgate.npu.what_if import Subject


def explain_benchmark(
    request: Request, subject: Subject, phases: Sequence[Phase]
) -> tuple[ArithmeticLine, ...]:
    """Lines to check by hand; fusion costs one more compilation and simulation."""
    return (*explain_execution(phases), *_fusion(subject, phases), *unused_lines(request.model))


def _fusion(subject: Subject, phases: Sequence[Phase]) -> tuple[ArithmeticLine, ...]:
    try:
        return fusion_lines(fusion_gain(subject, phases))
    except PerfgateError as problem:  # without fusion it may not fit the device
        return (ArithmeticLine(quantity="fusion", arithmetic="without it", result=problem.what),)


def unused_lines(model: bytes) -> tuple[ArithmeticLine, ...]:
    """What the model's file carries and nobody uses; no line where there is nothing."""
    parts = unused_parts(model)
    return (
        *(
            ArithmeticLine(quantity="unused initialiser", arithmetic=name, result=readable(size, "B"))
            for name, size in parts.initialisers
        ),
        *(
            ArithmeticLine(quantity="unused node", arithmetic=name, result="reaches no output")
            for name in parts.nodes
        ),
        *(
            ArithmeticLine(quantity="unused operator set", arithmetic=name, result="no node is from it")
            for name in parts.domains
        ),
    )
