"""One forward pass over a model: decodes each node once, finds shapes and small values, collects problems."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
import numpy as np

from perfgate.graph import branching, constants, inlining, loops, sequences
from perfgate.graph.explanation import explain
from perfgate.graph.ir import Node, Remark, Tensor, TensorKind
from perfgate.graph.ops.rows import MOST_VALUE_ELEMENTS, Result, Row, Site, product
from perfgate.graph.ops.table import TABLE, row_of
from perfgate.graph.order import in_order
from perfgate.graph.places import place_of
from perfgate.graph.problems import MOST_PROBLEMS, Problem, ProblemCode, Refusal
from perfgate.graph.protobuf import READERS, Message, broken, weight_tensor

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from perfgate.graph.frame import Frame, Options

DEFAULT_DOMAINS = ("", "ai.onnx")
Answer = TypeVar("Answer")
RULE_FAILURES = (ArithmeticError, LookupError, TypeError, ValueError)


class Importer:
    """The growing flat graph. `tensors` is insertion-ordered, so a trial import can be undone."""

    __slots__ = (
        "_outer_names", "answered", "declared", "external_files", "folder", "found", "functions",
        "has_places", "initial", "main_nodes", "next_index", "nodes", "options", "poisoned", "problems",
        "questions", "remarks",
        "sequences", "source", "symbols", "tensors",
    )  # fmt: skip

    def __init__(
        self, *, source: str, folder: Path | None, options: Options, has_places: bool = True
    ) -> None:
        self.source = source
        self.has_places = has_places
        self.main_nodes: Iterable[Message] = ()
        self._outer_names: frozenset[str] | None = None
        self.questions: list[tuple[str, str]] = []
        self.answered: set[tuple[str, str]] = set()
        self.folder = folder
        self.options = options
        self.nodes: list[Node] = []
        self.tensors: dict[str, Tensor] = {}
        self.sequences: dict[str, sequences.Sequence] = {}
        self.poisoned: set[str] = set()
        self.problems: list[Problem] = []
        self.found = 0
        self.remarks: list[Remark] = []
        self.functions: dict[tuple[str, str], Any] = {}
        self.declared: dict[str, Result] = {}
        self.next_index = 0
        self.symbols: dict[str, int] = {}
        self.initial: frozenset[str] = frozenset()
        self.external_files: dict[str, str] = {}

    def add_weights(self, protos: Iterable[Message], frame: Frame) -> None:
        """Initialisers become weight tensors."""
        tensors, overrides = self.tensors, self.options.values
        for proto in protos:
            name = proto.name
            if frame.names is not None:
                name = self.local_name(name, frame)
            tensor = weight_tensor(proto, name, self.folder, self.external_files)
            tensors[name] = self.overridden(tensor) if name in overrides else tensor

    def overridden(self, tensor: Tensor) -> Tensor:
        """The tensor with the value that the user gave for it."""
        value = np.array(self.options.values[tensor.name], dtype=tensor.dtype)
        if value.size != tensor.elements:
            raise broken(
                f"values for '{tensor.name}' has {value.size} elements, its shape {list(tensor.shape)} holds"
                f" {tensor.elements}",
                "give one value for each element",
            )
        return msgspec.structs.replace(tensor, value=value.reshape(tensor.shape))

    def local_name(self, name: str, frame: Frame) -> str:
        """Name in the flat graph for something a body defines; bodies may reuse names of other bodies."""
        names = frame.names
        if names is None or not name:
            return name
        if name in names:
            return names[name]
        taken = frame.attributes is not None or self._is_taken(name) or self._is_outer(name)
        flat = f"{frame.prefix}/{name}" if taken else name
        count = 1
        while self._is_taken(flat):
            count += 1
            flat = f"{frame.prefix}#{count}/{name}"
        names[name] = flat
        return flat

    def _is_taken(self, name: str) -> bool:
        return name in self.tensors or name in self.poisoned or name in self.sequences

    def _is_outer(self, name: str) -> bool:
        """The main graph defines this name, perhaps later."""
        if self._outer_names is None:
            self._outer_names = frozenset(item for node in self.main_nodes for item in node.output)
        return name in self._outer_names

    def answer(
        self, option: str, answers: Mapping[str, Answer], proto: Message, frame: Frame
    ) -> Answer | None:
        """The user's answer for a node, by its name with or without the path of the bodies around it."""
        own = inlining.node_name(proto)
        full = f"{frame.prefix}/{own}" if frame.prefix else own
        self.questions.append((option, full))
        for name in (full, own):
            if name in answers:
                self.answered.add((option, name))
                return answers[name]
        return None

    def add_nodes(self, protos: Iterable[Message], frame: Frame, *, is_ordered: bool = False) -> None:
        """Imports the nodes of one graph or body in order; sorts the rest once if a producer comes later."""
        tensors, names = self.tensors, frame.names
        for position, proto in enumerate(protos):
            inputs = tuple(proto.input)
            if names is not None:
                inputs = tuple([names.get(name, name) for name in inputs])
            try:
                operands = [tensors[name] if name else None for name in inputs]
            except KeyError:
                unknown = self._unknown_input(inputs)
                if unknown is not None and not is_ordered:
                    self.add_nodes(in_order(list(protos)[position:]), frame, is_ordered=True)
                    return
                self._add_without_tensors(proto, inputs, frame, unknown)
                continue
            self._add_node(proto, inputs, operands, frame)

    def _unknown_input(self, inputs: tuple[str, ...]) -> str | None:
        for name in inputs:
            if name and not (name in self.tensors or name in self.poisoned or name in self.sequences):
                return name
        return None

    def _add_without_tensors(
        self,
        proto: Message,
        inputs: tuple[str, ...],
        frame: Frame,
        unknown: str | None,
    ) -> None:
        """A node some input of which is no tensor: produced by nothing, a consequence, or a sequence."""
        if unknown is not None:
            refusal = broken(f"input '{unknown}' is produced by nothing, or by its own result")
            self.report(refusal, proto, frame, inputs)
        elif not self.poisoned.isdisjoint(inputs):
            self.poison(proto, frame)
        else:
            self._add_node(proto, inputs, [], frame)

    def _add_node(
        self, proto: Message, inputs: tuple[str, ...], operands: list[Tensor | None], frame: Frame
    ) -> None:
        index = self.next_index
        self.next_index = index + 1
        try:
            op, domain = proto.op_type, proto.domain
            is_unusual = op in SPECIAL or self.functions or len(operands) != len(inputs)
            if is_unusual and self._is_folded(proto, inputs, operands, frame):
                return
            row = row_of(op, domain)
            outputs = tuple(proto.output)
            if frame.names is not None:
                outputs = tuple([self.local_name(name, frame) for name in outputs])
            attributes = self.attributes(proto, frame)
            if row is None:
                self._define(outputs, self._declared_results(proto, outputs, frame), None)
            else:
                site = Site(op, operands, attributes, len(outputs), frame.opset)
                if row.is_data_dependent:
                    self._limit(site, proto, outputs, frame)
                results = row.shape(site)
                self._define(outputs, results, _values(row, site, results) if row.value is not None else None)
            name = proto.name or (outputs[0] if outputs else "")
            if frame.prefix and proto.name:
                name = f"{frame.prefix}/{name}"
            version = frame.versions.get(domain, frame.opset)
            self.nodes.append(
                Node(
                    index,
                    name,
                    op,
                    domain,
                    inputs,
                    outputs,
                    attributes,
                    name.replace("/", ".").strip("."),
                    place_of(proto, (self.source, index), has_source=self.has_places),
                    frame.repeat,
                    row is None,
                    version,
                )
            )
        except Refusal as refusal:
            self.report(refusal, proto, frame, inputs)
        except RULE_FAILURES as error:
            text = f"attributes or inputs do not fit the operator ({type(error).__name__}: {error})"
            self.report(broken(text, "correct the node's attributes"), proto, frame, inputs)

    def _is_folded(
        self, proto: Message, inputs: tuple[str, ...], operands: list[Tensor | None], frame: Frame
    ) -> bool:
        """Function calls, control flow, constants and sequences become other nodes or none."""
        op, domain = proto.op_type, proto.domain
        if self.functions and (domain, op) in self.functions:
            inlining.call_function(self, proto, inputs, frame)
            return True
        special = SPECIAL.get(op)
        if special is not None and domain in DEFAULT_DOMAINS and special(self, proto, inputs, frame):
            return True
        if len(operands) != len(inputs):
            what = "a sequence goes in"
            raise Refusal(ProblemCode.UNKNOWN_OPERATOR, what, "export the model without sequences")
        return False

    def _limit(self, site: Site, proto: Message, outputs: tuple[str, ...], frame: Frame) -> None:
        """Size limit of a data-dependent output: as asked, else as declared, else what is possible."""
        name = proto.name or outputs[0]
        asked = self.answer("bounds", self.options.bounds, proto, frame)
        site.bound = -1 if asked is None else asked
        declared = self.declared.get(outputs[0])
        site.declared = declared[0] if declared is not None else None
        if site.bound >= 0:
            origin = f"{site.bound}, as asked"
        else:
            origin = "as declared" if declared is not None else f"the upper limit; set bounds: {{{name}: n}}"
        self.remark(
            "data-dependent", name, f"{site.op}: the size of the output depends on data, taken: {origin}"
        )

    def add_synthetic(self, node: Node, results: list[Result], values: list[Any] | None = None) -> None:
        """Appends a node that stands for structure (loop borders, aliases); its outputs become tensors."""
        self._define(node.outputs, results, values)
        self.nodes.append(node)

    def add_computed(self, node: Node) -> None:
        """Appends a node of the op table that the importer itself made."""
        operands = [self.tensors[name] if name else None for name in node.inputs]
        site = Site(node.op, operands, node.attributes, len(node.outputs), node.opset)
        row = TABLE[node.op]
        results = row.shape(site)
        self._define(node.outputs, results, _values(row, site, results))
        self.nodes.append(node)

    def _define(self, outputs: tuple[str, ...], results: list[Result], values: list[Any] | None) -> None:
        if len(results) < len(outputs) and any(outputs[len(results) :]):
            raise broken(
                f"{len(outputs)} outputs, but the operator gives {len(results)}", "remove the outputs"
            )
        tensors, overrides = self.tensors, self.options.values
        for position, name in enumerate(outputs):
            if not name:
                continue
            if name in tensors:
                raise broken(f"'{name}' is produced twice", "give each tensor one producer")
            shape, dtype = results[position]
            tensor = Tensor(name, shape, dtype, TensorKind.ACTIVATION, values[position] if values else None)
            tensors[name] = self.overridden(tensor) if name in overrides else tensor

    def define_weight(self, tensor: Tensor) -> None:
        """A constant that a node would have made."""
        if tensor.name in self.tensors:
            raise broken(f"'{tensor.name}' is produced twice", "give each tensor one producer")
        self.tensors[tensor.name] = self.overridden(tensor) if tensor.name in self.options.values else tensor

    def output_names(self, proto: Message, frame: Frame) -> tuple[str, ...]:
        """Output names in the flat graph."""
        outputs = tuple(proto.output)
        if frame.names is None:
            return outputs
        return tuple([self.local_name(name, frame) for name in outputs])

    def attributes(self, proto: Message, frame: Frame) -> dict[str, Any]:
        """Attributes by name, references to function arguments resolved."""
        if frame.attributes is None:
            return {item.name: READERS[item.type](item) for item in proto.attribute}
        return inlining.resolved_attributes(proto, frame.attributes)

    def _declared_results(self, proto: Message, outputs: tuple[str, ...], frame: Frame) -> list[Result]:
        missing = [name for name in outputs if name and name not in self.declared]
        if missing:
            raise Refusal(
                ProblemCode.UNKNOWN_OPERATOR,
                f"output '{missing[0]}' has no known shape (opset {frame.versions.get(proto.domain, 0)})",
                "declare the output shapes in the model (value_info), or add a row to the op table",
            )
        return [self.declared.get(name, ((), "float32")) for name in outputs]

    def add_sparse_weights(self, protos: Iterable[Message]) -> None:
        """Sparse initialisers are stored dense on the device; their values are not looked at."""
        for proto in protos:
            values = proto.values
            dtype = weight_tensor(values, values.name, self.folder).dtype
            self.define_weight(Tensor(values.name, tuple(proto.dims), dtype, TensorKind.WEIGHT))

    def check_outputs(self, names: tuple[str, ...]) -> None:
        """Reports graph outputs that nothing produces."""
        for name in names:
            if name in self.tensors or name in self.poisoned:
                continue
            if name in self.sequences:
                code, what = ProblemCode.UNKNOWN_OPERATOR, f"the graph output '{name}' is a sequence"
                remedy = "export the model with tensor outputs"
            else:
                code, what = ProblemCode.BROKEN_MODEL, f"the graph output '{name}' is produced by nothing"
                remedy = "remove the output or add its producer"
            self.problems.append(Problem(code, what, self.source, remedy))
            self.found += 1

    def remark(self, code: str, where: str, text: str) -> None:
        """Notes a decision for the compile summary."""
        self.remarks.append(Remark(code, where, text))

    def poison(self, proto: Message, frame: Frame) -> None:
        """Marks outputs as unknown because of an earlier problem, so that it is reported once."""
        self.poisoned.update(
            name for name in self.output_names(proto, frame) if name and name not in self.tensors
        )

    def report(self, refusal: Refusal, proto: Message, frame: Frame, inputs: tuple[str, ...] = ()) -> None:
        """Collects a problem of a node and goes on behind it."""
        self.poison(proto, frame)
        self.found += 1
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(explain(self, refusal, proto, frame, inputs))


def _values(row: Row, site: Site, results: list[Result]) -> list[Any] | None:
    if row.value is None or product(results[0][0]) > MOST_VALUE_ELEMENTS:
        return None
    if not row.is_static:
        for operand in site.inputs:
            if operand is not None and operand.value is None:
                return None
    with np.errstate(all="ignore"):
        return row.value(site, results)


SPECIAL = {**constants.HANDLERS, **branching.HANDLERS, **loops.HANDLERS, **sequences.HANDLERS}
