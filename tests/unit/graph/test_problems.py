from __future__ import annotations

from perfgate.core.errors import ExitCode
from perfgate.graph import GraphError, Problem, ProblemCode


def problem(number: int) -> Problem:
    return Problem(ProblemCode.SHAPE_MISMATCH, f"what {number}", f"m.onnx: node 'n{number}'", "mend it")


def test_one_problem_is_one_line_of_what_where_and_remedy() -> None:
    error = GraphError((problem(1),), source="m.onnx")
    assert str(error) == "ShapeMismatch: what 1: m.onnx: node 'n1': mend it"
    assert (error.what, error.where, error.remedy) == (
        "ShapeMismatch: what 1",
        "m.onnx: node 'n1'",
        "mend it",
    )
    assert error.exit_code is ExitCode.USAGE


def test_several_problems_follow_a_summary() -> None:
    error = GraphError((problem(1), problem(2)), source="m.onnx")
    first, *rest = str(error).splitlines()
    assert first == "2 problems in the model: m.onnx: mend each:"
    assert rest == [f"  {problem(1)}", f"  {problem(2)}"]
    assert error.codes == (ProblemCode.SHAPE_MISMATCH, ProblemCode.SHAPE_MISMATCH)


def test_a_count_above_the_list_is_told() -> None:
    error = GraphError(tuple(problem(number) for number in range(20)), source="m.onnx", found=23)
    assert str(error).startswith("23 problems")
    assert str(error).endswith("and 3 more")
