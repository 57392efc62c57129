"""`If` becomes one of its branches: the constant one, the one asked for, or the costlier one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from perfgate.graph.inlining import alias, body_frame, body_of, node_name
from perfgate.graph.ops.table import facts
from perfgate.graph.problems import Problem, ProblemCode
from perfgate.graph.protobuf import Message, broken

if TYPE_CHECKING:
    from perfgate.graph.frame import Frame
    from perfgate.graph.importer import Importer
    from perfgate.graph.ir import Node
    from perfgate.graph.ops import OpFacts

RIDGE = 100  # FLOPs that take as long as a byte on the devices here; only ranks two branches


def inline_branch(importer: Importer, proto: Message, inputs: tuple[str, ...], frame: Frame) -> bool:
    """Replaces an `If` by the branch its condition, the user or the cost decides for."""
    name = node_name(proto)
    condition = importer.tensors[inputs[0]].value
    chosen = importer.answer("branches", importer.options.branches, proto, frame)
    if chosen is not None and chosen not in {"then", "else"}:
        raise broken(f"branches: {name}: {chosen!r} is no branch", "write then or else")
    if condition is not None:
        taken = "then" if bool(condition.ravel()[0]) else "else"
        instead = f", not {chosen} as asked" if chosen not in {None, taken} else ""
        importer.remark("constant-branch", name, f"the condition is constant: {taken} taken{instead}")
        chosen = taken
    elif chosen is not None:
        importer.remark("chosen-branch", name, f"{chosen} taken as asked")
    if chosen is not None:
        _run_branch(importer, proto, frame, chosen)
        return True
    _run_costlier(importer, proto, frame, name)
    return True


def _run_branch(importer: Importer, proto: Message, frame: Frame, part: str) -> None:
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


def _run_costlier(importer: Importer, proto: Message, frame: Frame, name: str) -> None:
    start = Mark(importer)
    trials = {}
    for part in ("then", "else"):
        _run_branch(importer, proto, frame, part)
        trials[part] = start.detached(importer)
    impossible = [part for part, trial in trials.items() if trial.is_impossible]
    if len(impossible) == 1:
        chosen = "else" if impossible == ["then"] else "then"
        trials[chosen].attach(importer)
        reason = trials[impossible[0]].problems[0].what
        importer.remark(
            "possible-branch", name, f"{chosen} taken: the other one does not fit the shapes ({reason})"
        )
        return
    chosen = "then" if trials["then"].cost >= trials["else"].cost else "else"
    other = "else" if chosen == "then" else "then"
    trials[chosen].attach(importer)
    # The problems of the other branch must be seen too: with them its cost is not known.
    importer.problems.extend(trials[other].problems)
    importer.found += trials[other].found
    importer.remark(
        "costlier-branch", name, f"{chosen} taken: it costs more; 'branches: {{{name}: {other}}}' changes it"
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

    @property
    def is_impossible(self) -> bool:
        """Only the bound shapes stand against this branch: it is one for other inputs."""
        return bool(self.problems) and all(item.code is ProblemCode.SHAPE_MISMATCH for item in self.problems)

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


def _cost(work: OpFacts) -> int:
    return int(work.flops + RIDGE * (work.read_bytes + work.write_bytes))


HANDLERS = {"If": inline_branch}
