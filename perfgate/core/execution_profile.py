"""The profile: what one traced execution did, on five levels. Never mixed with samples that a gate judges.

Levels nest: kernel parts sum to the kernel's duration, kernels to their operator, operators to their scope;
on each stream durations, waits and idle time sum to the makespan. Times are whole picoseconds, sizes bytes.
Rows hold no cycles, so the garbage collector need not look at the thousands of them (`gc=False`).
"""

from __future__ import annotations

import msgspec

from perfgate.core.device import Device  # noqa: TC001 - msgspec reads the annotations at run time
from perfgate.core.pass_entry import PassEntry  # noqa: TC001 - the same
from perfgate.core.record import Hotspot, ProfileSummary
from perfgate.core.stage_row import StageRow  # noqa: TC001 - the same

SCHEMA = "perfgate/profile/1"
SUMMARY_SHARE = 1000  # a baseline keeps operators of at least 1/1000 of the time, and all that copy


class Parts(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Where time went: launch, exposed movement, arithmetic, drains; `wait` is time outside kernels."""

    dispatch_ps: int = 0
    transfer_ps: int = 0
    compute_ps: int = 0
    sync_ps: int = 0
    wait_ps: int = 0

    @property
    def duration_ps(self) -> int:
        """Time inside kernels."""
        return self.dispatch_ps + self.transfer_ps + self.compute_ps + self.sync_ps


class KernelRow(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One kernel of one step: a span on a stream and an engine. `program` and `index` find it in its program.

    `start_ps` counts from the start of the step. `times` is how often the whole execution runs it. Tiles are
    0 where there is no matrix product. `owner` is the number of its operator, -1 for none. `critical`: on the
    path that decides the makespan. `layout` is the form its result is stored in, `variant` of a conversion
    `FROM->TO`. `after`: kernels of the same program that must end before it starts. `tiles` is how many parts
    a matrix product is dealt to the cores in, 0 where that is unknown.
    """

    program: int
    index: int
    name: str
    op: str
    kind: str
    variant: str
    owner: int
    engine: str
    stream: int
    start_ps: int
    duration_ps: int
    slack_ps: int
    parts: Parts
    bound: str
    utilisation: float
    dram_bytes: int
    l2_bytes: int
    link_bytes: int
    tile: tuple[int, int, int] = (0, 0, 0)
    waves: int = 0
    cycles: int = 0
    times: int = 1
    implicit: bool = False
    critical: bool = False
    dtype: str = ""
    layout: str = ""
    after: tuple[int, ...] = ()
    tiles: int = 0


class SourceNode(msgspec.Struct, frozen=True, gc=False):
    """A node of the model that runs inside the kernel of an operator; `shape` of its output in elements.

    `number` is its index in the model, -1 where nobody says.
    """

    name: str
    op: str
    scope: str
    shape: tuple[int, ...]
    number: int = -1


class OperatorRow(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A node of the model with everything its kernels did in the whole execution, copies it caused included.

    `intensity` is FLOP per byte of device memory; `intensity_class` is memory, balanced or compute (below 1,
    up to 10, above); `is_above_ridge` compares with the device. `bound` is that of its longest kernel.
    `shape` is its output in elements, `dtype` what it computes in, `layout` how its result is stored.
    `conversions` are layout kernels on the device that nobody asked for. `sources` are all nodes that its
    kernel runs, itself included, where it is more than one; their time is its own.
    """

    number: int
    name: str
    op: str
    scope: str
    place: str
    kernels: int
    total_ps: int
    parts: Parts
    bound: str
    flops: int
    dram_bytes: int
    l2_bytes: int
    intensity: float
    intensity_class: str
    is_above_ridge: bool
    copies: int = 0
    copied_bytes: int = 0
    copies_ps: int = 0
    is_estimated: bool = False
    shape: tuple[int, ...] = ()
    dtype: str = ""
    layout: str = ""
    conversions: int = 0
    conversions_ps: int = 0
    sources: tuple[SourceNode, ...] = ()


class FlowRow(msgspec.Struct, frozen=True, gc=False):
    """Bytes that one operator reads of what another wrote, in the whole execution; by number, -1 is outside.

    Outside are weights and the inputs of the call.
    """

    source: int
    target: int
    size: int


class CopyRow(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One copy between host and device in one step; `times` is how often the execution makes it."""

    program: int
    kernel: int
    owner: int
    direction: str
    size: int
    start_ps: int
    duration_ps: int
    implicit: bool
    times: int = 1


class GapRow(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Time in which a stream had nothing to run, and why: producer, engine or fence."""

    program: int
    stream: int
    start_ps: int
    length_ps: int
    before: str
    cause: str


class StepRow(msgspec.Struct, frozen=True, kw_only=True):
    """One program, how often the execution runs it, and how long one run takes."""

    program: str
    times: int
    makespan_ps: int


class Application(msgspec.Struct, frozen=True, kw_only=True):
    """The whole execution: `copied_bytes` are implicit, `io_bytes` the call's own inputs and outputs.

    `programs` are the compiled shapes a call chooses from. `compiles` and `compile_ps` are compilations
    inside the measured runs and their time.
    """

    total_ps: int
    iterations: int
    steps: tuple[StepRow, ...]
    throughput: float
    copied_bytes: int
    io_bytes: int
    energy_j: float
    average_w: float
    inferences_per_joule: float
    estimated_share: float
    programs: int = 1
    compiles: int = 0
    compile_ps: int = 0


class GraphLevel(msgspec.Struct, frozen=True, kw_only=True):
    """Scheduling of one step of the first program.

    `critical_path_ps` is the longest chain of dependencies, a bound no schedule beats; `serial_ps` the sum of
    all kernels; `parallelism` their ratio. `passes` counts applied and refused decisions by pass.
    `background_ps` is how long kernels waited for other work on the device, which runs at
    `background_priority`; the benchmark's own is `priority` ("" where nothing is known). `without_kernel` are
    nodes of the model that run nothing: removed, known when compiling, or another name for other bytes.
    """

    kernels: int
    operators: int
    streams: int
    critical_path_ps: int
    serial_ps: int
    makespan_ps: int
    parallelism: float
    gaps: tuple[GapRow, ...]
    fused_operators: int
    duplicates: int
    passes: dict[str, tuple[int, int]]
    priority: str = ""
    background_priority: str = ""
    background_ps: int = 0
    without_kernel: tuple[str, ...] = ()


class MemoryEventRow(msgspec.Struct, frozen=True, gc=False):
    """A buffer taken (`alloc`) or given back (`free`) in one step; `offset` is its place in the arena."""

    time_ps: int
    kind: str
    buffer: int
    tensor: str
    size: int
    offset: int = 0


class Memory(msgspec.Struct, frozen=True, kw_only=True):
    """Device memory over one step, in bytes.

    `curve` holds (time, bytes in use), `at_peak` (tensor, bytes, operator) largest first. `free_blocks`
    counts gaps of the arena at the peak up to 64 MiB, 256 MiB, 1 GiB and above. The fragmentation *index*
    says how scattered free bytes are, the *rate* which share of the arena is unused. `allocations` are those
    made while running because the reserved arena of `pool` bytes is too small for the `arena` that the plan
    needs (`pool` 0: as large as the plan). `failed` are sizes that were refused. `live_at_end` holds the
    bytes in use after each iteration where a log over iterations exists. The step is one of `program`.
    """

    peak: int
    lower_bound: int
    weights: int
    activations: int
    workspace: int
    host: int
    capacity: int
    curve: tuple[tuple[int, int], ...]
    at_peak: tuple[tuple[str, int, str], ...]
    free_blocks: tuple[int, ...] = ()
    largest_free: int = 0
    fragmentation_index: float = 0.0
    fragmentation_rate: float = 0.0
    events: tuple[MemoryEventRow, ...] = ()
    allocations: int = 0
    live_at_end: tuple[int, ...] = ()
    pool: int = 0
    arena: int = 0
    failed: tuple[int, ...] = ()
    program: int = 0


class TensorRow(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A tensor as a model or an exporter states it; `size` in bytes, `strides` in elements, () if unknown.

    `shape` is in the order of the logical dimensions (N, C, H, W for four).
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    layout: str
    size: int
    strides: tuple[int, ...] = ()
    owner: int = -1


class Hardware(msgspec.Struct, frozen=True, kw_only=True):
    """Engines and memory levels over the whole execution, as shares of the total time or of the peak rate.

    `balance` is least over most busy engine, `transfer_ratio` exposed movement over arithmetic.
    """

    busy_ps: dict[str, int]
    busy_share: dict[str, float]
    read_bytes: dict[str, int]
    written_bytes: dict[str, int]
    bandwidth_share: dict[str, float]
    l2_hit_share: float
    parallelism: float
    transfer_ratio: float
    balance: float
    energy_j: dict[str, float]
    memory: Memory


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """One execution on five levels; see the module's text.

    Over 5,000 kernels `kernels` holds the longest 200 and one row `rest`, so sums still hold. `pass_log` is
    that of the first program. `machine` is the simulated device without the sources of its values. `tensors`
    are those that a measuring tool states beside its times; the simulator derives its own and lists none.
    `stages` are those of a pipeline, whose operators and kernels are its stages in the worst frame.
    """

    schema: str = SCHEMA
    device: str
    application: Application
    graph: GraphLevel
    operators: tuple[OperatorRow, ...]
    kernels: tuple[KernelRow, ...]
    copies: tuple[CopyRow, ...]
    hardware: Hardware
    parts: Parts
    exact: dict[str, float]
    notes: tuple[str, ...] = ()
    digest: str = ""
    flows: tuple[FlowRow, ...] = ()
    pass_log: tuple[PassEntry, ...] = ()
    machine: Device | None = None
    tensors: tuple[TensorRow, ...] = ()
    stages: tuple[StageRow, ...] = ()


def scope_totals(operators: tuple[OperatorRow, ...]) -> dict[str, int]:
    """Time per scope in picoseconds, every scope with all that lies below it; "" is everything."""
    totals: dict[str, int] = {"": 0}
    for row in operators:
        totals[""] += row.total_ps
        path = ""
        for word in row.scope.split(".") if row.scope else ():
            path = f"{path}.{word}" if path else word
            totals[path] = totals.get(path, 0) + row.total_ps
    return totals


def summarise(profile: Profile) -> ProfileSummary:
    """What a baseline keeps of a profile: total, parts of the critical stream, the operators that matter.

    An operator that is not in the summary took less than 1/1000 of the time and copied nothing.
    """
    least = profile.application.total_ps // SUMMARY_SHARE
    kept = [row for row in profile.operators if row.total_ps >= least or row.copies]
    worst = sorted(kept, key=lambda row: (-row.total_ps, row.number))
    return ProfileSummary(
        total_ps=profile.application.total_ps,
        parts={
            "dispatch": profile.parts.dispatch_ps,
            "transfer": profile.parts.transfer_ps,
            "compute": profile.parts.compute_ps,
            "sync": profile.parts.sync_ps,
            "wait": profile.parts.wait_ps,
        },
        operators=tuple(
            Hotspot(
                number=row.number,
                name=row.name,
                op=row.op,
                scope=row.scope,
                total_ps=row.total_ps,
                copied_bytes=row.copied_bytes,
                copies=row.copies,
            )
            for row in worst
        ),
        digest=profile.digest,
    )
