"""A measured process: a fresh interpreter that runs one of our child modules and writes an answer."""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perfgate.backends.process import NO_MEMORY, on_one_line, run_bounded
from perfgate.core.errors import InfrastructureError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perfgate.backends.protocol import Request


def ask_child(
    module: str, task: Mapping[str, Any], request: Request, run: int, subject: str
) -> dict[str, Any]:
    """The answer of a fresh process to a task; `subject` is what messages say it runs.

    The process has a hash seed of its own for each run and writes no byte code beside the user's sources.

    Raises:
        InfrastructureError: no answer, because it ran out of time or was killed.
        UsageError: no answer, because it ended by itself; or it says that the work failed.
    """
    with tempfile.TemporaryDirectory(prefix="perfgate-") as folder:
        asked, result = Path(folder) / "task.json", Path(folder) / "result.json"
        asked.write_text(json.dumps({**task, "result": str(result)}), encoding="utf-8")
        try:
            done = run_bounded(
                [sys.executable, "-B", "-P", "-m", module, str(asked)],
                folder=Path(request.root),
                environment={**os.environ, "PYTHONHASHSEED": hash_seed(request, run)},
                seconds=request.timeout,
                memory_limit=request.memory_limit,
            )
        except OSError as problem:
            what = f"run {run} of {subject} cannot be started, {problem.strerror}"
            raise UsageError(what, request.place, "look at the folder and the interpreter") from None
        try:
            answer: dict[str, Any] = json.loads(result.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            what = f"run {run} of {subject} {done.account}"
            if done.was_stopped:
                remedy = "mend what it runs, or raise `timeout` or `memory_limit`"
                raise InfrastructureError(what, request.place, remedy) from None
            raise UsageError(what, request.place, "mend what it runs") from None
    if "failure" in answer:
        what = f"{subject} failed, {on_one_line(answer['failure'])}"
        remedy = answer.get("remedy", "mend what it runs")
        if request.memory_limit and any(word in what.lower() for word in NO_MEMORY):
            raise InfrastructureError(what, request.place, remedy)
        raise UsageError(what, request.place, remedy)
    return answer


def hash_seed(request: Request, run: int) -> str:
    """A hash seed for each run that another seed of the gate does not share."""
    return str(random.Random(f"{request.seed}:{request.benchmark}:{run}").randrange(1, 2**32))  # noqa: S311 - no secret
