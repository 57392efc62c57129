"""Tables of operators whose alignment is known: a made-up network, and the same after an edit."""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from perfgate.core.execution_profile import OperatorRow, Parts, SourceNode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.diagnose.align import Alignment

PS = 1_000_000

# A residual and an attention block as exporters write them: word, type, and which shape of the stage it has.
_BLOCKS: tuple[tuple[tuple[str, str, int], ...], ...] = (
    (
        ("norm1", "GroupNormalization", 0), ("sigmoid1", "Sigmoid", 0), ("swish1", "Mul", 0),
        ("conv1", "Conv", 0), ("time", "MatMul", 2), ("time_bias", "Add", 2), ("shift", "Add", 0),
        ("norm2", "GroupNormalization", 0), ("sigmoid2", "Sigmoid", 0), ("swish2", "Mul", 0),
        ("conv2", "Conv", 0), ("skip", "Add", 0),
    ),
    (
        ("enter", "Transpose", 1), ("norm", "LayerNormalization", 1), ("query", "MatMul", 1),
        ("key", "MatMul", 1), ("value", "MatMul", 1), ("turned", "Transpose", 1),
        ("scores", "MatMul", 3), ("scaled", "Mul", 3),
        ("softmax", "Softmax", 3), ("mixed", "MatMul", 1), ("out", "MatMul", 1), ("out_bias", "Add", 1),
        ("joined", "Add", 1), ("leave", "Transpose", 0),
    ),
)  # fmt: skip
_STAGES = 8
_HEADS = frozenset({"Conv", "MatMul"})  # what other nodes are fused into
_FUSIBLE = frozenset({"Add", "Mul", "Sigmoid"})


def operator(
    name: str,
    op: str = "Conv",
    *,
    number: int = 0,
    shape: tuple[int, ...] = (1, 8),
    total_ps: int = PS,
) -> OperatorRow:
    """A row whose scope is the path of its name, as the simulator writes it."""
    return OperatorRow(
        number=number, name=name, op=op, scope=name, place="", kernels=1, total_ps=total_ps,
        parts=Parts(compute_ps=total_ps), bound="", flops=0, dram_bytes=0, l2_bytes=0, intensity=0.0,
        intensity_class="", is_above_ridge=False, shape=shape,
    )  # fmt: skip


def source(row: OperatorRow) -> SourceNode:
    """The operator's own node."""
    return SourceNode(row.name, row.op, row.scope, row.shape, row.number)


def fused(*rows: OperatorRow) -> OperatorRow:
    """The first operator with all of them in its kernel."""
    return msgspec.structs.replace(rows[0], sources=tuple(source(row) for row in rows))


def network(count: int) -> list[OperatorRow]:
    """Residual and attention blocks in turn, in stages that halve the map and double the channels."""
    rows: list[OperatorRow] = []
    number = 0
    while len(rows) < count:
        stage = len(rows) * _STAGES // count
        size, channels = 1 << (_STAGES - stage), 8 << stage
        shapes = ((1, channels, size, size), (1, size * size, channels), (1, channels), (1, size**2, size**2))
        kind = number % len(_BLOCKS)
        scope = f"model.stage{stage}.block{number}.{('residual', 'attention')[kind]}"
        rows += [
            operator(f"{scope}.{word}", op, number=len(rows) + place, shape=shapes[at])
            for place, (word, op, at) in enumerate(_BLOCKS[kind])
        ]
        number += 1
    return rows[:count]


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited:
    """A network before and after, and the true correspondences as (position before, position after)."""

    before: list[OperatorRow]
    after: list[OperatorRow]
    truth: frozenset[tuple[int, int]]


def edited(before: list[OperatorRow], *, made_up: float, seed: int = 1) -> Edited:
    """2 % copies put in, 3 % of the operators fused into others, a share of the names made up anew."""
    draw = random.Random(seed)  # noqa: S311 - a reproducible edit
    hosts = _fusions(before, draw)
    copied = set(draw.sample(range(len(before)), len(before) // 50))
    counter = itertools.count()
    guests: dict[int, list[OperatorRow]] = {}
    after: list[OperatorRow] = []
    places: dict[int, int] = {}
    for position, old in enumerate(before):
        row = _made_up(old, draw) if draw.random() < made_up else old
        row = msgspec.structs.replace(row, number=next(counter))
        if position in hosts:
            guests.setdefault(hosts[position], []).append(row)
        else:
            places[position] = len(after)
            after.append(row)
        if position in copied:
            word = draw.choice((f"{row.name}_copy_", f"{row.name}_turned_"))
            name = f"{word}{draw.randrange(9999)}"
            after.append(operator(name, "Transpose", number=next(counter), shape=row.shape))
    for host, rows in guests.items():
        after[places[host]] = fused(after[places[host]], *rows)
    truth = frozenset((at, places[hosts.get(at, at)]) for at in range(len(before)))
    return Edited(before=before, after=after, truth=truth)


def reverse(rows: Sequence[OperatorRow]) -> list[OperatorRow]:
    """The same operators in the opposite order, numbered anew."""
    return [msgspec.structs.replace(row, number=at) for at, row in enumerate(reversed(rows))]


def without_sources(rows: Sequence[OperatorRow]) -> list[OperatorRow]:
    """The same operators from a compiler that does not say what it fused."""
    return [msgspec.structs.replace(row, sources=()) for row in rows]


def without_scopes(rows: Sequence[OperatorRow]) -> list[OperatorRow]:
    """The same operators as an exporter without module paths names them: `Conv_17`."""
    counter = itertools.count()
    flat = []
    for row in rows:
        own = f"{row.op}_{next(counter)}"
        nodes = [
            SourceNode(
                own if node.name == row.name else f"{node.op}_{next(counter)}", node.op, "", node.shape
            )
            for node in row.sources
        ]
        flat.append(msgspec.structs.replace(row, name=own, scope="", sources=tuple(nodes)))
    return flat


def stated(alignment: Alignment) -> set[tuple[int, int]]:
    """Every correspondence that the alignment claims; in a group all with all."""
    grouped = {pair for group in alignment.groups for pair in itertools.product(group.before, group.after)}
    return {*alignment.pairs, *grouped}


def _fusions(rows: Sequence[OperatorRow], draw: random.Random) -> dict[int, int]:
    """3 % of the operators by the host that they are fused into, one to three neighbours at a time."""
    hosts: dict[int, int] = {}
    aim = len(rows) * 3 // 100
    heads = [position for position, row in enumerate(rows) if row.op in _HEADS]
    for head in draw.sample(heads, len(heads)):
        for position in range(head + 1, min(head + 1 + draw.randint(1, 3), len(rows))):
            if rows[position].op not in _FUSIBLE or len(hosts) == aim:
                break
            hosts[position] = head
    return hosts


def _made_up(row: OperatorRow, draw: random.Random) -> OperatorRow:
    """Another last word: an exporter's counter, or a hash."""
    number = draw.randrange(1 << 32)
    word = draw.choice(
        (f"{row.op}_{number % 10_000}", f"n{number:08x}", f"{row.op.lower()}_token_{number % 100}")
    )
    name = f"{row.name.rpartition('.')[0]}.{word}"
    return msgspec.structs.replace(row, name=name, scope=name)
