"""`If`, `Loop` and `Scan` become flat nodes: one branch, or one body whose nodes repeat.

A loop body is enclosed by two synthetic nodes of the domain `perfgate`. `LoopEnter` gives the iteration
number, the condition, the carried values and the slices of scanned inputs; `LoopExit` turns the body's
results into the loop's outputs and stacks what each iteration produced.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from perfgate.graph.inlining import alias, body_frame, body_of, node_name
from perfgate.graph.ir import Node, Place
from perfgate.graph.ops.rows import OWN_DOMAIN, Result, axis_of, mismatch
from perfgate.graph.ops.table import facts
from perfgate.graph.problems import Problem, ProblemCode, Refusal
from perfgate.graph.protobuf import broken

if TYPE_CHECKING:
    from perfgate.graph.importer import Frame, Importer

UNBOUNDED = 1 << 31  # exporters write 2^63 - 1 for "until the condition is false"
RIDGE = 100  # FLOPs that take as long as a byte on the devices here; only ranks two branches
MIN_SCAN_OPSET = 9  # version 8 had an implicit batch axis


def inline_branch(importer: Importer, proto: Any, inputs: tuple[str, ...], frame: Frame) -> bool:  # noqa: ANN401
    """Replaces an `If` by the branch its condition, the user or the cost decides for."""
    name = node_name(proto)
    condition = importer.tensors[inputs[0]].value
    chosen = importer.options.branches.get(name)
    if chosen is not None and chosen not in {"then", "else"}:
        raise broken(f"branches: {name}: {chosen!r} is no branch", "write then or else")
    if condition is not None:
        chosen = "then" if bool(condition.ravel()[0]) else "else"
        importer.remark("constant-branch", name, f"the condition is constant: {chosen} taken")
    elif chosen is not None:
        importer.remark("chosen-branch", name, f"{chosen} taken as asked")
    if chosen is not None:
        _run_branch(importer, proto, frame, chosen)
        return True
    _run_costlier(importer, proto, frame, name)
    return True


def _run_branch(importer: Importer, proto: Any, frame: Frame, part: str) -> None:  # noqa: ANN401
    outputs = importer.output_names(proto, frame)
    body = body_of(proto, f"{part}_branch")
    inner = body_frame(frame, proto, part, 1)
    names = inner.names if inner.names is not None else {}
    results = [item.name for item in body.output]
    produced = {item for node in body.node for item in node.output}
    for result, output in zip(results, outputs, strict=True):
        if result in produced and output and results.count(result) == 1:
            names[result] = output
    importer.add_weights(body.initializer, inner)
    importer.add_nodes(body.node, inner)
    for result, output in zip(results, outputs, strict=True):
        alias(importer, names.get(result, result), output, frame)


def _run_costlier(importer: Importer, proto: Any, frame: Frame, name: str) -> None:  # noqa: ANN401
    start = Mark(importer)
    trials = {}
    for part in ("then", "else"):
        _run_branch(importer, proto, frame, part)
        trials[part] = start.detached(importer)
    costs = {part: trial.cost for part, trial in trials.items()}
    # A branch with problems has no cost; its problems must be seen unless the user chooses the other one.
    chosen = "then" if costs["then"] >= costs["else"] else "else"
    trials[chosen].attach(importer)
    for part, trial in trials.items():
        if part != chosen:
            importer.problems.extend(trial.problems)
            importer.found += trial.found
    importer.remark(
        "costlier-branch",
        name,
        f"{chosen} taken: it costs more; 'branches: {{{name}: {'else' if chosen == 'then' else 'then'}}}' changes it",
    )


class Trial(msgspec.Struct):
    """What importing one branch added."""

    nodes: list[Node]
    tensors: dict[str, Any]
    problems: list[Problem]
    remarks: list[Any]
    poisoned: set[str]
    found: int
    next_index: int
    cost: int

    def attach(self, importer: Importer) -> None:
        """Adds it again."""
        importer.nodes.extend(self.nodes)
        importer.tensors.update(self.tensors)
        importer.problems.extend(self.problems)
        importer.remarks.extend(self.remarks)
        importer.poisoned |= self.poisoned
        importer.found += self.found
        importer.next_index = self.next_index


class Mark:
    """A point of the import to which it can go back."""

    __slots__ = ("found", "next_index", "nodes", "poisoned", "problems", "remarks", "tensors")

    def __init__(self, importer: Importer) -> None:
        self.nodes = len(importer.nodes)
        self.tensors = len(importer.tensors)
        self.problems = len(importer.problems)
        self.remarks = len(importer.remarks)
        self.poisoned = set(importer.poisoned)
        self.found = importer.found
        self.next_index = importer.next_index

    def detached(self, importer: Importer) -> Trial:
        """Takes what was added since the mark out of the importer."""
        nodes = importer.nodes[self.nodes :]
        cost = sum(_cost(facts(node, importer.tensors)) * node.repeat for node in nodes)
        added = [importer.tensors.popitem() for _ in range(len(importer.tensors) - self.tensors)]
        trial = Trial(
            nodes=nodes,
            tensors=dict(reversed(added)),
            problems=importer.problems[self.problems :],
            remarks=importer.remarks[self.remarks :],
            poisoned=importer.poisoned - self.poisoned,
            found=importer.found - self.found,
            next_index=importer.next_index,
            cost=cost,
        )
        del importer.nodes[self.nodes :]
        del importer.problems[self.problems :]
        del importer.remarks[self.remarks :]
        importer.poisoned = set(self.poisoned)
        importer.found = self.found
        importer.next_index = self.next_index
        return trial


def _cost(work: Any) -> int:  # noqa: ANN401 - OpFacts
    return int(work.flops + RIDGE * (work.read_bytes + work.write_bytes))


class Border(msgspec.Struct, frozen=True, kw_only=True):
    """What goes into and comes out of a repeated body."""

    kind: str
    part: str
    trips: int
    enter: list[tuple[str, Result]]  # name in the body, shape and type
    sources: tuple[str, ...]
    carried: int  # how many of the body's results are carried, behind `skipped` leading ones
    skipped: int
    stack_axes: tuple[int, ...]


def _repeat_body(importer: Importer, proto: Any, frame: Frame, body: Any, border: Border) -> None:  # noqa: ANN401, PLR0913, PLR0917
    outputs = importer.output_names(proto, frame)
    inner = body_frame(frame, proto, border.part, border.trips)
    names = inner.names if inner.names is not None else {}
    for name, _ in border.enter:
        names.pop(name, None)
    entered = tuple([importer.local_name(name, inner) for name, _ in border.enter])
    attributes = {"kind": border.kind, "trip_count": border.trips}
    _add_border(
        importer,
        proto,
        frame,
        "LoopEnter",
        (border.sources, entered, attributes),
        [r for _, r in border.enter],
    )
    importer.add_weights(body.initializer, inner)
    importer.add_nodes(body.node, inner)
    results = [item.name for item in body.output][border.skipped :]
    finals = [names.get(name, name) for name in results]
    if any(name in importer.poisoned for name in finals):
        importer.poisoned.update(name for name in outputs if name)
        return
    shapes: list[Result] = []
    for position, final in enumerate(finals):
        tensor = importer.tensors.get(final)
        if tensor is None:
            raise broken(f"the body's result '{final}' is produced by nothing")
        shape = tensor.shape
        if position >= border.carried:
            axis = axis_of(border.stack_axes[position - border.carried], len(shape) + 1)
            shape = (*shape[:axis], border.trips, *shape[axis:])
        elif shape != _entered_shape(border, position):
            importer.remark(
                "growing-state",
                node_name(proto),
                f"carried value {position} changes from {list(_entered_shape(border, position))} to {list(shape)};"
                " every iteration is counted with its first size",
            )
        shapes.append((shape, tensor.dtype))
    attributes = {"kind": border.kind, "trip_count": border.trips, "carried": border.carried}
    _add_border(importer, proto, frame, "LoopExit", (tuple(finals), outputs, attributes), shapes)


def _entered_shape(border: Border, position: int) -> tuple[int, ...]:
    leading = 2 if border.kind == "Loop" else 0  # the iteration number and the condition
    return border.enter[leading + position][1][0]


def _add_border(  # noqa: PLR0913, PLR0917 - the parts of one node
    importer: Importer,
    proto: Any,  # noqa: ANN401 - untyped message
    frame: Frame,
    op: str,
    parts: tuple[tuple[str, ...], tuple[str, ...], dict[str, Any]],
    results: list[Result],
) -> None:
    sources, outputs, attributes = parts
    name = f"{frame.prefix}/{node_name(proto)}" if frame.prefix else node_name(proto)
    index = importer.next_index
    importer.next_index += 1
    node = Node(
        index=index,
        name=f"{name}/{op}",
        op=op,
        domain=OWN_DOMAIN,
        inputs=sources,
        outputs=outputs,
        attributes=attributes,
        scope=name.replace("/", ".").strip("."),
        place=Place(importer.source, index),
        repeat=frame.repeat,
    )
    importer.add_synthetic(node, results)


def unroll_loop(importer: Importer, proto: Any, inputs: tuple[str, ...], frame: Frame) -> bool:  # noqa: ANN401
    """Replaces a `Loop` by its body with the trip count as repetition."""
    body = body_of(proto, "body")
    formal = [item.name for item in body.input]
    states = inputs[2:]
    if len(formal) != len(states) + 2 or len(body.output) < len(states) + 1:
        raise broken(
            f"the body takes {len(formal)} inputs for {len(states)} carried values",
            "add the iteration number, the condition and the carried values",
        )
    if any(name in importer.sequences for name in states):
        raise Refusal(ProblemCode.UNKNOWN_OPERATOR, "a sequence is carried through the loop", "carry tensors")
    trips = _trip_count(importer, proto, inputs)
    if trips == 0:
        return _skip_loop(importer, proto, states, frame)
    enter: list[tuple[str, Result]] = [(formal[0], ((), "int64")), (formal[1], ((), "bool"))]
    for name, state in zip(formal[2:], states, strict=True):
        tensor = importer.tensors[state]
        enter.append((name, (tensor.shape, tensor.dtype)))
    border = Border(
        kind="Loop",
        part="body",
        trips=trips,
        enter=enter,
        sources=inputs,
        carried=len(states),
        skipped=1,
        stack_axes=(0,) * (len(body.output) - 1 - len(states)),
    )
    _repeat_body(importer, proto, frame, body, border)
    return True


def _skip_loop(importer: Importer, proto: Any, states: tuple[str, ...], frame: Frame) -> bool:  # noqa: ANN401
    outputs = importer.output_names(proto, frame)
    if any(outputs[len(states) :]):
        raise mismatch("a loop of 0 iterations stacks nothing, so the size of its outputs is unknown")
    for state, output in zip(states, outputs, strict=False):
        alias(importer, state, output, frame)
    return True


def _trip_count(importer: Importer, proto: Any, inputs: tuple[str, ...]) -> int:  # noqa: ANN401
    name = node_name(proto)
    asked = importer.options.trip_counts.get(name)
    if asked is not None:
        importer.remark("trip-count", name, f"{asked} iterations as asked")
        return max(0, asked)
    limit = importer.tensors[inputs[0]] if inputs and inputs[0] else None
    condition = importer.tensors[inputs[1]] if len(inputs) > 1 and inputs[1] else None
    if condition is not None and condition.value is not None and not bool(condition.value.ravel()[0]):
        return 0
    if limit is None or limit.value is None or int(limit.value.ravel()[0]) >= UNBOUNDED:
        count = f"'{inputs[0]}'" if limit is not None else "absent"
        raise Refusal(
            ProblemCode.UNBOUND_LOOP,
            f"the trip count (input 0, {count}) is not a constant",
            f"set trip_counts: {{{name}: <iterations>}}",
        )
    trips = max(0, int(limit.value.ravel()[0]))
    if condition is None or condition.value is None:
        importer.remark(
            "trip-count", name, f"{trips} iterations: the upper limit; the condition may end it earlier"
        )
    return trips


def unroll_scan(importer: Importer, proto: Any, inputs: tuple[str, ...], frame: Frame) -> bool:  # noqa: ANN401
    """Replaces a `Scan` by its body, repeated for the length of the scanned inputs."""
    if frame.opset < MIN_SCAN_OPSET:
        raise Refusal(
            ProblemCode.UNSUPPORTED_OPSET,
            f"Scan of opset {frame.opset} has another form (range {MIN_SCAN_OPSET}-24)",
            f"convert it: onnx.version_converter.convert_version(model, {MIN_SCAN_OPSET})",
        )
    body = body_of(proto, "body")
    attributes = importer.attributes(proto, frame)
    scanned = attributes["num_scan_inputs"]
    formal = [item.name for item in body.input]
    carried = len(inputs) - scanned
    if scanned < 1 or carried < 0 or len(formal) != len(inputs) or len(body.output) < carried:
        raise broken(
            f"the body takes {len(formal)} inputs, the Scan has {len(inputs)}", "connect one input for each"
        )
    axes = attributes.get("scan_input_axes") or (0,) * scanned
    enter: list[tuple[str, Result]] = []
    lengths = set()
    for position, (name, source) in enumerate(zip(formal, inputs, strict=True)):
        tensor = importer.tensors[source]
        shape = tensor.shape
        if position >= carried:
            axis = axis_of(axes[position - carried], len(shape))
            lengths.add(shape[axis])
            shape = (*shape[:axis], *shape[axis + 1 :])
        enter.append((name, (shape, tensor.dtype)))
    if len(lengths) != 1:
        raise mismatch(f"the scanned inputs have different lengths {sorted(lengths)}")
    stacked = len(body.output) - carried
    border = Border(
        kind="Scan",
        part="body",
        trips=lengths.pop(),
        enter=enter,
        sources=inputs,
        carried=carried,
        skipped=0,
        stack_axes=tuple(attributes.get("scan_output_axes") or (0,) * stacked),
    )
    _repeat_body(importer, proto, frame, body, border)
    return True


HANDLERS = {"If": inline_branch, "Loop": unroll_loop, "Scan": unroll_scan}
