"""The device: every number of a machine that the compiler and the cost model read, as one frozen value.

One value is read by the compiler (layouts, routes, buffers), the cost model and the diagnosis, so they cannot
disagree. Units stand in the names; rates are bytes per cycle and core unless the name says otherwise.
`perfgate.npu.device_file` reads these values from YAML and refuses what does not fit.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

KIB = 1024
MIB = 1024 * KIB
GIB = 1024 * MIB


class MatrixStyle(StrEnum):
    """How the matrix unit works; picks the formula of SIMULATOR section 7."""

    BLOCKED = "blocked"
    SYSTOLIC = "systolic"
    WAVE = "wave"


class Dataflow(StrEnum):
    """What stays in place in a systolic array: outputs, weights or inputs."""

    OUTPUT = "os"
    WEIGHT = "ws"
    INPUT = "is"


class Stride(StrEnum):
    """The byte stride that a route's alignment condition looks at; `none` is no condition."""

    NONE = "none"
    PIXEL = "pixel"  # C * item bytes: distance of two pixels in a channels-last layout
    CHANNEL = "channel"  # H * W * item bytes: distance of two channels in NCHW
    ROW = "row"  # columns * item bytes of a matrix


class Position(StrEnum):
    """Where a conversion stands: between two storage layouts, at a matrix kernel's own port, or anywhere."""

    ANY = "any"
    EDGE = "edge"
    PORT = "port"


class Via(StrEnum):
    """How a conversion is done.

    `dma`: by the load or store path of the matrix kernel next to it, else as a kernel; `kernel`: a device
    kernel; `host`: the implicit round trip over the link.
    """

    DMA = "dma"
    KERNEL = "kernel"
    HOST = "host"


class Mark(StrEnum):
    """Where a value comes from: published, derived from published ones, assumed, or calibrated."""

    PUBLISHED = "P"
    DERIVED = "D"
    ASSUMED = "A"
    CALIBRATED = "C"


class Source(msgspec.Struct, frozen=True):
    """The mark and note of one value, and the place in the device file that set it."""

    mark: Mark
    note: str
    place: str


class Route(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the conversion table, valid in both directions; the first match wins.

    It matches when `stride` is a multiple of `multiple` bytes (`none` always does) and the position fits.
    `efficiency` is the share of the DMA rate that the conversion reaches.
    """

    between: tuple[str, str]
    via: Via
    stride: Stride = Stride.NONE
    multiple: int = 1
    position: Position = Position.ANY
    efficiency: float = 1.0


HOST_ROUTE = Route(between=("*", "*"), via=Via.HOST)


class Cores(msgspec.Struct, frozen=True, kw_only=True):
    """Core counts."""

    matrix: int
    vector: int


class MatrixUnit(msgspec.Struct, frozen=True, kw_only=True):
    """The matrix engine of one core.

    `m, n, k` is the granule of one step in fp16 (array rows and columns for systolic). `macs_per_cycle` is
    the fp16 rate of one core; the `*_rate` are factors on it, 0 where the type is not supported.
    """

    style: MatrixStyle
    m: int
    n: int
    k: int
    macs_per_cycle: int
    fp16_rate: float = 1.0
    bf16_rate: float = 1.0
    int8_rate: float = 2.0
    fp32_rate: float = 0.25
    dataflow: Dataflow = Dataflow.OUTPUT


class WaveTile(msgspec.Struct, frozen=True, kw_only=True):
    """One tile size of a GPU matrix kernel and the share of the peak rate it reaches."""

    m: int
    n: int
    efficiency: float


class Wave(msgspec.Struct, frozen=True, kw_only=True):
    """Tiles and start-up of GPU matrix kernels; unused by the other styles."""

    prologue_cycles: int = 0
    tiles: tuple[WaveTile, ...] = ()


class VectorUnit(msgspec.Struct, frozen=True, kw_only=True):
    """Vector engine of one core: bytes of operands per cycle for an operation of cost 1."""

    bytes_per_cycle: int
    softmax_row_kb: int  # an fp32 row up to this size is read from memory once, a longer one three times
    norm_row_kb: int  # the same for norms


class Buffers(msgspec.Struct, frozen=True, kw_only=True):
    """On-chip memories of one core; 0 where the machine has none (a GPU has `l1` only)."""

    l0a_kb: int = 0
    l0b_kb: int = 0
    l0c_kb: int = 0
    l1_kb: int
    vector_kb: int

    @property
    def vector_bytes(self) -> int:
        """What the live values of a fused vector chain must fit."""
        return self.vector_kb * KIB


class Rates(msgspec.Struct, frozen=True, kw_only=True):
    """On-chip port rates in bytes per cycle and core; 0 is a port that never limits."""

    l2_read: float
    l2_write: float
    l1_l0a: float = 0.0
    l1_l0b: float = 0.0
    l0c_ub: float = 0.0
    ub_l2: float = 0.0
    ub_dram: float = 0.0
    ub_l1: float = 0.0


class L2(msgspec.Struct, frozen=True, kw_only=True):
    """Shared cache; an operand hits when under `reuse_share` of it was touched since it was written."""

    mb: float
    reuse_share: float = 0.75

    @property
    def bytes(self) -> int:
        """Capacity."""
        return int(self.mb * MIB)


class Dram(msgspec.Struct, frozen=True, kw_only=True):
    """Device memory."""

    gb_s: float
    gb: int
    energy: str = "lpddr"  # which of the energies per byte applies: hbm, lpddr, ddr

    @property
    def bytes(self) -> int:
        """Capacity."""
        return self.gb * GIB


class Dma(msgspec.Struct, frozen=True, kw_only=True):
    """Transfers: bytes pad to `burst_bytes`; runs under `full_run_bytes` lose rate in proportion."""

    latency_ns: int
    burst_bytes: int
    full_run_bytes: int = 64


class Launch(msgspec.Struct, frozen=True, kw_only=True):
    """Overhead per kernel in microseconds: in a compiled program, and eager by class of kernel.

    `*_overlap_us` is the part of an eager launch that runs on the host while the kernel already runs.
    """

    compiled_us: float
    eager_matrix_us: float = 0.0
    eager_softmax_us: float = 0.0
    eager_norm_us: float = 0.0
    eager_elementwise_us: float = 0.0
    norm_overlap_us: float = 0.0
    elementwise_overlap_us: float = 0.0


class Link(msgspec.Struct, frozen=True, kw_only=True):
    """Host link: `gb_s` with pinned memory, `pageable_share` of it without; unified memory copies nothing."""

    gb_s: float
    latency_us: float
    pageable_share: float = 0.5
    is_unified: bool = False


class Host(msgspec.Struct, frozen=True, kw_only=True):
    """The CPU side: cost of a scalar strided move and of one synchronisation."""

    reorder_ns_per_element: float
    sync_us: float


class Runtime(msgspec.Struct, frozen=True, kw_only=True):
    """Costs of the runtime in microseconds."""

    alloc_us: float
    event_us: float
    dynamic_us: float


class Efficiency(msgspec.Struct, frozen=True, kw_only=True):
    """Reached share of the peak, one number per kind of work, never per shape."""

    matrix: float = 1.0
    dram: float = 1.0
    softmax: float = 1.0
    norm: float = 1.0
    elementwise: float = 1.0


class Power(msgspec.Struct, frozen=True, kw_only=True):
    """Thermal design power and its idle share."""

    tdp_w: float
    idle_share: float = 0.3


class Energy(msgspec.Struct, frozen=True, kw_only=True):
    """Picojoules per MAC, vector operation and byte moved; for comparison between configurations only."""

    mac_fp16_pj: float = 0.5
    mac_int8_pj: float = 0.08
    mac_fp32_pj: float = 1.7
    vector_pj: float = 1.0
    sram_pj: float = 1.0
    l2_pj: float = 2.0
    hbm_pj: float = 40.0
    lpddr_pj: float = 60.0
    ddr_pj: float = 160.0
    link_pj: float = 200.0


class Device(msgspec.Struct, frozen=True, kw_only=True):
    """A machine: `native_layout` is what its Conv runs in, `block_bytes` is C0 in bytes.

    `sources` keeps the mark and note of each value by dotted key; `digest` is the SHA-256 of the values
    alone, so a reworded note does not make records incomparable.
    """

    name: str
    soc_versions: tuple[str, ...] = ()
    native_layout: str
    matrix_layout: str = "ND"
    block_bytes: int = 0
    has_aipp: bool = False
    freq_mhz: int
    cores: Cores
    matrix: MatrixUnit
    wave: Wave = Wave()
    vector: VectorUnit
    buffers: Buffers
    rates: Rates
    l2: L2
    dram: Dram
    dma: Dma
    launch: Launch
    link: Link
    host: Host
    runtime: Runtime
    efficiency: Efficiency = Efficiency()
    power: Power
    energy: Energy = Energy()
    routes: tuple[Route, ...] = ()
    sources: dict[str, Source] = {}
    digest: str = ""

    def block_elements(self, item_bytes: int) -> int:
        """C0: channels in one block of a blocked layout, 1 on a machine without one."""
        return max(1, self.block_bytes // item_bytes)

    def matrix_rate(self, dtype: str) -> float:
        """Factor on the fp16 MAC rate for an element type by numpy's name; 0.0 when it is not supported."""
        return float(getattr(self.matrix, _RATE_FIELDS.get(dtype, "fp32_rate")))

    def peak_macs_per_second(self, dtype: str) -> float:
        """All matrix cores at full rate."""
        per_cycle = self.cores.matrix * self.matrix.macs_per_cycle
        return per_cycle * self.matrix_rate(dtype) * self.freq_mhz * 1e6

    def find_route(self, source: str, target: str, strides: dict[Stride, int], position: Position) -> Route:
        """The first row of the table that matches, else `HOST_ROUTE`; routes are never chained.

        `strides` are bytes by kind; a condition on a stride that is not given does not match.
        """
        pair = (source, target)
        for route in self.routes:
            if pair not in (route.between, route.between[::-1]):
                continue
            if route.position not in (Position.ANY, position):
                continue
            if route.stride is Stride.NONE:
                return route
            stride = strides.get(route.stride, 0)
            if stride > 0 and stride % route.multiple == 0:
                return route
        return HOST_ROUTE


_RATE_FIELDS = {
    "float16": "fp16_rate", "bfloat16": "bf16_rate", "int8": "int8_rate", "uint8": "int8_rate",
    "float32": "fp32_rate", "int4": "int8_rate", "uint4": "int8_rate",
    "float8_e4m3fn": "int8_rate", "float8_e5m2": "int8_rate",
}  # fmt: skip
