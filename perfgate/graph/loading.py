"""`load`: the entry of the package, from model bytes to a `Graph` with every shape known."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perfgate.core.collector import paused_collector
from perfgate.core.errors import UsageError
from perfgate.graph.answers import check_answers
from perfgate.graph.binding import bind_inputs, declared_shape
from perfgate.graph.frame import Frame, Options
from perfgate.graph.importer import Importer
from perfgate.graph.ir import Graph
from perfgate.graph.problems import GraphError, Problem, ProblemCode, Refusal
from perfgate.graph.protobuf import ELEMENT_TYPES, Message
from perfgate.graph.versions import check_versions

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

NOTHING: Mapping[str, Any] = {}


def load(  # noqa: PLR0913 - keywords only, each answers one open question of a model
    model: str | os.PathLike[str] | bytes,
    *,
    bindings: Mapping[str, tuple[int, ...]] = NOTHING,
    branches: Mapping[str, str] = NOTHING,
    trip_counts: Mapping[str, int] = NOTHING,
    bounds: Mapping[str, int] = NOTHING,
    values: Mapping[str, Any] = NOTHING,
    name: str = "",
) -> Graph:
    """Imports an ONNX model (path or serialised bytes) with its dynamic dimensions bound.

    `bindings`: input -> sizes, -1 leaves a dimension open. `branches`: If node -> "then" or "else".
    `trip_counts`: Loop node -> iterations. `bounds`: node -> size limit of a data-dependent output.
    `values`: tensor -> elements, for shapes whose bytes are not in the model. `name`: what messages and
    places call a model given as bytes.

    Raises:
        GraphError: the model cannot be used; lists up to 20 problems.
        UsageError: the file cannot be read, or an option names nothing in the model.
    """
    content, source, folder = _content(model, name)
    options = Options(branches=branches, trip_counts=trip_counts, bounds=bounds, values=values)
    try:
        with paused_collector():
            return _imported(content, source, folder, bindings, options)
    except (UnicodeDecodeError, RecursionError) as error:
        problem = Problem(
            ProblemCode.BROKEN_MODEL,
            f"the model holds text or nesting that cannot be read ({type(error).__name__})",
            source,
            "export the model again; nothing else is tried",
        )
        raise GraphError((problem,), source=source) from error


def _content(model: str | os.PathLike[str] | bytes, name: str) -> tuple[bytes, str, Path | None]:
    if isinstance(model, bytes):
        return model, name or "model.onnx", None
    path = Path(model)
    try:
        return path.read_bytes(), name or path.name, path.parent
    except OSError as error:
        raise UsageError(
            f"cannot read the model ({error.strerror})", str(path), "name an .onnx file"
        ) from error


def _imported(
    content: bytes,
    source: str,
    folder: Path | None,
    bindings: Mapping[str, tuple[int, ...]],
    options: Options,
) -> Graph:
    proto = parsed_model(content, source)
    graph = proto.graph
    versions = {
        "" if entry.domain == "ai.onnx" else entry.domain: entry.version for entry in proto.opset_import
    }
    # A node's place stands under the key "source"; most models have none, and asking costs 1 us a node.
    has_places = b"source" in content
    importer = Importer(source=source, folder=folder, options=options, has_places=has_places)
    importer.functions = {(function.domain, function.name): function for function in proto.functions}
    importer.remarks.extend(check_versions(proto, versions, source))
    frame = Frame(opset=versions.get("", 0), versions=versions)
    try:
        importer.add_weights(graph.initializer, frame)
        importer.add_sparse_weights(graph.sparse_initializer)
        _add_inputs(importer, graph, bindings)
        _declare(importer, graph)
    except Refusal as refusal:
        raise GraphError(
            (Problem(refusal.code, refusal.what, source, refusal.remedy),), source=source
        ) from refusal
    importer.main_nodes = graph.node
    importer.add_nodes(graph.node, frame)
    outputs = tuple(item.name for item in graph.output)
    importer.check_outputs(outputs)
    if importer.found:
        raise GraphError(tuple(importer.problems), source=source, found=importer.found)
    check_answers(importer, proto, bindings)
    _remark_absent_files(importer)
    return Graph(
        name=graph.name or source,
        nodes=tuple(importer.nodes),
        tensors=importer.tensors,
        inputs=tuple(item.name for item in graph.input if item.name not in importer.initial),
        outputs=outputs,
        metadata={entry.key: entry.value for entry in proto.metadata_props},
        remarks=tuple(importer.remarks),
        opset=frame.opset,
        digest=_digest(content, bindings, options),
    )


def parsed_model(content: bytes, source: str) -> Message:
    """The message of a model file.

    Raises:
        GraphError: the bytes are none.
    """
    import onnx  # noqa: PLC0415 - 120 ms, only for model files
    from google.protobuf.message import DecodeError  # noqa: PLC0415 - comes with onnx

    try:
        proto = onnx.ModelProto.FromString(content)
    except DecodeError as error:
        what = f"not an ONNX model ({len(content)} bytes that do not parse)"
        raise _broken(what, source) from error
    if not proto.HasField("graph"):
        raise _broken("the file holds no graph", source)
    return proto


def _broken(what: str, source: str) -> GraphError:
    remedy = "export the model again; nothing else is tried"
    return GraphError((Problem(ProblemCode.BROKEN_MODEL, what, source, remedy),), source=source)


def _add_inputs(importer: Importer, graph: Message, bindings: Mapping[str, tuple[int, ...]]) -> None:
    importer.initial = frozenset(importer.tensors)
    protos = [item for item in graph.input if item.name not in importer.initial]
    bound = bind_inputs(protos, bindings, importer.source)
    importer.problems.extend(bound.problems)
    importer.found += len(bound.problems)
    if bound.problems:
        raise GraphError(tuple(importer.problems), source=importer.source)
    for tensor in bound.tensors:
        known = tensor.name in importer.options.values
        importer.tensors[tensor.name] = importer.overridden(tensor) if known else tensor
    importer.symbols = bound.symbols


def _declare(importer: Importer, graph: Message) -> None:
    """Notes the declared outputs that foreign and data-dependent operators fall back on."""
    for item in (*graph.value_info, *graph.output):
        shape = declared_shape(item.type)
        if shape is None:
            continue
        sizes = tuple(importer.symbols.get(dim, -1) if isinstance(dim, str) else dim for dim in shape)
        dtype = ELEMENT_TYPES.get(item.type.tensor_type.elem_type, "float32")
        if min(sizes, default=0) >= 0:
            importer.declared[item.name] = (sizes, dtype)


def _remark_absent_files(importer: Importer) -> None:
    """Weights whose file is absent cost the same, but nobody looked at their values."""
    counts = Counter(location for location in importer.external_files.values() if location)
    for location, count in counts.items():
        text = f"{count} weights of '{location}' are shape-only: costs are the same, values are unknown"
        importer.remark("shape-only", importer.source, text)


def _digest(content: bytes, bindings: Mapping[str, tuple[int, ...]], options: Options) -> str:
    answers = (
        {key: list(value) for key, value in bindings.items()},
        dict(options.branches), dict(options.trip_counts), dict(options.bounds), dict(options.values),
    )  # fmt: skip
    digest = hashlib.sha256(content)
    digest.update(json.dumps(answers, sort_keys=True, default=repr).encode())
    return digest.hexdigest()
