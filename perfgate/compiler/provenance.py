"""The map between the model's nodes and the program's kernels, both ways."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from perfgate.compiler.origin import Residue, SourceCode

if TYPE_CHECKING:
    from perfgate.compiler.program import Kernel, Program


class Fates(msgspec.Struct, frozen=True):
    """What became of each node (an index into `Program.owners`): kernel indices, or a residue without any."""

    kernels: dict[int, tuple[int, ...]]
    residues: dict[int, Residue]

    def lost(self, nodes: int) -> tuple[int, ...]:
        """Nodes that end in nothing; empty for every program of this compiler."""
        return tuple(node for node in range(nodes) if node not in self.kernels and node not in self.residues)


def fates_of(program: Program) -> Fates:
    """Follow every node of the model to its kernels, a constant or a tombstone."""
    kernels: dict[int, list[int]] = {}
    for kernel in program.kernels:
        if kernel.origin < 0:
            continue
        for node in program.origins[kernel.origin].nodes:
            kernels.setdefault(node, []).append(kernel.index)
    residues = {residue.node: residue for residue in program.residues if residue.node not in kernels}
    return Fates({node: tuple(indices) for node, indices in kernels.items()}, residues)


def source_places(program: Program, kernel: Kernel) -> tuple[str, ...]:
    """`file:line:column` of every source place of a kernel."""
    if kernel.origin < 0:
        return ()
    places = []
    for packed in program.origins[kernel.origin].places:
        code = SourceCode.unpack(packed)
        column = f":{code.column}" if code.column else ""
        places.append(f"{program.files[code.file]}:{code.line}{column}")
    return tuple(places)
