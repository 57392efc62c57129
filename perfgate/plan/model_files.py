"""What model files say: outputs of a run, and their own weights."""

from __future__ import annotations

import importlib.util
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perfgate.backends.measured_process import ask_child
from perfgate.backends.onnxruntime import CHILD, NAME, SETUP
from perfgate.backends.protocol import Request
from perfgate.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

ARCHIVE, MODEL = ".npz", ".onnx"


def read_outputs(path: Path, option: str) -> Mapping[str, Any]:
    """Arrays by name: of an NPZ file, or what an ONNX model gives for inputs that its names decide.

    Models with inputs of the same names and shapes get the same values; open dimensions are 1.

    Raises:
        UsageError: neither kind of file, unreadable, or the model cannot be run.
    """
    if not path.is_file():
        raise UsageError("no such file", str(path), f"name an NPZ file or an ONNX model with {option}")
    if path.suffix == MODEL:
        return _run(path.resolve(), option)
    if path.suffix != ARCHIVE:
        raise UsageError("is neither .npz nor .onnx", str(path), f"name another file with {option}")
    import numpy as np  # noqa: PLC0415 - 100 ms, only where outputs are compared

    try:
        with np.load(path, allow_pickle=False) as archive:
            found = {name: archive[name] for name in archive.files}
    except (ValueError, OSError, zipfile.BadZipFile):
        raise UsageError("is no NPZ file of numbers", str(path), "write it with numpy.savez") from None
    if not found:
        raise UsageError("holds no output", str(path), "write it with numpy.savez(file, name=array)")
    return found


def _run(path: Path, option: str) -> dict[str, Any]:
    import tempfile  # noqa: PLC0415 - only where a model is run

    import numpy as np  # noqa: PLC0415 - as above

    if importlib.util.find_spec(NAME) is None:
        raise UsageError("onnxruntime is not installed", option, "run: pip install 'perfgate[ort]'")
    request = Request(benchmark=path.name, device="", root=str(path.parent), place=option)
    task: dict[str, Any] = {
        "model": str(path),
        "options": {},
        "providers": ["CPUExecutionProvider"],
        "seed": 0,
    }
    with tempfile.TemporaryDirectory(prefix="perfgate-") as folder:
        target = Path(folder) / f"outputs{ARCHIVE}"
        wanted = {"mode": "outputs", "outputs": str(target)}
        names = ask_child(CHILD, task | wanted, request, SETUP, path.name)["names"]
        with np.load(target, allow_pickle=False) as archive:
            return dict(zip(names, (archive[key] for key in archive.files), strict=True))


def read_weights(path: Path) -> dict[str, Any]:
    """The initializers of an ONNX model by name, those in files beside it included.

    Raises:
        UsageError: it is no model, or its weights are not there.
    """
    if not path.is_file():
        raise UsageError("no such file", str(path), "name an ONNX model with --quantized")
    import onnx  # noqa: PLC0415 - 120 ms, only where weights are quantised
    from google.protobuf.message import DecodeError  # noqa: PLC0415 - loaded by onnx

    try:
        proto = onnx.load(str(path))
        return {item.name: onnx.numpy_helper.to_array(item) for item in proto.graph.initializer}
    except DecodeError:
        raise UsageError("is no ONNX model", str(path), "name another file with --quantized") from None
    except (ValueError, OSError):
        remedy = "name a model with its weights in it, or beside it"
        raise UsageError("its weights cannot be read", str(path), remedy) from None
