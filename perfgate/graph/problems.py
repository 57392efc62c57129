"""What can be wrong with a model, as one error that lists every problem found."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from perfgate.core.errors import ExitCode, PerfgateError

MOST_PROBLEMS = 20  # more do not help: the first ones usually cause the rest


class ProblemCode(StrEnum):
    """The kinds of trouble a model can be in."""

    UNBOUND_DIMENSION = "UnboundDimension"
    UNKNOWN_OPERATOR = "UnknownOperator"
    SHAPE_MISMATCH = "ShapeMismatch"
    MISSING_VALUE = "MissingValue"
    UNBOUND_LOOP = "UnboundLoop"
    UNSUPPORTED_OPSET = "UnsupportedOpset"
    BROKEN_MODEL = "BrokenModel"


class Problem(msgspec.Struct, frozen=True):
    """One problem: what is wrong, where (file, node, operator and version) and what to do."""

    code: ProblemCode
    what: str
    where: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.code}: {self.what}: {self.where}: {self.remedy}"


class GraphError(PerfgateError):
    """A model that cannot be used as it is; `problems` holds at most 20 of them, in model order.

    With one problem the message is its line; with more, one line for each follows the summary.
    """

    exit_code = ExitCode.USAGE

    def __init__(self, problems: tuple[Problem, ...], *, source: str, found: int | None = None) -> None:
        self.problems = problems[:MOST_PROBLEMS]
        self.codes = tuple(problem.code for problem in self.problems)
        total = len(problems) if found is None else found
        if total == 1:
            first = self.problems[0]
            super().__init__(f"{first.code}: {first.what}", first.where, first.remedy)
            return
        shown = "".join(f"\n  {problem}" for problem in self.problems)
        more = f"\n  and {total - len(self.problems)} more" if total > len(self.problems) else ""
        super().__init__(f"{total} problems in the model", source, f"mend each:{shown}{more}")


class Refusal(Exception):  # noqa: N818 - users never see it: the importer adds the place and reports a Problem
    """Raised by an operator's rule; the importer turns it into a `Problem` of that node."""

    def __init__(self, code: ProblemCode, what: str, remedy: str) -> None:
        self.code = code
        self.what = what
        self.remedy = remedy
        super().__init__(what)


class ValueNeeded(Refusal):
    """A rule needs the value of input number `position` (a shape, axes, a count) and it is not known."""

    def __init__(self, position: int, meaning: str) -> None:
        self.position = position
        super().__init__(ProblemCode.MISSING_VALUE, f"the {meaning} is not known", "")


def mismatch(what: str, remedy: str = "make the shapes agree at the producers named here") -> Refusal:
    """The refusal for shapes or attributes that contradict each other."""
    return Refusal(ProblemCode.SHAPE_MISMATCH, what, remedy)
