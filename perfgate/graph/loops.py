"""`Loop` and `Scan` become flat nodes: one body whose nodes repeat, between two synthetic nodes.

`LoopEnter` (domain `perfgate`) gives the iteration number, the condition, the carried values and the slices
of scanned inputs; `LoopExit` turns the body's results into the loop's outputs and stacks what each
iteration produced.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from perfgate.graph.inlining import alias, body_frame, body_of, node_name
from perfgate.graph.ir import Node, Place
from perfgate.graph.ops.rows import OWN_DOMAIN, Result, axis_of
from perfgate.graph.problems import ProblemCode, Refusal, mismatch
from perfgate.graph.protobuf import Message, broken

if TYPE_CHECKING:
    from perfgate.graph.frame import Frame
    from perfgate.graph.importer import Importer

UNBOUNDED = 1 << 31  # exporters write 2^63 - 1 for "until the condition is false"
MIN_SCAN_OPSET = 9  # version 8 had an implicit batch axis


class Repeat(msgspec.Struct, frozen=True, kw_only=True):
    """One loop being imported.

    `entered`: what the body takes, by its own name, with shape and type. `states`: how many of the body's
    inputs before the carried values (2 for Loop: iteration number and condition). `carried`: how many
    results are carried on. `stack_axes`: axis along which each other result is stacked.
    """

    importer: Importer
    proto: Message
    frame: Frame
    trips: int
    sources: tuple[str, ...]
    entered: list[tuple[str, Result]]
    leading: int
    carried: int
    stack_axes: tuple[int, ...]

    def add_border(
        self, op: str, ends: tuple[tuple[str, ...], tuple[str, ...]], results: list[Result]
    ) -> None:
        """Adds the synthetic node before or behind the body."""
        importer, frame = self.importer, self.frame
        name = node_name(self.proto)
        name = f"{frame.prefix}/{name}" if frame.prefix else name
        index = importer.next_index
        importer.next_index += 1
        attributes: dict[str, Any] = {
            "kind": self.proto.op_type, "trip_count": self.trips, "carried": self.carried,
        }  # fmt: skip
        node = Node(
            index=index,
            name=f"{name}/{op}",
            op=op,
            domain=OWN_DOMAIN,
            inputs=ends[0],
            outputs=ends[1],
            attributes=attributes,
            scope=name.replace("/", ".").strip("."),
            place=Place(importer.source, index),
            repeat=frame.repeat,
        )
        importer.add_synthetic(node, results)


def _repeat_body(repeat: Repeat, body: Message) -> None:
    importer = repeat.importer
    outputs = importer.output_names(repeat.proto, repeat.frame)
    inner = body_frame(repeat.frame, repeat.proto, "body", repeat.trips)
    names = inner.names if inner.names is not None else {}
    for name, _ in repeat.entered:
        names.pop(name, None)
    entered = tuple([importer.local_name(name, inner) for name, _ in repeat.entered])
    repeat.add_border("LoopEnter", (repeat.sources, entered), [result for _, result in repeat.entered])
    importer.add_weights(body.initializer, inner)
    importer.add_nodes(body.node, inner)
    results = [names.get(item.name, item.name) for item in body.output]
    if any(name in importer.poisoned for name in results):
        importer.poisoned.update(name for name in outputs if name)
        return
    for name in results:
        if name not in importer.tensors:
            raise broken(f"the body's result '{name}' is produced by nothing")
    # The condition goes last: it steers the loop, and what computes it must not look dead.
    condition = len(results) - repeat.carried - len(repeat.stack_axes)
    finals = results[condition:]
    sources = (*finals, *results[:condition])
    repeat.add_border("LoopExit", (sources, outputs), _final_results(repeat, finals))


def _final_results(repeat: Repeat, finals: list[str]) -> list[Result]:
    results: list[Result] = []
    for position, name in enumerate(finals):
        tensor = repeat.importer.tensors[name]
        shape = tensor.shape
        if position >= repeat.carried:
            axis = axis_of(repeat.stack_axes[position - repeat.carried], len(shape) + 1)
            shape = (*shape[:axis], repeat.trips, *shape[axis:])
        elif shape != repeat.entered[repeat.leading + position][1][0]:
            text = (
                f"carried value {position} becomes {list(shape)}; every iteration counts with its first size"
            )
            repeat.importer.remark("growing-state", node_name(repeat.proto), text)
        results.append((shape, tensor.dtype))
    return results


def unroll_loop(importer: Importer, proto: Message, inputs: tuple[str, ...], frame: Frame) -> bool:
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
    trips = _trip_count(importer, proto, inputs, frame)
    if trips == 0:
        _skip_loop(importer, proto, states, frame)
        return True
    entered: list[tuple[str, Result]] = [(formal[0], ((), "int64")), (formal[1], ((), "bool"))]
    for name, state in zip(formal[2:], states, strict=True):
        tensor = importer.tensors[state]
        entered.append((name, (tensor.shape, tensor.dtype)))
    repeat = Repeat(
        importer=importer,
        proto=proto,
        frame=frame,
        trips=trips,
        sources=inputs,
        entered=entered,
        leading=2,
        carried=len(states),
        stack_axes=(0,) * (len(body.output) - 1 - len(states)),
    )
    _repeat_body(repeat, body)
    return True


def _skip_loop(importer: Importer, proto: Message, states: tuple[str, ...], frame: Frame) -> None:
    outputs = importer.output_names(proto, frame)
    if any(outputs[len(states) :]):
        raise mismatch("a loop of 0 iterations stacks nothing, so the size of its outputs is unknown")
    for state, output in zip(states, outputs, strict=False):
        alias(importer, state, output, frame)


def _trip_count(importer: Importer, proto: Message, inputs: tuple[str, ...], frame: Frame) -> int:
    name = node_name(proto)
    asked = importer.answer("trip_counts", importer.options.trip_counts, proto, frame)
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


def unroll_scan(importer: Importer, proto: Message, inputs: tuple[str, ...], frame: Frame) -> bool:
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
    entered: list[tuple[str, Result]] = []
    lengths = set()
    for position, (name, source) in enumerate(zip(formal, inputs, strict=True)):
        tensor = importer.tensors[source]
        shape = tensor.shape
        if position >= carried:
            axis = axis_of(axes[position - carried], len(shape))
            lengths.add(shape[axis])
            shape = (*shape[:axis], *shape[axis + 1 :])
        entered.append((name, (shape, tensor.dtype)))
    if len(lengths) != 1:
        raise mismatch(f"the scanned inputs have different lengths {sorted(lengths)}")
    stacked = len(body.output) - carried
    repeat = Repeat(
        importer=importer,
        proto=proto,
        frame=frame,
        trips=lengths.pop(),
        sources=inputs,
        entered=entered,
        leading=0,
        carried=carried,
        stack_axes=tuple(attributes.get("scan_output_axes") or (0,) * stacked),
    )
    _repeat_body(repeat, body)
    return True


HANDLERS = {"Loop": unroll_loop, "Scan": unroll_scan}
