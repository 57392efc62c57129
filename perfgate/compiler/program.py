"""The program: kernels in issue order with the buffers they read and write. What the compiler hands to `npu`.

Sizes are bytes, work is MACs or weighted element operations. No time stands here: cost is the device's
answer.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from perfgate.compiler.origin import Origin, Residue  # noqa: TC001 - msgspec reads the annotations at run time
from perfgate.core.pass_entry import PassEntry  # noqa: TC001 - the same


class KernelKind(StrEnum):
    """What a kernel mainly does; decides which cost formula of SIMULATOR section 7 applies."""

    MATRIX = "matrix"
    VECTOR = "vector"
    LAYOUT = "layout"  # a conversion or move on the device (TransData, Transpose)
    H2D = "h2d"
    D2H = "d2h"
    HOST = "host"  # work on the CPU: reorder of an implicit round trip, host operators


class Pool(StrEnum):
    """Separate memory pools."""

    WEIGHTS = "weights"
    ACTIVATIONS = "activations"
    WORKSPACE = "workspace"
    HOST = "host"


class Buffer(msgspec.Struct, frozen=True, gc=False):
    """Bytes on the device (or host staging); `in_place_of`: id of the buffer it may overwrite, or -1."""

    id: int
    tensor: str
    size: int
    pool: Pool
    layout: str = ""
    in_place_of: int = -1
    offset: int = 0
    first: int = -1
    last: int = -1


class Access(msgspec.Struct, frozen=True, gc=False):
    """One operand as moved between memory and a kernel.

    `size` counts padded bytes (DMA burst; C to C0 in blocked layouts). `run` is the length of the contiguous
    runs in bytes (0: fully contiguous). `efficiency` scales the DMA rate for a conversion done while loading
    or storing.
    """

    buffer: int
    size: int
    run: int = 0
    efficiency: float = 1.0


class Kernel(msgspec.Struct, frozen=True, gc=False):
    """One launch on one engine.

    `m, n, k`: a matrix product of that size, `count` times (batch or groups). `vector_work`: elements x
    op cost (add 1, mul 1, div 4, exp 8, erf 12), all passes and fused epilogues included; `row` is the length
    of the reduced row of softmax and norms in elements, else 0. `elements`: elements reordered on the host.
    `link_bytes`: bytes over the host link. `owner`: index into `Program.owners` of the node whose need
    caused it. `implicit`: not asked for by the model: conversions and host round trips that the layout pass
    inserted. `dependencies`: indices of kernels that must end before it starts. `repeat`: executions (loop
    bodies). `origin`: index into `Program.origins`.
    """

    index: int
    name: str
    op: str
    kind: KernelKind
    variant: str
    dtype: str
    owner: int
    dependencies: tuple[int, ...]
    reads: tuple[Access, ...]
    writes: tuple[Access, ...]
    m: int = 0
    n: int = 0
    k: int = 0
    count: int = 1
    macs: int = 0
    vector_work: int = 0
    row: int = 0
    elements: int = 0
    link_bytes: int = 0
    implicit: bool = False
    is_estimated: bool = False
    is_high_precision: bool = False
    repeat: int = 1
    origin: int = -1


class Owner(msgspec.Struct, frozen=True, gc=False):
    """A node of the model as reports name it: `number` is its index in the model (`#447`).

    `shape` is that of its first output in elements, in the model's own order of dimensions.
    """

    number: int
    name: str
    op: str
    scope: str
    place: str
    shape: tuple[int, ...] = ()


class Unhandled(msgspec.Struct, frozen=True, gc=False):
    """A flag, key, op or attribute whose effect is not modelled, with its source place."""

    what: str
    place: str
    reason: str


class Program(msgspec.Struct, frozen=True):
    """A compiled model for one device.

    `kernels` are in issue order; `buffers` by id; `owners` one per node of the graph, in its order;
    `pass_log` in order of decision; `digest` keys caches. `origins` say where kernels come from, `residues`
    what became of the nodes that end in no kernel, `files` are the names behind the packed places.
    `buffer_mode` says which on-chip reuse counts (`--buffer_optimize`). `peak_memory` is weights plus the
    extent of activations and workspace in bytes. `step_reuse` is the program of an iteration that reuses the
    stored tensor of the model's cacheable region (`tea_cache`).
    """

    name: str
    device: str
    kernels: tuple[Kernel, ...]
    buffers: tuple[Buffer, ...]
    owners: tuple[Owner, ...]
    pass_log: tuple[PassEntry, ...]
    unhandled: tuple[Unhandled, ...]
    single_stream: bool = False
    dynamic_dispatch: bool = False
    digest: str = ""
    origins: tuple[Origin, ...] = ()
    residues: tuple[Residue, ...] = ()
    files: tuple[str, ...] = ()
    buffer_mode: str = "l2_optimize"
    disabled_passes: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    peak_memory: int = 0
    step_reuse: Program | None = None
