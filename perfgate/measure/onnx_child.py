"""The process that runs an ONNX model with ONNX Runtime: looks at it, times, traces, checks or saves it.

It imports onnxruntime and numpy beside the timing loop, and nothing else of perfgate.
"""

from __future__ import annotations

import json
import sys
import time
import zlib
from itertools import pairwise
from pathlib import Path
from typing import Any

from perfgate.measure.child import Plan, failure_text, result_of, time_call, write_whole

ENUMS = {"graph_optimization_level": "GraphOptimizationLevel", "execution_mode": "ExecutionMode"}
UNOPTIMISED = {"graph_optimization_level": "ORT_DISABLE_ALL"}
TRACED_RUNS = 21  # so that each node is seen at least once without a pause
TRACE_SECONDS = 3.0  # a slow model is traced less often, but at least once
SMALLEST_PART = 1e-12  # of a relative difference, against a division by zero
_DTYPES = {"float": "float32", "double": "float64"}  # ONNX Runtime's names that are not numpy's


class RefusedError(Exception):
    """What the task asks for cannot be had; `remedy` says what to do."""

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(what)
        self.remedy = remedy


def open_session(task: dict[str, Any], changed: dict[str, Any] | None = None) -> Any:  # noqa: ANN401 - no types there
    """The model in a session with the task's options, on all the providers that it asks for.

    Raises:
        RefusedError: a provider is not there, or ONNX Runtime would take another one in silence.
    """
    import onnxruntime  # noqa: PLC0415 - said when it is missing

    available = onnxruntime.get_available_providers()
    wanted = task["providers"]
    absent = next((name for name in wanted if name not in available), None)
    if absent is not None:
        raise RefusedError(f"no provider {absent}", f"this onnxruntime has {', '.join(available)}")
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3  # errors only
    for name, value in {**task["options"], **(changed or {})}.items():
        chosen = getattr(getattr(onnxruntime, ENUMS[name]), value) if name in ENUMS else value
        setattr(options, name, chosen)
    session = onnxruntime.InferenceSession(task["model"], options, providers=wanted)
    lost = next((name for name in wanted if name not in session.get_providers()), None)
    if lost is not None:
        raise RefusedError(f"the provider {lost} could not be loaded", "look at its driver and libraries")
    return session


def inspect_model(task: dict[str, Any]) -> dict[str, Any]:
    """Inputs as type and dimensions (a number, a symbol or None), and the version that runs them."""
    import onnxruntime  # noqa: PLC0415 - the same

    session = open_session(task)
    return {
        "inputs": {item.name: [_dtype(item.type), item.shape] for item in session.get_inputs()},
        "version": onnxruntime.__version__,
    }


def time_model(task: dict[str, Any]) -> dict[str, Any]:
    """The rounds of one run."""
    session = open_session(task)
    feeds = made_inputs(session, task)
    timing = time_call(lambda: session.run(None, feeds), None, Plan(**task["plan"]))
    return result_of(timing, is_own_process=True)


def trace_model(task: dict[str, Any]) -> dict[str, Any]:
    """Spans of traced executions: category, name, operator, thread, start and length in us, bytes.

    `seconds` are the wall times of the same calls.
    """
    folder = Path(task["result"]).parent
    session = open_session(task, {"enable_profiling": True, "profile_file_prefix": str(folder / "trace")})
    feeds = made_inputs(session, task)
    marks = [time.perf_counter()]
    for number in range(TRACED_RUNS):
        session.run(None, feeds)
        marks.append(time.perf_counter())
        if number and marks[-1] - marks[0] > TRACE_SECONDS:
            break
    events = json.loads(Path(session.end_profiling()).read_text(encoding="utf-8"))
    return {
        "seconds": [after - before for before, after in pairwise(marks)],
        "spans": [
            [
                event["cat"],
                event["name"],
                event["args"].get("op_name", ""),
                event["tid"],
                event["ts"],
                event["dur"],
                int(event["args"].get("output_size", 0) or 0),
            ]
            for event in events
            if event.get("ph") == "X" and "dur" in event
        ],
    }


def check_model(task: dict[str, Any]) -> dict[str, Any]:
    """What is wrong with the outputs, "" when they are those of the reference."""
    import numpy as np  # noqa: PLC0415 - after onnxruntime, which brings it

    session = open_session(task)
    feeds = made_inputs(session, task)
    names = [item.name for item in session.get_outputs()]
    if task["expected"]:
        with np.load(task["expected"], allow_pickle=False) as archive:
            given = {name: archive[name] for name in archive.files}
        feeds |= {name: given.pop(name) for name in list(given) if name in feeds}
        unknown = next((name for name in given if name not in names), None)
        if unknown is not None or not given:
            what = f"the reference has {unknown!r}" if given else "the reference has no output"
            raise RefusedError(what, f"name inputs and outputs of the model: {', '.join([*feeds, *names])}")
    else:
        given = dict(zip(names, open_session(task, UNOPTIMISED).run(names, feeds), strict=True))
    got = dict(zip(names, session.run(names, feeds), strict=True))
    limits = float(task["rtol"]), float(task["atol"])
    wrong = (difference(name, got[name], expected, limits) for name, expected in given.items())
    return {"wrong": next((text for text in wrong if text), "")}


def save_outputs(task: dict[str, Any]) -> dict[str, Any]:
    """The outputs in an NPZ file that the task names, their names in its order; open dimensions are 1."""
    import numpy as np  # noqa: PLC0415 - after onnxruntime, which brings it

    session = open_session(task)
    shapes = {
        item.name: [size if isinstance(size, int) and size > 0 else 1 for size in item.shape]
        for item in session.get_inputs()
    }
    names = [item.name for item in session.get_outputs()]
    np.savez(task["outputs"], *session.run(names, made_inputs(session, task | {"shapes": shapes})))
    return {"names": names}


def difference(name: str, got: Any, expected: Any, limits: tuple[float, float]) -> str:  # noqa: ANN401 - arrays
    """How far an output is from the expected one beyond `atol + rtol * |expected|`; "" if it is not."""
    import numpy as np  # noqa: PLC0415 - as above

    if got.shape != expected.shape:
        return f"{name!r} has the shape {list(got.shape)}, not {list(expected.shape)}"
    got, expected = got.astype(np.float64), expected.astype(np.float64)
    rtol, atol = limits
    close = np.isclose(got, expected, rtol=rtol, atol=atol, equal_nan=True)
    if close.all():
        return ""
    off = np.abs(got - expected)
    worst = float(np.nanmax(np.where(close, 0.0, off)))
    largest = max(float(np.nanmax(np.abs(expected))), SMALLEST_PART)
    share = 1.0 - float(close.mean())
    return (
        f"{name!r} is off by up to {worst:.3g} ({worst / largest:.2%} of its largest value), "
        f"{share:.2%} of its values are beyond rtol {rtol:g} and atol {atol:g}"
    )


def made_inputs(session: Any, task: dict[str, Any]) -> dict[str, Any]:  # noqa: ANN401 - no types there
    """An array for every input, the same for every run of a seed.

    Reals lie in [0, 1); whole numbers are 0 or 1, which every table of embeddings has a row for.

    Raises:
        RefusedError: an input of a type that cannot be made up.
    """
    import numpy as np  # noqa: PLC0415 - after onnxruntime, which brings it

    made = {}
    for item in session.get_inputs():
        kind, shape = _dtype(item.type), task["shapes"][item.name]
        source = np.random.default_rng([task["seed"], zlib.crc32(item.name.encode())])
        if kind.startswith("float"):
            made[item.name] = source.random(shape).astype(kind)
        elif kind.startswith(("int", "uint", "bool")):
            made[item.name] = source.integers(0, 2, shape).astype(kind)
        else:
            raise RefusedError(f"input {item.name!r} holds {kind}", "only numbers can be made up")
    return made


def _dtype(text: str) -> str:
    """`tensor(float16)` -> `float16`; what is no tensor stays as it is."""
    inner = text.removeprefix("tensor(").removesuffix(")")
    return _DTYPES.get(inner, inner)


MODES = {
    "inspect": inspect_model,
    "measure": time_model,
    "trace": trace_model,
    "check": check_model,
    "outputs": save_outputs,
}


def main(arguments: list[str]) -> int:
    """Do what the file of the first argument says, and write the result that it names."""
    task = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
    result: dict[str, Any]
    try:
        result = MODES[task["mode"]](task)
    except RefusedError as problem:
        result = {"failure": str(problem), "remedy": problem.remedy}
    except Exception as problem:  # noqa: BLE001 - whatever it is, it is the answer
        result = {"failure": failure_text(problem)}
    write_whole(Path(task["result"]), result)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
